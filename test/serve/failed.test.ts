// Failed agents over HTTP: a run that completed in spite of them is found and counted, and a turn that was run again keeps its failed try.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import type { Statistics } from '../../src/serve/types.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

let place: Place;
let api: Api;
beforeAll(async () => {
  place = await Place.at({
    'mixed/START.sh': 'echo "<fork next=\'WAIT\'>BAD</fork>"\n',
    'mixed/WAIT.sh': 'echo "<await next=\'END\'/>"\n',
    'mixed/BAD.sh': 'exit 3\n',
    'mixed/END.sh': 'echo "<result>all the same</result>"\n',
    'retried/START.sh': 'if [ ! -f repaired ]; then echo broken >&2; exit 3; fi\necho "<result>repaired</result>"\n',
  });
  api = await Api.open(place.cwd);
});
afterAll(() => api.close());

const reaches = async (runId: string, status: string): Promise<unknown> =>
  await until(async () => (await api.get('run', `/runs/${runId}`)).status === status);

test('a run that completed although an agent failed is found as such, and counted', async () => {
  await api.post('/runs', { workflow: 'mixed', id: 'mixed' });
  // Temporal lists the end of a run a little later than it describes it.
  await until(async () => {
    const { body } = await api.call('GET', '/workflows/mixed/statistics');
    return (body as Statistics).completed === 1;
  });
  const found = await api.get('runs', '/runs?status=completed-with-failures');
  expect(found.runs).toMatchObject([{ runId: 'mixed', status: 'completed', failed: 1 }]);
  expect(await api.found('status=failed&q=mixed')).toEqual([]);
  expect(await api.call('GET', '/workflows/mixed/statistics')).toMatchObject({
    body: { completed: 1, withFailures: 1, costUsd: 0 },
  });
  expect(await api.call('GET', '/spending?since=2020-01-01T00:00:00Z')).toMatchObject({
    body: { byWorkflow: [{ workflow: 'mixed', runs: 1, costUsd: 0 }] },
  });
});

test('a turn that was run again keeps its failed try', async () => {
  await api.post('/runs', { workflow: 'retried', id: 'retried' });
  await reaches('retried', 'failed');
  await place.write('repaired');
  expect(await api.post('/runs/retried/retry')).toMatchObject({ body: { agents: ['main'] } });
  await reaches('retried', 'completed');
  const kindOf = async (turn: string): Promise<string> =>
    (await api.get('turnDetail', `/runs/retried/agents/main/turns/${turn}`)).end.kind;
  expect([await kindOf('1'), await kindOf('1.1'), await kindOf('1.2')]).toEqual(['transition', 'failed', 'transition']);
  const none = await api.call('GET', '/runs/retried/agents/main/turns/1.3');
  expect(none).toMatchObject({ status: 404, body: { type: '/problems/NoSuchTurn' } });
});
