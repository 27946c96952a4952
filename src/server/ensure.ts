// A running server for the project: the one there is, or a new one. Callers at the same time get the same.
// Stays light, because every command comes through here: nothing of Temporal's SDK is imported.
import { type LockResult, waitForLock } from '../host/lock.js';
import { isAlive } from '../host/process.js';
import type { TemporalCli } from './cli.js';
import { isUnfinished } from './database.js';
import { explainingFolderErrors, ServerError } from './error.js';
import { findCli, namedCli, type Report } from './find.js';
import { makeServerFolder, type ServerFolder, serverFolder } from './folder.js';
import { joined } from './launch.js';
import { answeringVersion } from './probe.js';
import { readRecord, type ServerInfo, type ServerRecord } from './record.js';
import { settle, startServer } from './start.js';

/** Whose server is wanted, and who hears of the progress. */
export interface EnsureOptions {
  /** The project's `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /** The executable named in the configuration; `RAYMOND_TEMPORAL_CLI` wins over it. */
  readonly cli?: string | undefined;
  readonly report: Report;
  /** How long a server may take to its first answer (default 30 s). */
  readonly readyTimeoutMs?: number;
}

/** A running server, and whether this call started it. */
export type EnsuredServer = ServerInfo & { readonly started: boolean };

const QUICK_ANSWER_MS = 1_000;
const READY_MS = 30_000;

/** Returns the project's running server, starting one if none runs; throws a ServerError when that is not possible. */
export async function ensureServer(options: EnsureOptions): Promise<EnsuredServer> {
  const folder = serverFolder(options.raymondDir);
  const record = await explainingFolderErrors(folder.dir, async () => livingRecord(folder));
  if (record !== undefined && (await isReady(record))) return reused(record, options);
  // Looked for before the lock is taken, because an installation takes minutes.
  const cli = record === undefined ? await findCli(options) : undefined;
  return explainingFolderErrors(folder.dir, async () => {
    await makeServerFolder(folder);
    return underServerLock(folder, () => joinOrStart(folder, options, cli));
  });
}

/** Runs `work` while no other process starts or stops this folder's server. */
export async function underServerLock<T>(folder: ServerFolder, work: () => Promise<T>): Promise<T> {
  const lock: LockResult = await waitForLock(folder.lock, { timeoutMs: 3 * READY_MS });
  if (lock.kind === 'held') {
    const what = `process ${lock.owner.pid} has been starting or stopping the Temporal server for more than ${(3 * READY_MS) / 1000} s`;
    throw new ServerError('Locked', `${what} (${folder.lock}): end that process and start again`);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** The record of a server whose process lives. */
export function livingRecord(folder: ServerFolder): ServerRecord | undefined {
  const record = readRecord(folder);
  return record !== undefined && isAlive(record.info) ? record : undefined;
}

/** True when a living server answers and its database has been set up. */
export async function isReady({ info, ports }: ServerRecord): Promise<boolean> {
  return !isUnfinished(info.database) && (await answeringVersion(ports.http, QUICK_ANSWER_MS)) !== undefined;
}

async function joinOrStart(
  folder: ServerFolder,
  options: EnsureOptions,
  found: TemporalCli | undefined,
): Promise<EnsuredServer> {
  const timeoutMs = options.readyTimeoutMs ?? READY_MS;
  const record = livingRecord(folder);
  const outcome = record === undefined ? 'died' : await joined(record, timeoutMs);
  if (record !== undefined && outcome === 'silent') throw notAnswering(record, timeoutMs);
  if (record !== undefined && outcome === 'up') {
    await settle({ database: record.info.database, ports: record.ports, report: options.report });
    return reused(record, options);
  }
  const { report } = options;
  const cli = found ?? (await findCli(options));
  const lastPorts = readRecord(folder)?.ports;
  return { ...(await startServer({ folder, cli, report, timeoutMs, lastPorts })), started: true };
}

function reused({ info }: ServerRecord, { cli, report }: EnsureOptions): EnsuredServer {
  const named = namedCli(cli);
  if (named !== undefined && named !== info.cli) {
    report(
      `the running Temporal server was started from ${info.cli}; \`raymond server stop\` lets the next start use ${named}`,
    );
  }
  return { ...info, started: false };
}

function notAnswering({ info }: ServerRecord, timeoutMs: number): ServerError {
  const what = `the Temporal server (pid ${info.pid}, ${info.address}) lives but does not answer since ${timeoutMs / 1000} s`;
  return new ServerError('NotAnswering', `${what}: \`raymond server stop\` ends it; its log is ${info.logFile}`);
}
