// Ends the project's server: by SIGTERM, then by SIGKILL. Never signals a process other than the
// recorded one.
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, exists } from '../host/files.js';
import { isAlive } from '../host/process.js';
import { mergeLogs } from './database.js';
import { explainingFolderErrors, ServerError } from './error.js';
import { livingServer } from './probe.js';
import { removeRecord, serverFolder, type ServerInfo } from './record.js';

/** How a stop ended; `forced` when the server had to be killed. */
export type StopResult =
  { readonly kind: 'stopped'; readonly server: ServerInfo; readonly forced: boolean } | { readonly kind: 'notRunning' };

const POLITE_MS = 10_000;
const FORCED_MS = 5_000;
const POLL_MS = 20;

/** Stops the project's server and returns when its process is gone; runs stay in its database. */
export async function stopServer({
  raymondDir,
  politeMs = POLITE_MS,
}: {
  readonly raymondDir: string;
  /** How long the server may take to end on its own. */
  readonly politeMs?: number;
}): Promise<StopResult> {
  const folder = serverFolder(raymondDir);
  if (!(await exists(folder.dir))) return { kind: 'notRunning' };
  // Imported when it is needed, because commands that only find their server load this file as
  // well.
  const { guard } = await import('./start.js');
  return explainingFolderErrors(folder.dir, () =>
    guard(folder, async () => {
      const server = (await livingServer(folder))?.info;
      const forced = server !== undefined && (await endServer(server, politeMs));
      await removeRecord(folder);
      await mergeLogs(folder.dir);
      return server === undefined ? { kind: 'notRunning' } : { kind: 'stopped', server, forced };
    }),
  );
}

/** Ends exactly this server, even if its files were moved; true when it had to be killed. */
export async function endServer(server: ServerInfo, politeMs = POLITE_MS): Promise<boolean> {
  if (await end(server, 'SIGTERM', politeMs)) return false;
  if (await end(server, 'SIGKILL', FORCED_MS)) return true;
  throw stopFailed(server, 'it is still there after SIGKILL');
}

async function end(server: ServerInfo, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  try {
    process.kill(server.pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw stopFailed(server, errorCode(error) ?? 'unknown');
  }
  const deadline = Date.now() + withinMs;
  while (isAlive(server)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function stopFailed({ pid }: ServerInfo, reason: string): ServerError {
  return new ServerError('StopFailed', `cannot stop the Temporal server, process ${pid}: ${reason}; kill it manually`);
}
