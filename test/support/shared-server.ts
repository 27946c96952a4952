// One Temporal server for all test files of a Jest worker, started by the first that needs it. Runs on it are distinguished by their ids.
// Tests of the server itself, and whatever looks at all runs of a project, have servers of their own.
import { join } from 'node:path';
import { ensureServer } from '../../dist/server/index.js';

/** The folder that stands for `.raymond` of the shared server. */
export function sharedRaymondDir(): string {
  const folder = process.env['JEST_SERVERS_FOLDER'];
  if (folder === undefined) throw new Error('test/support/servers-setup.mjs has not run: see jest.config.js');
  return join(folder, `worker-${process.env['JEST_WORKER_ID'] ?? '1'}`);
}

/** The address of the shared server, which runs afterwards. */
export async function sharedServer(): Promise<string> {
  const { address } = await ensureServer({ raymondDir: sharedRaymondDir(), report: () => undefined });
  return address;
}
