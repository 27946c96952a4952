// A turn that outlives the attempt which reports for it (ADR 0011).
import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '../../support/until.js';
import { TestWorker } from '../test-worker.js';

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
