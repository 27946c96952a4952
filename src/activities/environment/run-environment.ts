// The environment and umask of the command that started a run on this host, for its turns: another
// process started the worker, maybe days ago. They are in a file that only the owner can read,
// never in Temporal.
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  errorCode,
  exists,
  makePrivateFolder,
  readJsonFile,
  renameDurable,
  temporaryName,
  writeFileAtomic,
  writeFileDurable,
} from '../../host/files.js';
import type { ApplicationFailure } from '@temporalio/common';
import { fileNameOfRun, scheduleOf } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import { turnFailure } from '../failure.js';
import type { Environment } from './environment.js';
import { Redactor } from './redact.js';

/** What turns get from the process that started their run. */
export interface CallerProcess {
  readonly env: NodeJS.ProcessEnv;
  /** Absent = that of the worker. */
  readonly umask?: number;
}

/** The file of a run. */
export function environmentFile(raymondDir: string, runId: string): string {
  return join(raymondDir, 'runs', `${fileNameOfRun(runId)}.env`);
}

/** The file of a schedule, for the runs that it starts. */
export function scheduleEnvironmentFile(raymondDir: string, name: string): string {
  return join(raymondDir, 'schedules', `${name}.env`);
}

/** Stores the environment of an existing run, for its next turns. */
export async function saveEnvironment(path: string, caller: CallerProcess): Promise<void> {
  await makePrivateFolder(dirname(path));
  await writeFileDurable(path, textOf(caller));
}

/**
 * Stores it for a run or schedule that is about to start; if the start fails, an existing one with
 * that name keeps its own.
 */
export async function withEnvironment(
  { path, caller }: { readonly path: string; readonly caller: CallerProcess },
  start: () => Promise<void>,
): Promise<void> {
  if (!(await exists(path))) {
    await saveEnvironment(path, caller);
    return await start().catch(async (error: unknown) => {
      await rm(path, { force: true });
      throw error;
    });
  }
  const fresh = temporaryName(path);
  await writeFileAtomic(fresh, textOf(caller));
  try {
    await start();
    await renameDurable(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}

function textOf({ env, umask }: CallerProcess): string {
  return JSON.stringify({ env, umask });
}

/** What a turn uses of its run's environment; the redactor knows its credentials. */
interface RunContext {
  readonly environment: Environment;
  readonly umask?: number;
  readonly redactor: Redactor;
}

interface Read extends RunContext {
  readonly version: string;
}

/** How many runs are remembered. */
const REMEMBERED = 200;

/** The environments of runs, read again when they change. */
export class RunEnvironments {
  private readonly read = new Map<string, Read>();

  constructor(private readonly raymondDir: string) {}

  /** Undefined for a run without its own environment. Throws `StoreDamaged` as a turn's failure. */
  async of(runId: string): Promise<RunContext | undefined> {
    const path = environmentFile(this.raymondDir, runId);
    const version = (await versionOf(path)) ?? (await this.adoptSchedule(path, runId));
    if (version === undefined) return undefined;
    const known = this.read.get(runId);
    if (known?.version === version) return known;
    const stored = readJsonFile(path) as StoredEnvironment | Environment | null | undefined;
    if (typeof stored !== 'object' || stored === null) throw damaged(path, runId);
    // Older versions stored only the variables.
    const { env: environment, umask } = isStored(stored) ? stored : { env: stored };
    const fresh = { version, environment, redactor: new Redactor(environment), ...defined({ umask }) };
    this.read.set(runId, fresh);
    const [oldest] = this.read.keys();
    if (this.read.size > REMEMBERED && oldest !== undefined) this.read.delete(oldest);
    return fresh;
  }

  /**
   * A scheduled run takes the environment of its schedule, and keeps it when the schedule is
   * deleted.
   */
  private async adoptSchedule(path: string, runId: string): Promise<string | undefined> {
    const schedule = scheduleOf(runId);
    const made = schedule === undefined ? undefined : scheduleEnvironmentFile(this.raymondDir, schedule);
    if (made === undefined || (await versionOf(made)) === undefined) return undefined;
    await makePrivateFolder(dirname(path));
    await writeFileDurable(path, await readFile(made, 'utf8'));
    return await versionOf(path);
  }
}

interface StoredEnvironment extends CallerProcess {
  readonly env: Environment;
}

function isStored(stored: StoredEnvironment | Environment): stored is StoredEnvironment {
  return typeof stored['env'] === 'object';
}

/** With another environment, a turn could do what its author did not intend. */
function damaged(path: string, runId: string): ApplicationFailure {
  const next = `run: raymond resume ${runId}, which writes it again from your environment`;
  return turnFailure('StoreDamaged', `${path}, the environment of the run, is damaged: it is not JSON; ${next}`);
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs, ino } = await stat(path);
    return `${ino} ${mtimeMs}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
