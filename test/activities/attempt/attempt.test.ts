// An attempt and the server: whether a turn that was given out long ago still counts.
import { afterAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { TestWorker, failureOf } from '../test-worker.js';

/** Nothing listens there: port 1 is never given to anybody by chance. */
const connection = Connection.lazy({ address: '127.0.0.1:1' });

afterAll(() => connection.close());

test('a turn that waited long while the server was away is tried again, and its process never starts', async () => {
  const server = { client: new Client({ connection }), scheduledMsAgo: 60_000 };
  const worker = await TestWorker.with({ 'START.sh': 'touch started\n' }, { server });
  const failure = await failureOf(worker.turn());
  expect(failure).toMatchObject({ type: 'WorkerLost', retryable: true, costUsd: 0 });
  expect(failure.message).toMatch(/^the server cannot be asked whether the turn still counts: /);
  expect(worker.progress.map(({ kind }) => kind)).toEqual(['started', 'failed']);
});
