// How to find a project's engine: its lock names the process, its record says how to reach it once it executes runs.
// Reading them starts nothing, and does not load Temporal's SDK.
import { statSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, makerOf, readJsonFile, writeFileAtomic } from '../host/files.js';
import { readLockOwner, type LockResult, acquireLock } from '../host/lock.js';
import { identify, isFrozen, type ProcessIdentity } from '../host/process.js';

/** The files of a project's engine. */
interface EngineFolder {
  readonly dir: string;
  readonly lock: string;
  readonly record: string;
  readonly log: string;
}

/** The files for a project's `.raymond` folder; creates nothing. */
export function engineFolder(raymondDir: string): EngineFolder {
  const dir = join(raymondDir, 'engine');
  return { dir, lock: join(dir, 'lock'), record: join(dir, 'engine.json'), log: join(dir, 'engine.log') };
}

/** The API token of the project's user; undefined when there is none yet. */
export async function engineToken(raymondDir: string): Promise<string | undefined> {
  return await readFile(join(raymondDir, 'serve', 'token'), 'utf8').then(
    (text) => text.trim(),
    () => undefined, // none yet
  );
}

/** How an engine runs: in the background, by `raymond serve`, or within `start --foreground`. */
export type EngineKind = 'background' | 'serve' | 'foreground';

/** A running engine. */
export interface EngineInfo extends ProcessIdentity {
  readonly kind: EngineKind;
  /** The installed version that it was started from. */
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The config that it uses (`configVersion`). */
  readonly config: string;
  /** The address of the API and the page, `http://127.0.0.1:PORT`; absent = it serves none. */
  readonly origin?: string;
}

/**
 * The current engine of a project; `starting` = a process has the lock and does not execute runs yet, `frozen` = a
 * signal has stopped it.
 */
export type EngineStatus =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' | 'frozen'; readonly pid: number }
  | { readonly kind: 'running'; readonly engine: EngineInfo };

/** Reads the state of a project's engine. */
export function engineStatus(raymondDir: string): EngineStatus {
  const folder = engineFolder(raymondDir);
  const owner = readLockOwner(folder.lock);
  if (owner === undefined) return { kind: 'stopped' };
  if (isFrozen(owner.pid)) return { kind: 'frozen', pid: owner.pid };
  const engine = readJsonFile(folder.record) as (ProcessIdentity & Partial<EngineInfo>) | null | undefined;
  if (engine?.pid !== owner.pid || engine.startTime !== owner.startTime) return { kind: 'starting', pid: owner.pid };
  return { kind: 'running', engine: { ...ofUnknownVersion(folder.record), ...engine } };
}

/** Fields that another version of Raymond did not write: such an engine is replaced like any of another version. */
function ofUnknownVersion(record: string): Omit<EngineInfo, keyof ProcessIdentity> {
  const written = statSync(record, { throwIfNoEntry: false })?.mtime ?? new Date();
  return { kind: 'background', version: 'unknown', startedAt: written.toISOString(), config: '' };
}

/** The process that executes the runs of a project; undefined when none does. */
export function enginePid(raymondDir: string): number | undefined {
  const status = engineStatus(raymondDir);
  if (status.kind === 'stopped') return undefined;
  return status.kind === 'running' ? status.engine.pid : status.pid;
}

/** Takes the lock of the project's engine, and removes what killed processes have left beside it half-written. */
export async function claimEngine(raymondDir: string): Promise<LockResult> {
  const { dir, lock } = engineFolder(raymondDir);
  await makePrivateFolder(dir);
  const result = await acquireLock(lock);
  for (const name of result.kind === 'acquired' ? await readdir(dir) : []) {
    const maker = makerOf(name);
    if (maker !== undefined && identify(maker) === undefined) await rm(join(dir, name), { force: true });
  }
  return result;
}

/** Publishes that this engine executes runs. */
export async function writeEngineRecord(raymondDir: string, engine: EngineInfo): Promise<void> {
  await writeFileAtomic(engineFolder(raymondDir).record, `${JSON.stringify(engine, null, 2)}\n`);
}

/** Removes the record of an engine that ends. */
export async function removeEngineRecord(raymondDir: string): Promise<void> {
  await rm(engineFolder(raymondDir).record, { force: true });
}
