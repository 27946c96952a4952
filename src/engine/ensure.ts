// Starting and ending the engine of a project from another process. The engine is `raymond __engine`, a process of its own that outlives
// whoever started it; what it says goes to `.raymond/engine/engine.log`.
import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, makePrivateFolder, readJsonFile, writeFileAtomic } from '../host/files.js';
import { ownProgram } from '../host/self.js';
import { engineFolder, enginePid, engineStatus, removeEngineRecord, type EngineInfo } from './record.js';

/** What can keep an engine from starting or from ending; its message is a sentence for people. */
export class EngineError extends Error {
  constructor(
    readonly code: 'NotStarted' | 'NotStopped' | 'OfOtherUser',
    message: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

/** Whose engine, and for whom it is started. */
export interface EnsureEngineOptions {
  /** The project's folder. */
  readonly root: string;
  /** The project's `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /** What the engine itself has in its environment; turns have that of whoever started their run. */
  readonly env: NodeJS.ProcessEnv;
  /** The installed version: an engine of another one is replaced. */
  readonly version: string;
  /** The config that it must work by (`configVersion`): an engine reads a changed one when it is asked to. */
  readonly config: string;
  /** Hears that an engine is replaced. */
  readonly report: (line: string) => void;
}

/** Lets an engine read its config again. */
export const RELOAD_SIGNAL = 'SIGUSR2';

const LOOK_EVERY_MS = 25;
const START_MS = 60_000;

/** A log with more than this is put aside, as `engine.log.1`, when an engine starts and while it runs. */
const LOG_BYTES = 4 * 2 ** 20;

/** Resolves when the project has an engine that executes its runs, started if necessary. Throws `EngineError`. */
export async function ensureEngine(options: EnsureEngineOptions): Promise<void> {
  const { raymondDir, version, config, report } = options;
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
      if (!isCurrent) {
        report(`replacing the engine of version ${engine.version} with version ${version}; its turns end first`);
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

/** What people read of an engine that a signal has stopped. */
export function frozenText(pid: number): string {
  return `the engine of this project (process ${pid}) is stopped by a signal and executes nothing; wake it with: kill -CONT ${pid}, or end it with: raymond down`;
}

/** The turns of an engine that is replaced may take so long. */
const REPLACE_SECONDS = 600;

function isOutdated({ kind, version }: EngineInfo, installed: string): boolean {
  return kind === 'background' && version !== installed;
}

/** An engine that was started and does not answer yet. */
interface Starting {
  /** How it ended; undefined = it has not. */
  readonly end: () => Promise<string | undefined>;
}

/** Undefined where the project's engine is no service, or its manager does not start it. */
async function startService({ root, raymondDir, env }: EnsureEngineOptions): Promise<Starting | undefined> {
  const { Service } = await import('./service/service.js');
  const service = Service.of({ root, raymondDir, env });
  if (service === undefined || !(await service.start())) return undefined;
  let lookAt = Date.now() + SERVICE_LOOK_MS;
  let isLast = false;
  return {
    end: async () => {
      if (Date.now() < lookAt) return undefined;
      lookAt = Date.now() + SERVICE_LOOK_MS;
      if (!(await service.hasEnded())) return undefined;
      // A manager that still saw an engine end when it was asked has started none.
      if (!isLast && (isLast = await service.start())) return undefined;
      return `its service ${service.name} has ended`;
    },
  };
}

/** Its manager is asked by a process. */
const SERVICE_LOOK_MS = 1000;

async function startEngine({ root, raymondDir, env }: EnsureEngineOptions): Promise<Starting> {
  const { dir, log: path } = engineFolder(raymondDir);
  await makePrivateFolder(dir);
  await rotateLog(path);
  const log = await open(path, 'a', 0o600);
  try {
    const [node, program] = ownProgram();
    const child = spawn(node, [program, '__engine'], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));
    child.unref();
    return { end: () => Promise.resolve(hasExited(child) ? howEnded(child) : undefined) };
  } finally {
    await log.close();
  }
}

/** Puts a log aside that has become too long. */
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
  const written = await readFile(log, 'utf8').catch(() => ''); // then only how it ended is known
  const last = written.trim().split('\n').at(-1) ?? '';
  const why = last === '' ? '' : `: ${last.replace(/^\S+Z /, '').replace(/^raymond: /, '')}`;
  return new EngineError('NotStarted', `the engine of this project did not start, ${how}${why}; its log: ${log}`);
}

/** Which engine to stop, and for how many seconds its turns may continue. */
export interface StopEngineOptions {
  readonly raymondDir: string;
  readonly drainSeconds?: number;
  /** Another engine follows at once: whoever follows a run waits for it. */
  readonly isReplaced?: boolean;
}

/** Time for an engine to close what is left after its turns, before it is killed. */
const CLOSE_SECONDS = 30;

/** Turns may take so many seconds after a signal when nobody says. */
export const DRAIN_SECONDS = 30;

/** Stops the engine and waits for its end; undefined when none ran. Its runs stay open, and continue with the next engine. */
export async function stopEngine({
  raymondDir,
  drainSeconds,
  isReplaced = false,
}: StopEngineOptions): Promise<{ readonly pid: number; readonly forced: boolean } | undefined> {
  const pid = enginePid(raymondDir);
  if (pid === undefined) return undefined;
  signalTo(pid, 0); // nothing is written about an engine that this user may not stop
  await writeStop(raymondDir, { isReplaced, ...(drainSeconds === undefined ? {} : { drainSeconds }) });
  signalTo(pid, 'SIGTERM');
  // One that is frozen hears nothing before it is woken.
  signalTo(pid, 'SIGCONT');
  const seconds = (drainSeconds ?? DRAIN_SECONDS) + CLOSE_SECONDS;
  if (await isGone(raymondDir, { pid, seconds })) return { pid, forced: false };
  signalTo(pid, 'SIGKILL');
  if (!(await isGone(raymondDir, { pid, seconds: CLOSE_SECONDS })))
    throw new EngineError('NotStopped', `the engine (process ${pid}) does not end; end it with: kill -9 ${pid}`);
  await removeEngineRecord(raymondDir);
  return { pid, forced: true };
}

function signalTo(pid: number, signal: NodeJS.Signals | 0): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return;
    if (errorCode(error) !== 'EPERM') throw error;
    const text = `the engine of this project (process ${pid}) belongs to another user; call raymond as that user`;
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

/** What a signal cannot carry: the engine and whoever follows a run read it. */
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

/** For how many seconds turns may continue, as whoever stops this engine asked since it started (epoch ms); undefined = nobody has. */
export function wantedDrain(raymondDir: string, startedAt: number): number | undefined {
  return lastStop(raymondDir, startedAt)?.drainSeconds;
}

/** True when a command of Raymond has stopped the engine since then (epoch ms), for good or for another one. */
export function askedSince(raymondDir: string, since: number): boolean {
  return lastStop(raymondDir, since) !== undefined;
}

/** True when somebody has stopped the engine for good since then (epoch ms). */
export function stoppedSince(raymondDir: string, since: number): boolean {
  return lastStop(raymondDir, since)?.isReplaced === false;
}
