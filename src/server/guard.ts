// One process at a time starts or stops the server of a folder. Reading and using the server needs no guard.
import { waitForLock } from '../host/lock.js';
import { ServerError } from './error.js';
import type { ServerFolder } from './folder.js';

const PATIENCE_MS = 90_000;

/** Runs `work` while no other process starts or stops this folder's server; the folder must exist. */
export async function guarded<T>(folder: ServerFolder, work: () => Promise<T>): Promise<T> {
  const lock = await waitForLock(folder.lock, { timeoutMs: PATIENCE_MS });
  if (lock.kind === 'held') {
    const what = `process ${lock.owner.pid} has been starting or stopping the Temporal server for more than ${PATIENCE_MS / 1000} s`;
    throw new ServerError('Locked', `${what} (${folder.lock}): end that process and try again`);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
