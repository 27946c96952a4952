// Watching a run from outside: nothing is told twice, and the watching ends when it is told to, whatever the agents wait for.
import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../../../dist/activities/types.js';
import { RunWatch } from '../../../dist/client/look/watch.js';
import type { RunView } from '../../../dist/client/look/runs.js';
import { Stage } from '../../support/stage.js';
import { until } from '../../support/until.js';

const stage = new Stage();

const seenAs = (status: RunView['agents'][number]['status']): Pick<RunView, 'agents'> => ({
  agents: [{ id: 'main', status, state: 'START.sh', costUsd: 0 }],
});

test('an agent that has closed before its run says so is told once, however often it is looked at', async () => {
  const { runId } = await stage.run({
    'START.sh': 'echo "<goto>END</goto>"\n',
    'END.sh': 'echo "<result>x</result>"\n',
  });
  const told: Progress[] = [];
  const watch = new RunWatch(stage.link.client, { runId, from: 'start', onProgress: (news) => told.push(news) });
  for (const status of ['running', 'completed', 'running', 'completed'] as const) {
    watch.update(seenAs(status));
    await watch.settle();
  }
  await watch.close();
  expect(told.map(({ state }) => state)).toEqual(['START.sh', 'END.sh']);
});

test('it closes at once while an agent waits for a person', async () => {
  const { runId, ended } = await stage.start({
    'START.sh': `echo '<ask next="END">Which?</ask>'\n`,
    'END.sh': 'echo "<result>x</result>"\n',
  });
  const told: Progress[] = [];
  const watch = new RunWatch(stage.link.client, { runId, from: 'start', onProgress: (news) => told.push(news) });
  await until(
    () => {
      watch.update(seenAs('running'));
      return told.length > 0;
    },
    { what: 'the first turn' },
  );
  // It waits for no history that stays open.
  await watch.close();
  await stage.link.client.workflow.getHandle(runId).cancel();
  expect((await ended).status).toBe('cancelled');
});

test('a turn that a chain has recorded is sent while the chain continues, and once', async () => {
  const { runId, ended, cwd } = await stage.start({
    'START.sh': 'echo "<goto>QUICK</goto>"\n',
    'QUICK.sh': 'echo "<goto>LONG</goto>"\n',
    'LONG.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
  });
  const told: Progress[] = [];
  const news = { runId, from: 'start', chains: true, onProgress: (one: Progress) => told.push(one) } as const;
  const watch = new RunWatch(stage.link.client, news);
  const ends = (): readonly string[] => told.filter(({ kind }) => kind === 'ended').map(({ state }) => state);
  await until(
    () => {
      watch.update(seenAs('running'));
      return ends().length === 2;
    },
    { what: 'the turn within the chain' },
  );
  await writeFile(join(cwd, 'go'), '');
  await ended;
  watch.update(seenAs('completed'));
  await watch.settle();
  await watch.close();
  expect(ends()).toEqual(['START.sh', 'QUICK.sh', 'LONG.sh']);
});
