// A `start` or an engine that freezes, alone or with all of its processes as on a laptop that sleeps: the server gives its turn to the next attempt, and the
// turn continues under that one. It is done once, and shown as done once.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { ResultPromise } from 'execa';
import { serverStatus } from '../../dist/server/index.js';
import { Place, processesWith } from '../support/cli.js';
import { defined } from '../../src/protocol/text.js';
import { testUnless } from '../support/unless.js';
import { until } from '../support/until.js';
import { BACKGROUND, begun, engineOf } from './engine-place.js';

/** A library that moves the clock of the day for processes that are loaded with it. */
const [CLOCK = ''] = (existsSync('/usr/lib') ? readdirSync('/usr/lib') : [])
  .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
  .filter((path) => existsSync(path));
const NO_CLOCK = CLOCK === '' ? 'faketime is not installed' : undefined;

let running: ResultPromise | undefined;
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

const FLOW = {
  'flow/START.sh': 'echo "<goto>WORK</goto>"\n',
  'flow/WORK.sh': [
    'echo x >> begun; [ "$(wc -l < begun)" = 1 ] || { echo "<result>second</result>"; exit; }',
    'until [ -f go ]; do sleep 0.05; done; echo "<result>first</result>"; touch over',
    '',
  ].join('\n'),
};

/** The turn that the server waits for: its attempt, and when its worker reported last. */
async function turnOf(place: Place): Promise<{ readonly attempt?: number; readonly beat: string }> {
  const status = await serverStatus({ raymondDir: `${place.cwd}/.raymond` });
  if (status.kind !== 'running') throw new Error('no server');
  const connection = await Connection.connect({ address: status.server.address });
  try {
    const execution = { workflowId: 'r/main' };
    const request = { namespace: 'default', execution };
    const { pendingActivities } = await connection.workflowService.describeWorkflowExecution(request);
    const { attempt, lastHeartbeatTime } = pendingActivities[0] ?? {};
    return { ...defined({ attempt: attempt ?? undefined }), beat: String(lastHeartbeatTime?.seconds) };
  } finally {
    await connection.close();
  }
}

const givenOn = async (place: Place): Promise<void> => {
  const next = async (): Promise<boolean> => (await turnOf(place)).attempt === 2;
  await until(next, { what: 'the next attempt', timeoutMs: 60_000 });
};

/** The launchers of a process; not the server, which is its child, too. */
async function launchersOf(pid: number): Promise<readonly number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
  const commands = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8')));
  return children.filter((_child, index) => commands[index]?.includes('launcher') === true);
}

/** A `sleep` of the script may have ended since it was found. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function expectDoneOnce(place: Place, process: ResultPromise): Promise<void> {
  const { exitCode, stdout, stderr } = (await process) as { exitCode: number; stdout: string; stderr: string };
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'first' });
  expect(stderr.split('WORK.sh → result "first"')).toHaveLength(2);
  expect(await place.read('begun')).toBe('x\n');
}

test('a turn that ended while its process was frozen is not done again', async () => {
  const place = await Place.at(FLOW);
  running = place.begin(['start', 'flow', '--id', 'r']);
  await place.made('begun');
  running.kill('SIGSTOP');
  await place.write('go');
  await place.made('over');
  await givenOn(place);
  running.kill('SIGCONT');
  await expectDoneOnce(place, running);
}, 180_000);

test('a turn that was asleep with its worker continues when both wake up', async () => {
  const place = await Place.at(FLOW);
  // Shorter than the sleep, which does not count.
  running = place.begin(['start', 'flow', '--id', 'r', '--timeout', '12']);
  await place.made('begun');
  const { pid = 0 } = running;
  const all = [pid, ...(await launchersOf(pid)), ...(await processesWith('RAYMOND_WORKFLOW_ID=r'))];
  signalAll(all, 'SIGSTOP');
  await givenOn(place);
  signalAll(all, 'SIGCONT');
  const status = async (): Promise<string> => (await place.raymond(['status', 'r'])).stdout;
  await until(async () => (await status()).includes('continued by attempt 2'), { what: 'a continued turn' });
  expect(await status()).not.toContain('starts again');
  await place.write('go');
  await expectDoneOnce(place, running);
}, 180_000);

testUnless(NO_CLOCK)(
  'a turn whose host was suspended continues: only the clock of the day went on',
  async () => {
    const place = await Place.at({ ...FLOW, clock: '+0' });
    const clock = { FAKETIME_TIMESTAMP_FILE: join(place.cwd, 'clock'), FAKETIME_NO_CACHE: '1' };
    const env = { LD_PRELOAD: CLOCK, FAKETIME_DONT_FAKE_MONOTONIC: '1', ...clock };
    // Shorter than the sleep, which does not count.
    running = place.begin(['start', 'flow', '--id', 'r', '--timeout', '120', '--max-time', '120'], { env });
    await place.made('begun');
    await place.write('clock', '+600');
    // This process and the script: the launcher does not get their environment.
    const moved = await processesWith(`FAKETIME_TIMESTAMP_FILE=${clock.FAKETIME_TIMESTAMP_FILE}\0`);
    expect(moved.length).toBeGreaterThanOrEqual(2);
    for (let { beat } = await turnOf(place), beats = 0; beats < 2; beats += 1) {
      await until(async () => (await turnOf(place)).beat !== beat, { what: 'a heartbeat' });
      ({ beat } = await turnOf(place));
    }
    expect((await turnOf(place)).attempt).toBe(1);
    await place.write('go');
    await expectDoneOnce(place, running);
  },
  180_000,
);

test('an engine that was frozen beyond every limit repeats the turn that its launcher has ended, and continues', async () => {
  const place = await Place.at(FLOW, BACKGROUND);
  const { call, said } = begun(place, 'start', 'flow', '--id', 'r');
  await place.made('begun');
  const { pid } = await engineOf(place);
  process.kill(pid, 'SIGSTOP');
  await givenOn(place);
  await until(async () => (await processesWith('RAYMOND_WORKFLOW_ID=r')).length === 0, { what: 'the end of the turn' });
  process.kill(pid, 'SIGCONT');
  expect(await call).toMatchObject({ exitCode: 0, stdout: 'second' });
  expect(await place.read('begun')).toBe('x\nx\n');
  expect(said().split(`continue it with: kill -CONT ${pid}`)).toHaveLength(2);
  expect((await engineOf(place)).pid).toBe(pid);
}, 180_000);
