// One attempt to start a server on given ports: spawns it detached, records it, waits for its first
// answer. Only under the folder's lock (start.ts), which also decides whether other ports are
// tried.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive } from '../host/process.js';
import { serverArguments, serverEnvironment } from './flags.js';
import { type Ports, HOST } from './ports.js';
import { answeringVersion } from './probe.js';
import { type ServerFolder, type ServerInfo, type ServerRecord, writeRecord } from './record.js';
import type { TemporalCli } from './temporal-cli.js';

/** How an attempt ended; `log` holds the last lines the server wrote during it. */
export type Launch =
  | { readonly kind: 'up'; readonly record: Omit<ServerRecord, 'folder'> }
  | { readonly kind: 'died'; readonly log: readonly string[] }
  | { readonly kind: 'silent'; readonly log: readonly string[]; readonly pid: number };

/** What an attempt needs. */
interface LaunchOptions {
  readonly folder: ServerFolder;
  readonly cli: TemporalCli;
  readonly database: string;
  readonly ports: Ports;
  readonly timeoutMs: number;
}

const POLL_MS = 10;
const PROBE_MS = 2_000;
const LOG_LINES = 12;
const LOG_LIMIT = 1024 * 1024;

/**
 * Starts a server and waits until it answers, dies, or `timeoutMs` have passed (then it is killed).
 */
export async function launch(options: LaunchOptions): Promise<Launch> {
  const { folder, ports, timeoutMs } = options;
  keepLogShort(folder);
  const logStart = size(folder.log);
  const child = spawnDetached(options);
  // Directly after the spawn: a starter that is killed before this leaves a server without a
  // record.
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity === undefined) return { kind: 'died', log: lastLines(folder.log, logStart) };
  const record = { info: { ...identity, ...describe(options) }, ports };
  try {
    await writeRecord(folder, record);
  } catch (error) {
    await kill(child); // without a record, and with the database open, it would block the next start
    throw error;
  }
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  const outcome = await firstAnswer({ port: ports.http, alive, timeoutMs });
  if (outcome === 'up') return { kind: 'up', record };
  if (outcome === 'silent') await kill(child);
  const log = lastLines(folder.log, logStart);
  return outcome === 'died' ? { kind: 'died', log } : { kind: 'silent', log, pid: identity.pid };
}

/** Waits for the first answer of a server that another process started. */
export async function waitForAnswer(
  { info, ports }: ServerRecord,
  timeoutMs: number,
): Promise<'up' | 'died' | 'silent'> {
  return firstAnswer({ port: ports.http, alive: () => isAlive(info), timeoutMs });
}

interface AnswerOptions {
  readonly port: number;
  readonly timeoutMs: number;
  readonly alive: () => boolean;
}

async function firstAnswer({ port, alive, timeoutMs }: AnswerOptions): Promise<'up' | 'died' | 'silent'> {
  const deadline = Date.now() + timeoutMs;
  while (alive()) {
    const left = deadline - Date.now();
    if (left <= 0) return 'silent';
    // Checks again after the answer that the server lives: the port of a dying server may already
    // belong to another program.
    if ((await answeringVersion(port, Math.min(left, PROBE_MS))) !== undefined && alive()) return 'up';
    await delay(POLL_MS);
  }
  return 'died';
}

function spawnDetached({ folder, cli, database, ports }: LaunchOptions): ChildProcess {
  const log = openSync(folder.log, 'a', 0o600);
  // The server creates the database and does not choose its mode.
  const before = process.umask(0o077);
  try {
    // A session of its own: Ctrl-C and the end of the terminal do not reach it. The database by its bare name in the
    // working directory: SQLite would read `?`, `#` and `%` of a whole path as parts of a URI.
    const child = spawn(cli.path, serverArguments({ ports, database: basename(database) }), {
      cwd: folder.dir,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
      env: serverEnvironment(),
    });
    child.on('error', () => undefined); // it has no pid then, which the caller looks at
    child.unref();
    return child;
  } finally {
    process.umask(before);
    closeSync(log);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  child.ref(); // else this process, with nothing else to do, ends while it waits
  const exit = once(child, 'exit');
  if (child.kill('SIGKILL')) await exit;
}

function describe({ folder, cli, database, ports }: LaunchOptions): Omit<ServerInfo, 'pid' | 'startTime'> {
  return {
    address: `${HOST}:${ports.grpc}`,
    uiUrl: `http://${HOST}:${ports.ui}`,
    serverVersion: cli.serverVersion,
    database,
    logFile: folder.log,
    cli: cli.path,
  };
}

/** A server holds its log open for as long as it runs: one that is too long is copied, then emptied. */
export function keepLogShort({ log }: Pick<ServerFolder, 'log'>): void {
  if (size(log) <= LOG_LIMIT) return;
  try {
    copyFileSync(log, `${log}.old`);
  } catch {
    // On a full disk room is worth more than old lines.
  }
  truncateSync(log);
}

function size(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function lastLines(log: string, from: number): string[] {
  const lines = readFileSync(log).subarray(from).toString('utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').slice(-LOG_LINES);
}
