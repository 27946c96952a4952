// A worker that cannot start leaves nothing behind: no process, and nothing that holds its connection.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DEFAULT_SETTINGS } from '../../dist/activities/settings.js';
import { NO_KEYS } from '../../dist/codec/keys.js';
import { connect, installRuntime, type Link } from '../../dist/client/connect.js';
import { FolderStore } from '../../dist/store/folder.js';
import { startWorker, type RaymondWorker } from '../../dist/worker/index.js';
import { folder } from '../support/folder.js';
import { sharedServer } from '../support/shared-server.js';
import { until } from '../support/until.js';

/** What every worker of these tests is given; `host` makes it two workers of the SDK. */
async function start(link: Link, raymondDir: string, hostQueue: string): Promise<RaymondWorker> {
  return await startWorker({
    connection: link.connection,
    namespace: link.namespace,
    dataConverter: link.dataConverter,
    taskQueue: `start-${process.pid}`,
    settings: { ...DEFAULT_SETTINGS, raymondDir, host: { name: 'here', queue: hostQueue } },
    environment: process.env,
    progress: () => undefined,
    drainMs: 1000,
    stickyMs: 1000,
    maxCachedWorkflows: 10,
  });
}

async function children(): Promise<readonly string[]> {
  const text = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  return text
    .trim()
    .split(' ')
    .filter((pid) => pid !== '');
}

test('when the second of its queues cannot be polled, its launcher ends and its connection can be closed', async () => {
  await installRuntime(() => undefined);
  const raymondDir = await folder();
  const address = await sharedServer();
  const values = { keys: NO_KEYS, store: new FolderStore(join(raymondDir, 'artifacts')) };
  const link = await connect({ address, namespace: 'default', options: { address } }, values);
  const before = await children();
  await expect(start(link, raymondDir, '')).rejects.toThrow(/queue/i);
  await link.connection.close();
  await until(async () => (await children()).every((pid) => before.includes(pid)), { what: 'the end of the launcher' });
});
