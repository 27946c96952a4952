// A turn that outlives the attempt which reports for it (ADR 0011).
import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runOrContinue, type RunningTurn } from '../../../dist/activities/attempt/running-turn.js';
import { byNode } from '../../support/by-node.js';
import { until } from '../../support/until.js';
import { TestWorker } from '../test-worker.js';

const { MockActivityEnvironment } = await byNode('@temporalio/testing');

test('the next attempt continues the turn, says so at once, and gets its report', async () => {
  const script = 'echo x >> begun; until [ -f go ]; do sleep 0.05; done; echo "<result>once</result>"\n';
  const worker = await TestWorker.with({ 'START.sh': script });
  const first = worker.play();
  const given = first.report.catch((error: unknown) => error);
  await until(() => existsSync(join(worker.cwd, 'begun')), { what: 'the script' });
  const next = worker.play({}, 2);
  await until(() => next.heartbeats.length > 0, { what: 'a heartbeat' });
  expect(next.heartbeats[0]).toMatchObject({ turn: 1, phase: 'running', continuedBy: 2 });
  expect(first.heartbeats.filter(({ continuedBy }) => continuedBy !== undefined)).toEqual([]);
  await writeFile(join(worker.cwd, 'go'), '');
  expect(await next.report).toMatchObject({ outcome: { kind: 'transition' } });
  expect(await given).toMatchObject({ name: 'CompleteAsyncError' });
});

test('a heartbeat for the next attempt says what is true by then', async () => {
  const worker = { settings: {}, running: new Map<string, RunningTurn>() };
  const done = { outcome: { kind: 'cancelled' }, costUsd: 0, durationMs: 0 } as const;
  const sent: unknown[] = [];
  let turn = 1;
  const play = (attempt: number): Promise<unknown> => {
    const environment = new MockActivityEnvironment({ attempt });
    environment.on('heartbeat', (beat: unknown) => sent.push(beat));
    return environment.run(() =>
      runOrContinue(worker, async (context) => {
        context.heartbeat(() => ({ turn }));
        await until(() => turn === 3, { what: 'the end' });
        return done;
      }),
    );
  };
  const first = play(1).catch((error: unknown) => error);
  turn = 2;
  const next = play(2);
  expect(sent).toEqual([{ turn: 1 }, { turn: 2, continuedBy: 2 }]);
  turn = 3;
  expect(await next).toEqual(done);
  expect(await first).toMatchObject({ name: 'CompleteAsyncError' });
});
