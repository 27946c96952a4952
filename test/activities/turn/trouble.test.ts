// Trouble of the host, in every place that a turn reads or writes: it is waited for, and never taken for a failure of a script or a state.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ruleOf, type FailureType } from '../../../src/protocol/failure.js';
import type { TurnReport } from '../../../dist/contract/turns.js';
import { CHAIN_LIMITS } from '../../../dist/protocol/machine/chain.js';
import { noCutDisk, SHUT_DOWN } from '../../support/cut-disk.js';
import { beforeRemoval, folder } from '../../support/folder.js';
import { fakeWith } from '../../support/fakes.js';
import { NO_ROOT, testUnless } from '../../support/unless.js';
import { TestWorker, failureOf, type TurnOptions } from '../test-worker.js';

const BIG = 40_000;
const STATES = {
  'START.sh': `echo "<result>$(head -c ${BIG} /dev/zero | tr '\\0' x)</result>"\n`,
  'P.md': 'Do it.\n',
  'ASK.sh': 'echo x > shown; echo \'<ask next="START" display_files="shown">Fine?</ask>\'\n',
  // The trouble begins between the two turns of its chain.
  'BEFORE.sh': '. ./trouble && echo \'<goto input="given">START</goto>\'\n',
};
const YAML = 'states:\n  START:\n    sh: echo "<result>ok</result>"\n';

// However busy this machine is, no chain ends early.
Object.assign(CHAIN_LIMITS, { ms: Infinity });

const KINDS = ['full', 'read-only', ...(noCutDisk() === undefined ? (['broken'] as const) : [])] as const;
type Kind = (typeof KINDS)[number];

/** The commands that mount a disk at `path` which is full, may only be read, or reports errors (EIO). */
function mounting(path: string, kind: Kind): string {
  const words = {
    full: `mount -t tmpfs -o size=4k,mode=700 tmpfs ${path} && echo x > ${path}/x`,
    'read-only': `mount -t tmpfs -o ro,size=4k,mode=700 tmpfs ${path}`,
    broken: `truncate -s 16M ${path}.image && mkfs.ext4 -q ${path}.image && mount -o loop ${path}.image ${path} && perl -e '${SHUT_DOWN}' ${path}`,
  };
  return `mkdir -p ${path} && ${words[kind]}`;
}

function mounted(path: string, kind: Kind): void {
  execFileSync('bash', ['-c', mounting(path, kind)]);
  beforeRemoval(() => Promise.resolve(void spawnSync('umount', ['-l', path])));
}

/** What a turn needs, which sees the trouble when it begins; a chained one sees it after the turn before. */
type TurnName = keyof typeof STATE_OF | 'a script of a YAML file' | 'a chained script';
const STATE_OF = { 'a script': 'START.sh', 'a prompt': 'P.md', 'an ask': 'ASK.sh' } as const;

async function optionsOf(turn: TurnName): Promise<TurnOptions> {
  const pending = { value: 'given', returning: false };
  switch (turn) {
    case 'a script of a YAML file':
      return {
        agent: { pending, scope: { kind: 'yaml', path: join(await folder({ 'flow.yaml': YAML }), 'flow.yaml') } },
      };
    case 'a chained script':
      return { agent: { state: 'BEFORE.sh', turn: 1 }, chain: { stack: [] } };
    default:
      return { agent: { pending, state: STATE_OF[turn] } };
  }
}

/** The failure of a turn, also of the last one of a chain; what it came to when it has none. */
async function endOf(turn: Promise<TurnReport>): Promise<{ readonly type: string; readonly message: string }> {
  const end = await turn.then(
    (report) => report.chain?.at(-1)?.end ?? ({ kind: 'report', report } as const),
    async () => await failureOf(turn),
  );
  if ('type' in end) return end;
  if (end.kind === 'failure') return { type: end.details.type, message: end.message };
  return { type: end.report.outcome.kind, message: '' };
}

const DEBUGGED = { permissions: 'accept-edits', debug: { startedAt: 0 } } as const;

const ALL: readonly TurnName[] = ['a script', 'a chained script', 'a prompt', 'an ask'];

/** Which turns need which folders of `.raymond`; no turn needs the last two. */
const PLACES: readonly (readonly [place: string, turns: readonly TurnName[], needed?: false])[] = [
  ['artifacts', ALL],
  ['tasks', [...ALL, 'a script of a YAML file']],
  ['tmp', ALL],
  ['journal', ['a prompt']],
  ['unpacked', ['a script of a YAML file']],
  ['chains', ['a chained script'], false],
  ['debug', ALL, false],
];
const CASES = PLACES.flatMap(([place, turns, needed = true]) =>
  // A folder still finds its place on a full disk: nothing of the turn itself is written into it.
  turns.flatMap((turn) =>
    KINDS.filter((kind) => kind !== 'full' || place !== 'tasks').map((kind) => ({ turn, kind, place, needed })),
  ),
);

testUnless(NO_ROOT)(
  'a full, read-only or broken disk is trouble of the disk, whatever the turn is',
  async () => {
    const fake = await fakeWith({ text: '<result>said</result>' });
    const worker = await TestWorker.with(STATES, { environment: fake.env, settings: { chains: 'file' } });
    const seen: string[] = [];
    for (const [index, { turn, kind, place }] of CASES.entries()) {
      const path = join(worker.raymondDir, place);
      if (turn === 'a chained script') await writeFile(join(worker.cwd, 'trouble'), mounting(path, kind));
      else mounted(path, kind);
      const { agent, ...options } = await optionsOf(turn);
      const played = { ...options, agent: { ...agent, id: `a${index}` }, settings: DEBUGGED };
      const { type, message } = await endOf(worker.turn(played));
      spawnSync('umount', ['-l', path]);
      seen.push(`${turn}, ${place} ${kind}: ${type}${message === '' || message.includes(path) ? '' : `: ${message}`}`);
    }
    const expected = CASES.map(
      ({ turn, kind, place, needed }) => `${turn}, ${place} ${kind}: ${needed ? 'DiskTrouble' : 'transition'}`,
    );
    expect(seen).toEqual(expected);
  },
  120_000,
);

for (const kind of KINDS)
  testUnless(NO_ROOT)(`a folder to work in that is ${kind} is for the script alone`, async () => {
    const worker = await TestWorker.with({ 'START.sh': 'echo "<result>ok</result>"\n' });
    const cwd = join(worker.cwd, 'there');
    mounted(cwd, kind);
    expect(await worker.turn({ agent: { cwd } })).toMatchObject({ outcome: { kind: 'transition' } });
  });

for (const kind of KINDS)
  testUnless(NO_ROOT)(`a ${kind} disk that takes no package from another host is trouble of the disk`, async () => {
    const worker = await TestWorker.with({});
    const { artifacts } = worker.context;
    const sent = (await artifacts.put(Buffer.from(YAML))) as unknown;
    const blob = typeof sent === 'string' ? sent : (sent as { readonly sha256: string }).sha256;
    mounted(join(worker.raymondDir, 'unpacked'), kind);
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
    mounted(home, kind);
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
