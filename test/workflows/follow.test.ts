// Following a run for long: repeated looks must not pile anything up.
import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { followRun } from '../../dist/client/look/follow.js';
import { Stage } from '../support/stage.js';

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
