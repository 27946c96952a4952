// Trouble of the host, in every place that a turn reads or writes: it is waited for, and never taken for a failure of a script or a state.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ruleOf, type FailureType } from '../../../src/protocol/failure.js';
import type { Scope } from '../../../src/protocol/scope.js';
import { beforeRemoval, folder } from '../../support/folder.js';
import { fakeWith } from '../../support/fakes.js';
import { NO_ROOT, testUnless } from '../../support/unless.js';
import { TestWorker, failureOf } from '../test-worker.js';

const BIG = 40_000;
const STATES = {
  'START.sh': `echo "<result>$(head -c ${BIG} /dev/zero | tr '\\0' x)</result>"\n`,
  'P.md': 'Do it.\n',
  'ASK.sh': 'echo x > shown; echo \'<ask next="START" display_files="shown">Fine?</ask>\'\n',
};
const YAML = 'states:\n  START:\n    sh: echo "<result>ok</result>"\n';

/** Mounts a disk of one page at `path`, which is full or may only be read. */
async function mounted(path: string, kind: 'full' | 'read-only'): Promise<void> {
  await mkdir(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,mode=700', 'tmpfs', path]);
  beforeRemoval(() => Promise.resolve(void execFileSync('umount', [path])));
  if (kind === 'full') await writeFile(join(path, 'x'), 'x');
  else execFileSync('mount', ['-o', 'remount,ro', path]);
}

async function scopeOf(turn: string): Promise<{ readonly scope?: Scope; readonly state?: string }> {
  if (turn !== 'a script of a YAML file') return { state: STATE_OF[turn as keyof typeof STATE_OF] };
  return { scope: { kind: 'yaml', path: join(await folder({ 'flow.yaml': YAML }), 'flow.yaml') } };
}

const STATE_OF = { 'a script': 'START.sh', 'a prompt': 'P.md', 'an ask': 'ASK.sh' } as const;

/** Which turns need which folders of `.raymond`. */
const PLACES: readonly (readonly [place: string, turns: readonly string[]])[] = [
  ['artifacts', ['a script', 'a prompt', 'an ask']],
  ['tasks', ['a script', 'a prompt', 'an ask', 'a script of a YAML file']],
  ['tmp', ['a script', 'a prompt', 'an ask']],
  ['journal', ['a prompt']],
  ['unpacked', ['a script of a YAML file']],
];
const KINDS = ['full', 'read-only'] as const;
const CASES = PLACES.flatMap(([place, turns]) =>
  // A folder still finds its place on a full disk: nothing of the turn itself is written into it.
  turns.flatMap((turn) =>
    KINDS.filter((kind) => kind !== 'full' || place !== 'tasks').map((kind) => [turn, kind, place] as const),
  ),
);

testUnless(NO_ROOT)('a full or read-only disk is trouble of the disk, whatever the turn is', async () => {
  const fake = await fakeWith({ text: '<result>said</result>' });
  const seen: string[] = [];
  for (const [turn, kind, place] of CASES) {
    const worker = await TestWorker.with(STATES, { environment: fake.env });
    await mounted(join(worker.raymondDir, place), kind);
    const failure = await failureOf(
      worker.turn({ agent: { ...(await scopeOf(turn)), pending: { value: 'given', returning: false } } }),
    ).catch((error: unknown) => ({
      type: String(error).slice(0, 200),
      message: '',
    }));
    const names = failure.message.includes(join(worker.raymondDir, place)) ? 'named' : `not named: ${failure.message}`;
    seen.push(`${turn}, ${place} ${kind}: ${failure.type}, ${names}`);
  }
  expect(seen).toEqual(CASES.map(([turn, kind, place]) => `${turn}, ${place} ${kind}: DiskTrouble, named`));
});

for (const kind of KINDS)
  testUnless(NO_ROOT)(`a folder to work in that is ${kind} is for the script alone`, async () => {
    const worker = await TestWorker.with({ 'START.sh': 'echo "<result>ok</result>"\n' });
    const cwd = join(worker.cwd, 'there');
    await mounted(cwd, kind);
    expect(await worker.turn({ agent: { cwd } })).toMatchObject({ outcome: { kind: 'transition' } });
  });

for (const kind of KINDS)
  testUnless(NO_ROOT)(`a ${kind} disk that takes no package from another host is trouble of the disk`, async () => {
    const worker = await TestWorker.with({});
    const { artifacts } = worker.context;
    const sent = (await artifacts.put(Buffer.from(YAML))) as unknown;
    const blob = typeof sent === 'string' ? sent : (sent as { readonly sha256: string }).sha256;
    await mounted(join(worker.raymondDir, 'unpacked'), kind);
    const scope = { kind: 'yaml', path: '/elsewhere/flow.yaml', stored: { blob } } as const;
    expect(await failureOf(worker.turn({ agent: { scope, state: 'START.sh' } }))).toMatchObject({
      type: 'DiskTrouble',
    });
  });

for (const kind of KINDS)
  testUnless(NO_ROOT)(`a home that is ${kind} pauses a prompt, and is no failure of its state`, async () => {
    const fake = await fakeWith({ text: '<result>said</result>' });
    const home = join(await folder(), 'home');
    const worker = await TestWorker.with(STATES, { environment: { ...fake.env, CLAUDE_CONFIG_DIR: home } });
    await mounted(home, kind);
    const { type } = await failureOf(worker.turn({ agent: { state: 'P.md' } }));
    expect(ruleOf(type as FailureType).then).toBe('pause');
  });

test('too few descriptors are trouble of the host, not a failure of the script', async () => {
  const worker = await TestWorker.with({ 'START.sh': 'echo "<result>ok</result>"\n' });
  await worker.turn();
  const launcher = String(worker.context.launcher.pid);
  const limit = (count: string): void => void execFileSync('prlimit', ['--pid', launcher, `--nofile=${count}:`]);
  const used = execFileSync('ls', [`/proc/${launcher}/fd`], { encoding: 'utf8' })
    .trim()
    .split('\n').length;
  limit(String(used + 1));
  expect(await failureOf(worker.turn())).toMatchObject({
    type: 'HostTrouble',
    message: expect.stringMatching(/main, START\.sh: on host .*EMFILE/),
  });
  limit('1024');
  expect(await worker.turn()).toMatchObject({ outcome: { kind: 'transition' } });
});
