// Programs and places that mean no good: endless output, closed pipes, deaf daemons, bytes that are no text, full disks, odd names.
// Each ends in a result or in one clear failure, with bounded memory and nothing left behind.
import { hostname } from 'node:os';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fakeWith } from '../../support/fakes.js';
import { beforeRemoval, folder } from '../../support/folder.js';
import { until } from '../../support/until.js';
import { TestWorker, failureOf } from '../test-worker.js';
import { NO_ROOT, testUnless } from '../../support/unless.js';

const ENDS = 'echo "<result>ok</result>"\n';
const payloadOf = async (worker: TestWorker, agent = {}): Promise<unknown> => {
  const { outcome } = await worker.turn({ agent });
  return outcome.kind === 'transition' && outcome.transition.kind === 'result' ? outcome.transition.payload : outcome;
};

describe('a script', () => {
  test('that closes its output and lives on is waited for, and what it said before counts', async () => {
    const worker = await TestWorker.with({
      'START.sh': `${ENDS}exec >&- 2>&-\ntouch closed\nuntil [ -f go ]; do sleep 0.05; done\ntouch done\n`,
    });
    const playing = worker.play();
    await until(async () => (await readdir(worker.cwd)).includes('closed'), { what: 'the closed output' });
    await writeFile(join(worker.cwd, 'go'), '');
    expect((await playing.report).outcome).toMatchObject({ transition: { payload: 'ok' } });
    expect(await readdir(worker.cwd)).toContain('done');
  });

  test('that is deaf to SIGTERM and has deaf daemons that hold its output is gone after a cancel', async () => {
    const deaf = `trap "" TERM; while :; do echo noise; sleep 0.05; done`;
    const worker = await TestWorker.with({
      'START.sh': `setsid sh -c '${deaf}' &\nsetsid sh -c '${deaf}' &\n${deaf}\n`,
    });
    const playing = worker.play({ agent: { id: 'deaf' } });
    await until(async () => (await worker.processesOf('deaf')).length >= 3, { what: 'the daemons' });
    playing.end('cancel');
    expect((await playing.report).outcome).toEqual({ kind: 'cancelled' });
    expect(await worker.processesOf('deaf')).toEqual([]);
  });

  test('that prints bytes which are no text is read for its tag nevertheless', async () => {
    const worker = await TestWorker.with({
      'START.sh': `printf '\\377\\376\\0<result>a\\0b\\377c</result>\\300\\0'\n`,
    });
    expect(await payloadOf(worker)).toBe('a\0b\ufffdc');
  });

  test('that is given a value with a NUL gets it as a file only, with a warning', async () => {
    const worker = await TestWorker.with({
      'START.sh': `echo "<result>\${RAYMOND_INPUT-unset} $(wc -c < "$RAYMOND_INPUT_FILE")</result>"`,
    });
    const { outcome, warnings } = await worker.turn({ agent: { pending: { value: 'a\0b', returning: false } } });
    expect(outcome).toMatchObject({ transition: { payload: 'unset 3' } });
    expect(warnings).toEqual([expect.stringContaining('contains a NUL character')]);
  });
});

describe('names with spaces, quotes, line breaks and letters of all kinds', () => {
  const NAMES = ['with spaces', `it's "quoted" $HOME \`x\``, 'two\nlines', 'ünï-日本-🦊', '-rf', '%PATH% {{input}}'];

  test.each(NAMES)('are fine for a working directory and a package: %j', async (name) => {
    const parent = await folder({
      [`${name}/START.sh`]: `echo "<result>$PWD|$RAYMOND_STATE_DIR</result>"\n`,
      [`${name}/P.md`]: 'x',
    });
    const fake = await fakeWith({ text: '<result>said</result>' });
    const worker = await TestWorker.with({}, { environment: fake.env });
    const path = join(parent, name);
    const agent = { cwd: path, scope: { kind: 'directory', path } } as const;
    expect(await payloadOf(worker, agent)).toBe(`${path}|${path}`);
    expect(await payloadOf(worker, { ...agent, state: 'P.md' })).toBe('said');
    expect((await fake.calls()).map(({ cwd }) => cwd)).toEqual([path]);
  });

  test.each(NAMES)('are fine for a state that is run by its file: %j', async (name) => {
    const worker = await TestWorker.with({ [`${name}.sh`]: `echo "<result>\${RAYMOND_STATE_FILE##*/}</result>"\n` });
    expect(await payloadOf(worker, { state: `${name}.sh` })).toBe(`${name}.sh`);
  });
});

test('a state may be a link to a file elsewhere, as a package may be one: a directory is followed as Unix users expect', async () => {
  const elsewhere = await folder({ 'common.sh': `echo "<result>$RAYMOND_STATE_DIR</result>"\n` });
  const worker = await TestWorker.with({});
  await symlink(join(elsewhere, 'common.sh'), join(worker.scope, 'START.sh'));
  expect(await payloadOf(worker)).toBe(worker.scope);
  const linked = join(await folder(), 'linked');
  await symlink(worker.scope, linked);
  expect(await payloadOf(worker, { scope: { kind: 'directory', path: linked } })).toBe(linked);
});

test.each([
  ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'it is a pipe, not a file'],
  ['a link to a device', (path: string) => symlink('/dev/zero', path), 'it is a device, not a file'],
])('a state that is %s fails its turn at once, by its name', async (_what, make, why) => {
  const worker = await TestWorker.with({});
  for (const state of ['START.sh', 'P.md']) {
    const path = join(worker.scope, state);
    await make(path);
    const failure = await failureOf(worker.turn({ agent: { state } }));
    expect(failure).toMatchObject({
      type: 'StateUnreadable',
      message: expect.stringContaining(`cannot read ${path}: ${why}`),
    });
  }
});

describe('what a model says', () => {
  test('counts as a tag inside a code fence, too: two of them are a mistake', async () => {
    const fake = await fakeWith(
      { times: 1, text: 'For example:\n```\n<result>fenced</result>\n```\n' },
      { text: 'Not `<goto>A</goto>` but\n<result>meant</result>' },
    );
    const worker = await TestWorker.with({ 'P.md': 'x', 'A.md': 'x' }, { environment: fake.env });
    expect(await payloadOf(worker, { state: 'P.md' })).toBe('fenced');
    expect(await payloadOf(worker, { state: 'P.md', turn: 1 })).toMatchObject({
      kind: 'problem',
      problem: { kind: 'several-tags' },
    });
  });

  test('is not expanded when it looks like a template', async () => {
    const fake = await fakeWith({ text: '<result>ok</result>' });
    const worker = await TestWorker.with({ 'P.md': 'Of {{input}} and {{name}}' }, { environment: fake.env });
    const pending = { value: '{{name}} {{input}}', returning: false };
    await worker.turn({ agent: { state: 'P.md', pending, attributes: { name: '{{input}}' } } });
    expect((await fake.calls())[0]?.prompt).toContain('Of {{name}} {{input}} and {{input}}');
  });
});

/** A folder on a disk of 120 KiB. */
async function tinyDisk(): Promise<string> {
  const path = await folder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120k,mode=700', 'tmpfs', path]);
  beforeRemoval(() => Promise.resolve(void execFileSync('umount', [path])));
  return path;
}

/** As test/e2e/fullDisk.test.ts shows with less: only root may mount here. */
const asRoot = testUnless(NO_ROOT);

asRoot(`a full disk fails the turn and says which folder, with nothing half-written left`, async () => {
  const artifactDir = await tinyDisk();
  const print = (bytes: number): string => `echo "<result>$(head -c ${bytes} /dev/zero | tr '\\0' x)</result>"\n`;
  const worker = await TestWorker.with(
    { 'START.sh': print(40_000), 'MORE.sh': print(41_000) },
    { settings: { artifactDir } },
  );
  expect(await payloadOf(worker)).toMatchObject({ bytes: 40_000 });
  const failure = await failureOf(worker.turn({ agent: { state: 'MORE.sh' } }));
  expect(failure.type).toBe('DiskTrouble');
  expect(failure.message).toContain(`on host ${hostname()}: ${artifactDir} cannot be written: the disk is full`);
  const names = (await readdir(artifactDir, { recursive: true })).filter((name) => basename(name).length === 64);
  const files = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(artifactDir, name)) })));
  // Both states, and what the first of them printed and gave.
  expect(files).toHaveLength(4);
  for (const { name, text } of files) expect(createHash('sha256').update(text).digest('hex')).toBe(basename(name));
  expect(files.map(({ text }) => text.length)).toContain(40_000);
  expect(await readdir(join(worker.raymondDir, 'tmp')).catch(() => [])).toEqual([]);
});

test('a store that nobody can write pauses the agent before anything is paid, and the next turn works when it can be written', async () => {
  const parent = await folder({ file: '' });
  const artifactDir = join(parent, 'file', 'artifacts');
  const fake = await fakeWith({ text: '<result>said</result>', costUsd: 0.5 });
  const worker = await TestWorker.with(
    { 'P.md': 'x', 'START.sh': ENDS },
    { environment: fake.env, settings: { artifactDir } },
  );
  const why = `${artifactDir} cannot be written: a file is in the way; fix the cause, then resume the run`;
  const failed = { type: 'DiskTrouble', retryable: false, costUsd: 0 };
  expect(await failureOf(worker.turn())).toMatchObject({ ...failed, message: `main, START.sh: ${why}` });
  const prompt = await failureOf(worker.turn({ agent: { state: 'P.md' } }));
  expect(prompt).toMatchObject({ ...failed, message: `main, P.md: ${why}` });
  expect(await fake.calls()).toEqual([]);
  await rm(join(parent, 'file'));
  expect(await payloadOf(worker)).toBe('ok');
});

test('a store that nobody can write any more pauses the agent, and what its turn has cost is reported', async () => {
  const parent = await folder();
  const artifactDir = join(parent, 'artifacts');
  const fake = await fakeWith({ text: '<result>said</result>', costUsd: 0.5 });
  const worker = await TestWorker.with({ 'P.md': 'x' }, { environment: fake.env, settings: { artifactDir } });
  const turn = { agent: { state: 'P.md' } };
  expect(await payloadOf(worker, turn.agent)).toBe('said');
  await rm(artifactDir, { recursive: true });
  await writeFile(artifactDir, '');
  const message = `main, P.md: ${artifactDir} cannot be written: a file is in the way; fix the cause, then resume the run`;
  expect(await failureOf(worker.turn(turn))).toMatchObject({ type: 'DiskTrouble', costUsd: 0.5, message });
});

test('a prompt whose spending could not be written down is not asked', async () => {
  const fake = await fakeWith({ text: '<result>said</result>' });
  const worker = await TestWorker.with({ 'P.md': 'x' }, { environment: fake.env });
  await mkdir(worker.raymondDir, { recursive: true });
  await writeFile(join(worker.raymondDir, 'journal'), '');
  const failure = await failureOf(worker.turn({ agent: { state: 'P.md' } }));
  expect(failure).toMatchObject({ type: 'NeedsPerson', costUsd: 0 });
  expect(failure.message).toContain('cannot be opened');
  expect(await fake.calls()).toEqual([]);
});

test('a script that writes more than it may is a failure that names why', async () => {
  const worker = await TestWorker.with({
    'START.sh': 'ulimit -f 4\nhead -c 100000 /dev/zero > large || exit 7\necho "<result>ok</result>"\n',
    'SELF.sh': 'ulimit -f 4\nexec head -c 100000 /dev/zero > large\n',
  });
  const failure = await failureOf(worker.turn());
  expect(failure).toMatchObject({ type: 'ScriptFailed' });
  expect(failure.message).toMatch(/^main, START.sh: the script ended with exit code 7\n.*File size limit exceeded/s);
  const itself = await failureOf(worker.turn({ agent: { state: 'SELF.sh' } }));
  expect(itself.message).toContain('killed by SIGXFSZ: a file exceeded the size limit (ulimit -f)');
});
