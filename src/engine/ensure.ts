// Starts and stops the engine of a project from another process. The engine is `raymond __engine`, a process of its own
// that outlives its starter; its output goes to `.raymond/engine/engine.log`.
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFile, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, explainingWrites, makePrivateFolder, readJsonFile, writeFileAtomic } from '../host/files.js';
import { engineProgram, ownProgram } from '../host/self.js';
import { engineFolder, enginePid, engineStatus, removeEngineRecord, type EngineInfo } from './record.js';

/** Why an engine did not start or stop; the message is a sentence for people. */
export class EngineError extends Error {
  constructor(
    readonly code: 'NotStarted' | 'NotStopped' | 'OfOtherUser',
    message: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

/** The project, and the caller. */
interface EnsureEngineOptions {
  /** The project's folder. */
  readonly root: string;
  /** The project's `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /** The engine's own environment; turns have the environment of the user who started their run. */
  readonly env: NodeJS.ProcessEnv;
  /** The installed version: an engine of another version is replaced. */
  readonly version: string;
  /** The config that it must use (`configVersion`): an engine reads a changed one on request. */
  readonly config: string;
  /** Called when an engine is replaced. */
  readonly report: (line: string) => void;
  /**
   * True = an engine of another version executes this, and is replaced by a process in the background: for orders,
   * which any version records.
   */
  readonly replacesLater?: boolean;
}

/** Makes an engine read its config again. */
export const RELOAD_SIGNAL = 'SIGUSR2';

const LOOK_EVERY_MS = 25;
const START_MS = 60_000;

/** The size at which a log is rotated, to `engine.log.1`, when an engine starts and while it runs. */
const LOG_BYTES = 4 * 2 ** 20;

/** Resolves when the project has an engine that executes its runs, started if necessary. Throws `EngineError`. */
export async function ensureEngine(options: EnsureEngineOptions): Promise<void> {
  const { raymondDir, version, config, report, replacesLater = false } = options;
  let starting: Starting | undefined;
  let isReloading = false;
  for (const until = Date.now() + START_MS; ;) {
    const status = engineStatus(raymondDir);
    if (status.kind === 'frozen') throw new EngineError('NotStarted', frozenText(status.pid));
    if (status.kind === 'running') {
      const { engine } = status;
      const isCurrent = !isOutdated(engine, version);
      if (isCurrent && (engine.config === config || engine.kind === 'foreground')) return;
      if (isCurrent && !isReloading) signalTo(engine.pid, RELOAD_SIGNAL);
      isReloading = isCurrent;
      if (!isCurrent && replacesLater) return await replaceLater(options, engine);
      if (!isCurrent) {
        report(
          `replacing the engine of version ${engine.version} with version ${version}: waiting up to ${REPLACE_SECONDS} s for its current turns; end them now with: raymond down --drain 0`,
        );
        await stopEngine({ raymondDir, drainSeconds: REPLACE_SECONDS, isReplaced: true });
      }
    } else if (status.kind === 'stopped') {
      const end = await starting?.end();
      if (end !== undefined) throw await notStarted(raymondDir, end);
      starting ??= (await startService(options)) ?? (await startEngine(options));
    }
    if (Date.now() > until) throw await notStarted(raymondDir, `it does not answer after ${START_MS / 1000} s`);
    await delay(LOOK_EVERY_MS);
  }
}

/** The error for an engine that a signal has stopped. */
export function frozenText(pid: number): string {
  return `the engine of this project (process ${pid}) is stopped by a signal and executes nothing; continue it with: kill -CONT ${pid}, or stop it with: raymond down`;
}

/** How long the turns of a replaced engine may take. */
const REPLACE_SECONDS = 600;

function isOutdated({ kind, version }: EngineInfo, installed: string): boolean {
  return kind === 'background' && version !== installed;
}

/** Has `raymond up` replace an engine, which takes as long as its turns. */
async function replaceLater(options: EnsureEngineOptions, { version, startedAt }: EngineInfo): Promise<void> {
  if (askedSince(options.raymondDir, Date.parse(startedAt))) return;
  const [from, to] = [`the engine of version ${version}`, `version ${options.version}`];
  options.report(`${from} is replaced with ${to} after its current turns; this order is recorded and does not wait`);
  await spawnLogged(options, [...ownProgram(), 'up', '--json']);
}

/** An engine that was started and does not answer yet. */
interface Starting {
  /** How it ended; undefined = it has not. */
  readonly end: () => Promise<string | undefined>;
}

/** Undefined when the project's engine is not a service, or its manager does not start it. */
async function startService({ root, raymondDir, env }: EnsureEngineOptions): Promise<Starting | undefined> {
  const { Service } = await import('./service/service.js');
  const service = Service.of({ root, raymondDir, env });
  if (service === undefined || !(await service.start())) return undefined;
  let nextCheckAt = Date.now() + SERVICE_LOOK_MS;
  let isLast = false;
  return {
    end: async () => {
      if (Date.now() < nextCheckAt) return undefined;
      nextCheckAt = Date.now() + SERVICE_LOOK_MS;
      if (!(await service.hasEnded())) return undefined;
      // A manager that still saw the old engine end has started none.
      if (!isLast && (isLast = await service.start())) return undefined;
      return `its service ${service.name} has ended`;
    },
  };
}

/** Its manager is asked by a process. */
const SERVICE_LOOK_MS = 1000;

async function startEngine(options: EnsureEngineOptions): Promise<Starting> {
  const child = await spawnLogged(options, engineProgram());
  return { end: () => Promise.resolve(hasExited(child) ? howEnded(child) : undefined) };
}

/** Starts a command that outlives this process and writes into the log of the engine. */
async function spawnLogged(
  { root, raymondDir, env }: EnsureEngineOptions,
  [program, ...words]: readonly [program: string, ...words: readonly string[]],
): Promise<ChildProcess> {
  const { dir, log: path } = engineFolder(raymondDir);
  await makePrivateFolder(dir);
  await rotateLog(path);
  const log = await open(path, 'a', 0o600);
  try {
    const child = spawn(program, words, {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Rotates a log that has become too long. */
export async function rotateLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > LOG_BYTES) await rename(path, `${path}.1`);
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function howEnded({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `it ended with exit code ${exitCode ?? 'unknown'}` : `it was ended by ${signalCode}`;
}

async function notStarted(raymondDir: string, how: string): Promise<EngineError> {
  const { log } = engineFolder(raymondDir);
  const written = await readFile(log, 'utf8').catch(() => ''); // Then only its exit is known.
  const last = written.trim().split('\n').at(-1) ?? '';
  const why = last === '' ? await whyUnlogged(log) : `: ${last.replace(/^\S+Z /, '').replace(/^raymond: /, '')}`;
  return new EngineError('NotStarted', `the engine of this project did not start, ${how}${why}; its log: ${log}`);
}

/** An engine on a full disk cannot even log its error. */
async function whyUnlogged(log: string): Promise<string> {
  try {
    await explainingWrites(log, () => appendFile(log, '\n'));
    return '';
  } catch (error) {
    return `: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The engine to stop, and the seconds that its turns may take. */
interface StopEngineOptions {
  readonly raymondDir: string;
  readonly drainSeconds?: number;
  /** Whether another engine follows at once: processes that follow a run then wait for it. */
  readonly isReplaced?: boolean;
}

/** How long an engine may take to close after its turns, before it is killed. */
const CLOSE_SECONDS = 30;

/** The default seconds for turns after a signal. */
export const DRAIN_SECONDS = 30;

/**
 * Stops the engine and waits for its end; undefined when none ran. Its runs stay open, and the next engine continues
 * them.
 */
export async function stopEngine({
  raymondDir,
  drainSeconds,
  isReplaced = false,
}: StopEngineOptions): Promise<{ readonly pid: number; readonly forced: boolean } | undefined> {
  const pid = enginePid(raymondDir);
  if (pid === undefined) return undefined;
  signalTo(pid, 0); // Nothing is written about an engine that this user may not stop.
  await writeStop(raymondDir, { isReplaced, ...(drainSeconds === undefined ? {} : { drainSeconds }) });
  signalTo(pid, 'SIGTERM');
  // A stopped process receives signals only after SIGCONT.
  signalTo(pid, 'SIGCONT');
  const seconds = (drainSeconds ?? DRAIN_SECONDS) + CLOSE_SECONDS;
  if (await isGone(raymondDir, { pid, seconds })) return { pid, forced: false };
  signalTo(pid, 'SIGKILL');
  if (!(await isGone(raymondDir, { pid, seconds: CLOSE_SECONDS })))
    throw new EngineError('NotStopped', `the engine (process ${pid}) does not end; kill it with: kill -9 ${pid}`);
  await removeEngineRecord(raymondDir);
  return { pid, forced: true };
}

function signalTo(pid: number, signal: NodeJS.Signals | 0): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return;
    if (errorCode(error) !== 'EPERM') throw error;
    const text = `the engine of this project (process ${pid}) belongs to another user; run raymond as that user`;
    throw new EngineError('OfOtherUser', text);
  }
}

async function isGone(
  raymondDir: string,
  { pid, seconds }: { readonly pid: number; readonly seconds: number },
): Promise<boolean> {
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await delay(LOOK_EVERY_MS))
    if (enginePid(raymondDir) !== pid) return true;
  return false;
}

/** The details that a signal cannot carry: the engine and processes that follow a run read them. */
interface StopNote {
  readonly isReplaced: boolean;
  readonly drainSeconds?: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

function stopFile(raymondDir: string): string {
  return join(engineFolder(raymondDir).dir, 'stop.json');
}

async function writeStop(raymondDir: string, note: Omit<StopNote, 'at'>): Promise<void> {
  await writeFileAtomic(stopFile(raymondDir), JSON.stringify({ ...note, at: Date.now() }));
}

function lastStop(raymondDir: string, since: number): StopNote | undefined {
  const note = readJsonFile(stopFile(raymondDir)) as StopNote | null | undefined;
  return note != null && note.at >= since ? note : undefined;
}

/**
 * The seconds that turns may take, from the stop request since the engine started (epoch ms); undefined = there is
 * none.
 */
export function wantedDrain(raymondDir: string, startedAt: number): number | undefined {
  return lastStop(raymondDir, startedAt)?.drainSeconds;
}

/** True when a command of Raymond has stopped the engine since then (epoch ms), for good or to replace it. */
export function askedSince(raymondDir: string, since: number): boolean {
  return lastStop(raymondDir, since) !== undefined;
}

/** True when a user has stopped the engine for good since then (epoch ms). */
export function stoppedSince(raymondDir: string, since: number): boolean {
  return lastStop(raymondDir, since)?.isReplaced === false;
}
