// The operations that the package exports, on the embedded server: what a program starts and steers is served in the background.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as raymond from '../../dist/index.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

let place: Place;
let project: raymond.Raymond;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': 'echo "<goto>NEXT</goto>"\n',
    'flow/NEXT.sh': 'echo "<result>got $RAYMOND_INPUT</result>"\n',
    'asks/START.sh': 'echo "<ask next=\\"END\\">Which?</ask>"\n',
    'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'fails/START.sh': '[ -f good ] && echo "<result>good</result>" || exit 1\n',
    'waits/START.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<goto>END</goto>"\n',
    'waits/END.sh': 'echo "<result>end</result>"\n',
  });
  const env = { ...process.env, TEMPORAL_ADDRESS: undefined };
  project = await raymond.connect({ projectDir: place.cwd, env });
});
afterAll(() => project.close());

const ended = (runId: string): Promise<raymond.RunView | undefined> => raymond.followRun(project, { runId });

test('a run is started, followed to its end, and read', async () => {
  const { runId } = await raymond.startRun(project, { workflow: 'flow', input: 'x', runId: 'flow-1' });
  expect(await ended(runId)).toMatchObject({ status: 'completed' });
  expect(await raymond.result(project, { runId: 'flow' })).toBe('got');
  const turns = await raymond.turns(project, { runId, agentId: 'main' });
  expect(turns.map(({ state }) => state)).toEqual(['START.sh', 'NEXT.sh']);
  expect(await raymond.listRuns(project, { statuses: ['completed'] })).toMatchObject([{ runId, workflow: 'flow' }]);
  expect(raymond.DOCUMENTS.result.safeParse(await raymond.describeRun(project, { runId })).error).toBeUndefined();
});

test('a run is forked from a recorded turn', async () => {
  const { runId } = await raymond.forkRun(project, { runId: 'flow-1', turn: 2, how: 'again', input: 'y' });
  expect(await ended(runId)).toMatchObject({ status: 'completed', result: 'got y' });
});

test('one that failed continues when it is resumed', async () => {
  const { runId } = await raymond.startRun(project, { workflow: 'fails' });
  expect(await ended(runId)).toMatchObject({ status: 'failed' });
  await place.write('good');
  await raymond.resumeRun(project, { runId });
  expect(await ended(runId)).toMatchObject({ status: 'completed', result: 'good' });
});

test('one that is not served is served when it is answered', async () => {
  await place.raymond(['start', 'asks', '--id', 'asks-1', '--on-ask', 'exit']);
  expect(await raymond.answer(project, { runId: 'asks-1', text: 'blue' })).toBe('ask_main_1');
  expect(await ended('asks-1')).toMatchObject({ status: 'completed', result: 'blue' });
});

test('one that is not served is paused, given more, and cancelled', async () => {
  await place.raymond(['start', 'asks', '--id', 'asks-2', '--on-ask', 'exit']);
  await raymond.pauseRun(project, { runId: 'asks-2', by: 'me' });
  await raymond.changeBudget(project, { runId: 'asks-2', budgetUsd: 3 });
  await raymond.cancelRun(project, { runId: 'asks-2' });
  expect(await ended('asks-2')).toMatchObject({ status: 'cancelled', budgetUsd: 3 });
});

test('one that is served is paused at the end of a turn, and continues', async () => {
  const { runId } = await raymond.startRun(project, { workflow: 'waits' });
  await raymond.pauseRun(project, { runId });
  await until(async () => (await raymond.findRun(project, { runId })).pausedBy !== undefined, { what: 'the pause' });
  await place.write('go');
  expect(await ended(runId)).toMatchObject({ status: 'paused' });
  await raymond.resumeRun(project, { runId });
  await until(async () => (await raymond.findRun(project, { runId })).status === 'completed', { what: 'the end' });
});

describe('what cannot be is an error with a code', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['RunNotFound', () => raymond.findRun(project, { runId: 'nobody' })],
    ['RunExists', () => raymond.startRun(project, { workflow: 'flow', runId: 'flow-1' })],
    ['InvalidWorkflow', () => raymond.startRun(project, { workflow: 'nowhere' })],
    ['InvalidUsage', () => raymond.startRun(project, { workflow: 'flow', model: 'what is this' })],
    ['NotResumable', () => raymond.resumeRun(project, { runId: 'flow-1' })],
    ['RunClosed', () => raymond.pauseRun(project, { runId: 'flow-1' })],
    ['NoSuchAgent', () => raymond.turns(project, { runId: 'flow-1', agentId: 'nobody' })],
    ['NoSuchTurn', () => raymond.forkRun(project, { runId: 'flow-1', turn: 9, how: 'again' })],
  ])('%s', async (code, act) => {
    await expect(act()).rejects.toMatchObject({ name: 'ClientError', code });
  });
});

test('the package is found by its name', async () => {
  const found = await import('raymond');
  expect(found.connect).toBe(raymond.connect);
});
