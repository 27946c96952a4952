// What is known of runs without Temporal, and what a person hears when its database is gone.
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { lostDatabase, recordedRuns, recordedText, type RunTraces } from '../../../src/client/look/recorded-runs.js';
import { FolderStore } from '../../../src/store/folder.js';
import { folder } from '../../support/folder.js';

let traces: RunTraces;
beforeAll(async () => {
  const closed = (status: string, more = {}): string => JSON.stringify({ summary: { status, ...more } });
  const raymondDir = await folder({
    'runs/open.env': '{}',
    'runs/failed%3A1.env': '{}',
    'runs/failed%3A1.hooks.json': '{}',
    'runs/done.env': '{}',
    'artifacts/runs/failed%3A1/run.json': closed('failed', { record: { sha256: 'a', bytes: 1 } }),
    'artifacts/runs/done/run.json': closed('completed'),
  });
  traces = { raymondDir, artifacts: new FolderStore(join(raymondDir, 'artifacts')) };
});

test('runs that ended without completing can be resumed, those that had not ended cannot', async () => {
  expect(await recordedRuns(traces)).toEqual({ resumable: ['failed:1'], unrecorded: ['open'] });
});

test('a database that was made again is named with the runs of the one before', async () => {
  expect(await lostDatabase({ isFirst: true, database: '/x/temporal.db' }, traces)).toBe(
    'the database of the Temporal server was missing, so /x/temporal.db was created; from their records you can resume: ' +
      'failed:1 (raymond resume RUN); had not ended, and cannot be resumed: open',
  );
});

test('a database that was removed under its server is named; one that is there is not', async () => {
  const { raymondDir } = traces;
  expect(await lostDatabase({ isFirst: false, database: '/x/temporal.db' }, traces)).toContain(
    '/x/temporal.db was deleted while',
  );
  expect(await lostDatabase({ isFirst: false, database: raymondDir }, traces)).toBeUndefined();
});

test('a project that has never had a run has lost none', async () => {
  const raymondDir = await folder({});
  expect(await lostDatabase({ isFirst: true, database: '/x' }, { ...traces, raymondDir })).toBeUndefined();
});

test('of many runs the first few are named', () => {
  const resumable = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(recordedText({ resumable, unrecorded: [] })).toBe(
    'from their records you can resume: a, b, c, d, e and 2 more (raymond resume RUN)',
  );
});
