// What an attempt has reported stays on disk until the server surely has the report, also when the process that would see to it is killed.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { removeArrived } from '../../dist/activities/spending.js';
import { fakeWith } from '../support/fakes.js';
import { Bench } from './bench.js';

test('a reported journal names its activity, and goes when that has arrived', async () => {
  const fake = await fakeWith({ text: '<result>ok</result>' });
  const bench = await Bench.with({ 'START.md': 'Do it.\n' }, { environment: { ...fake.env } });
  await bench.turn({ agent: { state: 'START.md' } });
  const asked: unknown[] = [];
  for (const left of [1, 0]) {
    await removeArrived(bench.raymondDir, (reporter) => Promise.resolve(asked.push(reporter) > 1));
    expect(await readdir(join(bench.raymondDir, 'journal'))).toHaveLength(left);
  }
  const activity = {
    workflowId: `${bench.runId}/main`,
    workflowRunId: expect.any(String),
    activityId: expect.any(String),
  };
  expect(asked).toEqual([activity, activity]);
});
