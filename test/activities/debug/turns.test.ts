// What whole turns leave in the debug folder, and that trouble with it changes nothing of a turn.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fakeWith } from '../../support/fakes.js';
import { until } from '../../support/until.js';
import { TestWorker, type TurnOptions } from '../test-worker.js';

const STARTED = Date.UTC(2026, 0, 15, 14, 30, 22);
const DEBUG: TurnOptions = { settings: { permissions: 'accept-edits', debug: { startedAt: STARTED } } };
const ENDS = 'echo "<result>ok</result>"\n';

const pathOf = (worker: TestWorker): string => join(worker.raymondDir, 'debug', `${worker.runId}_20260115_143022`);
const read = (worker: TestWorker, name: string): Promise<string> => readFile(join(pathOf(worker), name), 'utf8');
const filesOf = async (worker: TestWorker): Promise<readonly string[]> => {
  await worker.context.debug.flush();
  return (await readdir(pathOf(worker))).sort();
};
/** A file of a turn that is over. */
const finished = async (worker: TestWorker, name: string): Promise<string> => {
  await worker.context.debug.flush();
  return await read(worker, name);
};
const warningsOf = ({ progress }: TestWorker): readonly string[] =>
  progress.flatMap((piece) => (piece.kind === 'warned' ? [piece.text] : []));

describe('a script', () => {
  test('leaves its output, its facts and an entry, for the owner only', async () => {
    const worker = await TestWorker.with({ 'START.sh': `echo why >&2; ${ENDS}` });
    await worker.turn(DEBUG);
    const names = ['stdout.txt', 'stderr.txt', 'meta.json'].map((end) => `main_START_001.${end}`);
    expect(await filesOf(worker)).toEqual([...names.sort(), 'transitions.log']);
    expect(await finished(worker, 'main_START_001.stdout.txt')).toBe('<result>ok</result>\n');
    expect(await finished(worker, 'main_START_001.stderr.txt')).toBe('why\n');
    expect(await finished(worker, 'transitions.log')).toMatch(
      /^\d{4}-\d\d-\d\d [\d:]{8} \[main\] START\.sh -> \(result, terminated\)\n/,
    );
    expect((await stat(pathOf(worker))).mode & 0o777).toBe(0o700);
    for (const name of await filesOf(worker)) expect((await stat(join(pathOf(worker), name))).mode & 0o777).toBe(0o600);
  });

  test('shows the values of its own variables and of fork attributes, of all others the names', async () => {
    const environment = { SECRET: 'hidden', next: 'hidden', CLAUDE_CODE_OAUTH_TOKEN: 'hidden' };
    const worker = await TestWorker.with({ 'START.sh': ENDS }, { environment });
    const agent = {
      via: 'fork',
      attributes: { item: 'shown', next: 'not ours' },
      pending: { value: 'the input', returning: false },
    };
    await worker.turn({ ...DEBUG, agent });
    const meta = await finished(worker, 'main_START_001.meta.json');
    expect(JSON.parse(meta)).toEqual({
      exit_code: 0,
      execution_time_ms: expect.any(Number),
      environment: {
        values: expect.objectContaining({
          RAYMOND_WORKFLOW_ID: worker.runId,
          RAYMOND_INPUT: 'the input',
          item: 'shown',
          input: 'the input',
        }),
        names: ['CLAUDE_CODE_OAUTH_TOKEN', 'PATH', 'SECRET', 'next'],
      },
    });
    expect(meta).not.toContain('hidden');
  });

  test.each([
    ['an exit code', { script: 'exit 7', idleSeconds: 60 }, { exit_code: 7 }],
    ['a signal', { script: 'kill -KILL $$', idleSeconds: 60 }, { signal: 'SIGKILL' }],
    ['its silence', { script: 'sleep 300', idleSeconds: 0.5 }, { ended_by: 'idle' }],
  ])('that failed by %s leaves its facts, and no entry', async (_how, { script, idleSeconds }, facts) => {
    const worker = await TestWorker.with({ 'START.sh': script });
    const settings = { ...DEBUG.settings!, idleSeconds };
    await expect(worker.turn({ settings })).rejects.toThrow('START.sh');
    expect(JSON.parse(await finished(worker, 'main_START_001.meta.json'))).toMatchObject(facts);
    expect(await filesOf(worker)).not.toContain('transitions.log');
  });

  test('can be watched while it runs', async () => {
    const worker = await TestWorker.with({ 'START.sh': `echo begun; until [ -f go ]; do sleep 0.05; done; ${ENDS}` });
    const { report } = worker.play(DEBUG);
    const begun = (): Promise<boolean> =>
      read(worker, 'main_START_001.stdout.txt').then(
        (text) => text === 'begun\n',
        () => false,
      );
    await until(begun, { what: 'the output' });
    await writeFile(join(worker.cwd, 'go'), '');
    await report;
  });

  test('that is tried again keeps the files of every attempt', async () => {
    const worker = await TestWorker.with({ 'START.sh': 'echo "$RAYMOND_ATTEMPT" > seen; exit 1' });
    for (const attempt of [1, 2, 1]) await worker.turn(DEBUG, attempt).catch(() => undefined);
    const metas = (await filesOf(worker)).filter((name) => name.endsWith('meta.json'));
    expect(metas).toEqual(['main_START_001.meta.json', 'main_START_001_2.meta.json', 'main_START_001_3.meta.json']);
  });
});

describe('a prompt', () => {
  test('leaves its stream as a JSON array, with what is no JSON as text', async () => {
    const fake = await fakeWith({ text: '<result>ok</result>', raw: 'no json\n[1]\n', costUsd: 0.25 });
    const worker = await TestWorker.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
    const { session } = await worker.turn({ ...DEBUG, agent: { state: 'START.md', turn: 6 } });
    expect(await filesOf(worker)).toEqual(['main_START_007.json', 'transitions.log']);
    const events = JSON.parse(await finished(worker, 'main_START_007.json')) as Record<string, unknown>[];
    expect(events).toContainEqual({ raw: 'no json' });
    expect(events).toContainEqual([1]);
    expect(events.map((event) => event['type'])).toEqual(expect.arrayContaining(['system', 'assistant', 'result']));
    expect(await finished(worker, 'transitions.log')).toContain(
      `  session_id: ${session?.id ?? ''}\n  cost: $0.25\n  total_cost: $0.25\n`,
    );
  });

  test('that failed has its stream, and its cost is in the total', async () => {
    const fake = await fakeWith(
      { isError: true, text: 'Please run /login', assistantError: 'authentication_failed', costUsd: 0.25, times: 1 },
      { text: '<result>ok</result>', costUsd: 0.5 },
    );
    const worker = await TestWorker.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
    const turn = { ...DEBUG, agent: { state: 'START.md' } };
    await expect(worker.turn(turn)).rejects.toThrow('START.md');
    await worker.turn(turn);
    expect(await filesOf(worker)).toEqual(['main_START_001.json', 'main_START_001_2.json', 'transitions.log']);
    expect(await finished(worker, 'main_START_001.json')).toContain('/login');
    expect(await finished(worker, 'transitions.log')).toContain('  cost: $0.50\n  total_cost: $0.75\n');
  });
});

test('without debug nothing is written', async () => {
  const worker = await TestWorker.with({ 'START.sh': ENDS });
  await worker.turn();
  expect(await readdir(worker.raymondDir).catch(() => [])).not.toContain('debug');
});

test('a folder that cannot be made is one warning, and no turn fails', async () => {
  const worker = await TestWorker.with({ 'START.sh': ENDS });
  await mkdir(worker.raymondDir);
  await writeFile(join(worker.raymondDir, 'debug'), 'in the way');
  for (let turn = 0; turn < 3; turn += 1)
    expect(await worker.turn({ ...DEBUG, agent: { turn } })).toMatchObject({ outcome: { kind: 'transition' } });
  await worker.context.debug.flush();
  expect(warningsOf(worker)).toEqual([expect.stringMatching(/^the debug files in .* are incomplete: .*--no-debug/)]);
});

test('a folder that is removed during the run is made again', async () => {
  const worker = await TestWorker.with({ 'START.sh': ENDS });
  await worker.turn(DEBUG);
  await filesOf(worker);
  await rm(pathOf(worker), { recursive: true });
  await worker.turn({ ...DEBUG, agent: { turn: 1 } });
  expect(await filesOf(worker)).toContain('main_START_002.stdout.txt');
  expect(warningsOf(worker)).toEqual([]);
});
