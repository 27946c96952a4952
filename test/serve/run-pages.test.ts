// Pages of runs, and how much is read for them.
import { expect, test } from '@jest/globals';
import { pageOfRuns, type ListRuns } from '../../src/serve/run-pages.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-23T12:00:00Z');

interface Line {
  readonly runId: string;
  readonly startedAt: Date;
}

/** Runs that began an hour apart, the newest half an hour ago. */
const runs: readonly Line[] = Array.from({ length: 2000 }, (_one, index) => ({
  runId: `r${String(index).padStart(4, '0')}`,
  startedAt: new Date(NOW - (index + 0.5) * HOUR),
}));

function counted(): { readonly list: ListRuns<Line>; readonly read: () => number } {
  let read = 0;
  const list = (since: Date | undefined): Promise<readonly Line[]> => {
    const found = runs.filter(({ startedAt }) => since === undefined || startedAt > since);
    read += found.length;
    return Promise.resolve(found.toReversed());
  };
  return { list, read: () => read };
}

test('pages hold every run once, the newest first', async () => {
  const { list } = counted();
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { page, next } = await pageOfRuns(list, {
      limit: 300,
      now: NOW,
      ...(cursor === undefined ? {} : { cursor }),
    });
    ids.push(...page.map(({ runId }) => runId));
    cursor = next;
  } while (cursor !== undefined);
  expect(ids).toEqual(runs.map(({ runId }) => runId));
});

test('the first page reads few more runs than it shows', async () => {
  const { list, read } = counted();
  expect((await pageOfRuns(list, { limit: 50, now: NOW })).page).toHaveLength(50);
  expect(read()).toBeLessThan(200);
});

test('a run that was started again stands where it first began', async () => {
  const [old, ...others] = [{ runId: 'old', startedAt: new Date(NOW - 100 * HOUR) }, ...runs.slice(0, 20)];
  const list: ListRuns<Line> = (since) =>
    Promise.resolve([old, ...others.filter(({ startedAt }) => since === undefined || startedAt > since)]);
  const { page, next } = await pageOfRuns(list, { limit: 50, now: NOW });
  expect(page.at(-1)).toBe(old);
  expect({ count: page.length, next }).toEqual({ count: 21, next: undefined });
});
