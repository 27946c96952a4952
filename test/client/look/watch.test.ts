// Watching a run from outside: nothing is reported twice, and the watching ends on request, whatever the agents wait for.
import { expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '../../../dist/contract/turns.js';
import { RunWatch } from '../../../dist/client/look/watch.js';
import type { RunView } from '../../../dist/client/look/runs.js';
import { recordedTurns } from '../../../dist/history/recorded-run.js';
import type { RecordedTurn } from '../../../dist/history/turns.js';
import { Stage } from '../../support/stage.js';
import { until } from '../../support/until.js';
import { artifactsOf } from '../../workflows/waiting.js';

const stage = new Stage();

const seenAs = (status: RunView['agents'][number]['status']): Pick<RunView, 'agents'> => ({
  agents: [{ id: 'main', status, state: 'START.sh', costUsd: 0 }],
});

test('an agent that has closed before its run says so is reported once, however often it is looked at', async () => {
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

test('a turn that a chain has saved is sent, and is in the record, while the chain continues, and once', async () => {
  const { runId, ended, cwd } = await stage.start({
    'START.sh': 'echo "<goto>QUICK</goto>"\n',
    'QUICK.sh': 'echo "<goto>LONG</goto>"\n',
    'LONG.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
  });
  const told: Progress[] = [];
  const turns: RecordedTurn[] = [];
  const watch = new RunWatch(stage.link.client, {
    runId,
    from: 'start',
    onProgress: (one) => told.push(one),
    onTurn: (turn) => turns.push(turn),
  });
  const sources = { client: stage.link.client, artifacts: artifactsOf(stage) };
  const recorded = async (): Promise<readonly RecordedTurn[]> =>
    await recordedTurns(sources, { runId, agentId: 'main' });
  const ends = (): readonly string[] => told.filter(({ kind }) => kind === 'ended').map(({ state }) => state);
  await until(
    () => {
      watch.update(seenAs('running'));
      return ends().length === 2;
    },
    { what: 'the turn within the chain' },
  );
  const early = await recorded();
  expect(early.map(({ state }) => state)).toEqual(['START.sh', 'QUICK.sh']);
  await writeFile(join(cwd, 'go'), '');
  await ended;
  watch.update(seenAs('completed'));
  await watch.settle();
  await watch.close();
  expect(ends()).toEqual(['START.sh', 'QUICK.sh', 'LONG.sh']);
  expect(turns.map(({ state }) => state)).toEqual(['START.sh', 'QUICK.sh', 'LONG.sh']);
  // The history has them as they were shown: whoever reads on from there gets none twice.
  expect((await recorded()).slice(0, 2)).toEqual(early);
});
