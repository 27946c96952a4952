// What an attempt has reported stays on disk until the server surely has the report, also when the process that would see to it is killed.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { agentKey } from '../../../dist/activities/attempt/attempt-names.js';
import { removeArrived } from '../../../dist/activities/spending/spending.js';
import { fakeWith } from '../../support/fakes.js';
import { TestWorker } from '../test-worker.js';

test('a reported journal names its activity, and goes when that has arrived', async () => {
  const fake = await fakeWith({ text: '<result>ok</result>' });
  const worker = await TestWorker.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
  await worker.turn({ agent: { state: 'START.md' } });
  const asked: unknown[] = [];
  for (const left of [1, 0]) {
    await removeArrived(worker.raymondDir, (reporter) => Promise.resolve(asked.push(reporter) > 1));
    expect(await readdir(join(worker.raymondDir, 'journal'))).toHaveLength(left);
  }
  const activity = {
    workflowId: `${worker.runId}/main`,
    workflowRunId: expect.any(String),
    activityId: expect.any(String),
  };
  expect(asked).toEqual([activity, activity]);
});

test('what an agent has spent here before it went elsewhere and came back is left to be reported by the host', async () => {
  const fake = await fakeWith({ text: '<result>ok</result>', costUsd: 0.25 });
  const worker = await TestWorker.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
  const path = join(worker.raymondDir, 'workspace');
  const place = { host: 'h1', queue: 'q@h1', generation: 3 };
  const files = {
    [join(path, '.git', 'raymond.json')]: JSON.stringify({ generation: 3 }),
    ...left(worker, { attempt: 'before-1', generation: 1, ending: '.jsonl' }),
    ...left(worker, { attempt: 'told-1', generation: 1, ending: '.reported' }),
    ...left(worker, { attempt: 'now-1', generation: 3, ending: '.jsonl' }),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const agent = { state: 'START.md', workspace: { owner: 'main', path, place } };
  // Its own, and that of the turn before at the same place.
  expect((await worker.turn({ agent })).costUsd).toBe(0.75);
  const names = await readdir(join(worker.raymondDir, 'journal'));
  expect(names.filter((name) => /-(before|told)-1\.(jsonl|reported)$/.test(name))).toHaveLength(2);
});

/** A journal that says 0.5 USD, and whose it is. */
function left(
  { runId, raymondDir }: TestWorker,
  { attempt, generation, ending }: { attempt: string; generation: number; ending: string },
): Readonly<Record<string, string>> {
  const name = `${agentKey(runId, 'main')}-${attempt}`;
  const activity = { workflowId: `${runId}/main`, workflowRunId: 'w', activityId: '1' };
  const claim = { runId, agentId: 'main', turn: 1, workspace: 'main', generation, host: 'h1', activity };
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'x',
    num_turns: 1,
    total_cost_usd: 0.5,
  };
  return {
    [join(raymondDir, 'journal', `${name}${ending}`)]: `${JSON.stringify(result)}\n`,
    [join(raymondDir, 'journal', 'owners', `${name}.json`)]: JSON.stringify(claim),
  };
}
