// Two versions of workers on one queue of a fleet: which of them executes a run, and how a run moves from one to the other.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import { connect, type Raymond } from '../../dist/index.js';
import { eventsOf } from '../../dist/history/events.js';
import { Fleet } from '../support/fleet.js';

let fleet: Fleet;
let raymond: Raymond;
beforeAll(async () => {
  fleet = await Fleet.open({
    'goes/START.sh': 'echo "<goto input=\\"first\\">SLOW</goto>"\n',
    'goes/SLOW.sh':
      'touch "$RAYMOND_WORKFLOW_ID-slow"; until [ -f go ]; do sleep 0.05; done; echo "<call return=\\"BACK\\">ASK</call>"\n',
    'goes/ASK.sh': 'echo "<ask next=\\"ANSWERED\\">Which?</ask>"\n',
    'goes/ANSWERED.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'goes/BACK.sh': 'echo "<result>back with $RAYMOND_RESULT</result>"\n',
    'asks/START.sh': 'echo "<ask next=\\"END\\">Which?</ask>"\n',
    'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    'quick/START.sh': 'echo "<result>done</result>"\n',
  });
  raymond = await connect({ projectDir: fleet.desk.cwd, address: fleet.address });
}, 60_000);
afterAll(async () => {
  await raymond.close();
  await fleet.close();
});

const version = (buildId: string): readonly string[] => ['--deployment', 'raymond', '--build-id', buildId];

async function rollOut(buildId: string, ...more: readonly string[]): Promise<unknown> {
  const { stdout, stderr, exitCode } = await fleet.call(['rollout', ...version(buildId), '--json', ...more]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return DOCUMENTS.rollout.parse(JSON.parse(stdout));
}

/** The versions that did the workflow tasks of an agent, each once, in their order. */
async function versionsOf(client: Client, workflowId: string): Promise<readonly string[]> {
  const done = new Set<string>();
  for await (const { workflowTaskCompletedEventAttributes: task } of eventsOf(client, { workflowId }))
    if (task) done.add(task.deploymentVersion?.buildId ?? 'none');
  return [...done];
}

test('a run of workers without a version goes over to the first one that is rolled out', async () => {
  await fleet.work();
  await fleet.start('asks', 'old');
  await fleet.shows('old', /: asking/);
  await fleet.work(...version('one'));
  expect(await rollOut('one')).toEqual({ deployment: 'raymond', buildId: 'one' });
  await fleet.call(['answer', 'old', 'red']);
  await fleet.shows('old', /: completed/);
  expect(await versionsOf(raymond.link.client, 'old/main')).toEqual(['none', 'one']);
}, 60_000);

test('a run that was begun on one version continues with its history on the next, which gets new runs, too', async () => {
  const { client } = raymond.link;
  await fleet.start('goes', 'goes');
  await fleet.workshop.made('goes-slow');
  await fleet.work(...version('two'));
  expect(await rollOut('two')).toEqual({ deployment: 'raymond', buildId: 'two', before: 'one' });
  // The turn that was in progress ends on the worker that has it.
  await fleet.workshop.write('go');
  await fleet.shows('goes', /: asking/);
  expect(await versionsOf(client, 'goes/main')).toEqual(['one', 'two']);
  await fleet.call(['answer', 'goes', 'blue']);
  await fleet.shows('goes', /: completed/);
  expect((await fleet.call(['result', 'goes'])).stdout).toBe('back with blue');
  const turns = await fleet.call(['history', 'goes', '--json']);
  const { turns: recorded } = DOCUMENTS.history.parse(JSON.parse(turns.stdout));
  expect(recorded.map(({ state, attempts }) => [state, attempts])).toEqual(
    ['START.sh', 'SLOW.sh', 'ASK.sh', 'ANSWERED.sh', 'BACK.sh'].map((state) => [state, 1]),
  );
  expect(await versionsOf(client, 'goes')).toEqual(['one', 'two']);
  await fleet.start('quick', 'new');
  await fleet.shows('new', /: completed/);
  expect(await versionsOf(client, 'new/main')).toEqual(['two']);
}, 60_000);

test('and back, when the new version was none', async () => {
  expect(await rollOut('one')).toEqual({ deployment: 'raymond', buildId: 'one', before: 'two' });
  await fleet.start('quick', 'again');
  await fleet.shows('again', /: completed/);
  expect(await versionsOf(raymond.link.client, 'again/main')).toEqual(['one']);
});
