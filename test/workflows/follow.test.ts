// Following a run: repeated looks must not pile anything up, and an order may show late.
import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { followRun } from '../../dist/client/look/follow.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const stage = new Stage();

test('many looks at a run listen once for its interruption', async () => {
  const staged = await stage.start({ 'START.sh': 'until [ -f go ]; do sleep 0.05; done\n' });
  const stop = new AbortController();
  let looks = 0;
  const following = followRun(stage.link.client, staged.runId, {
    signal: stop.signal,
    onView: () => {
      looks += 1;
      if (looks === 3) stop.abort();
      else expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    },
  });
  expect(await following).toBeUndefined();
  expect(looks).toBe(3);
  await stage.link.client.workflow.getHandle(staged.runId).cancel();
  expect((await staged.ended).status).toBe('cancelled');
});

test('a pause that an order has just ended is outdated while the run still shows it', async () => {
  const { client } = stage.link;
  const { runId } = await stage.start({ 'START.sh': 'sleep 0.2; echo "<goto>START</goto>"\n' });
  const handle = client.workflow.getHandle(runId);
  const view = (): Promise<RunView> => viewRun(client, runId);
  await handle.signal('pause', { by: 'a test' });
  await until(async () => (await view()).status === 'paused', { what: 'the pause' });
  const [continued] = (await view()).agents;
  expect(continued).toBeDefined();
  const stop = new AbortController();
  let looks = 0;
  const onView = (): void => void ((looks += 1) === 3 && stop.abort());
  expect(await followRun(client, runId, { continued: continued!, signal: stop.signal, onView })).toBeUndefined();
  const other = { ...continued!, state: 'OTHER.sh' };
  expect((await followRun(client, runId, { continued: other }))?.status).toBe('paused');
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
});
