// A `start` that freezes while its turn ends: the server gives the turn to another attempt, and only that one is shown as done.
import { afterEach, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { ResultPromise } from 'execa';
import { serverStatus } from '../../dist/server/index.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

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

/** The attempt of the agent's turn that the server waits for. */
async function attemptOf(place: Place, workflowId: string): Promise<number | undefined> {
  const status = await serverStatus({ raymondDir: `${place.cwd}/.raymond` });
  if (status.kind !== 'running') throw new Error('no server');
  const connection = await Connection.connect({ address: status.server.address });
  try {
    const execution = { workflowId };
    const request = { namespace: 'default', execution };
    const { pendingActivities } = await connection.workflowService.describeWorkflowExecution(request);
    return pendingActivities[0]?.attempt ?? undefined;
  } finally {
    await connection.close();
  }
}

test('a turn that ended while its process was frozen is shown as done once: as the attempt that was recorded', async () => {
  const place = await Place.at(FLOW);
  running = place.begin(['start', 'flow', '--id', 'r']);
  await place.made('begun');
  running.kill('SIGSTOP');
  await place.write('go');
  await place.made('over');
  const next = async (): Promise<boolean> => (await attemptOf(place, 'r/main')) === 2;
  await until(next, { what: 'the next attempt', timeoutMs: 60_000 });
  running.kill('SIGCONT');
  const { exitCode, stdout, stderr } = (await running) as { exitCode: number; stdout: string; stderr: string };
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'second' });
  expect(stderr).not.toContain('result "first"');
  expect(stderr.split('WORK.sh → result "second"')).toHaveLength(2);
}, 180_000);
