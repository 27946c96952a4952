// The environment of whoever started a run on this host, for its turns: the worker was started by somebody else, maybe days before. It lies
// in a file that only the owner can read, never in Temporal.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
import { fileNameOfRun } from '../../protocol/ids.js';
import { turnFailure } from '../failure.js';
import type { Environment } from './environment.js';
import { Redactor } from './redact.js';

/** The file of a run. */
export function environmentFile(raymondDir: string, runId: string): string {
  return join(raymondDir, 'runs', `${fileNameOfRun(runId)}.env`);
}

/** Keeps the environment for a run that exists: its next turns have it. */
export async function saveEnvironment(raymondDir: string, runId: string, env: NodeJS.ProcessEnv): Promise<void> {
  await makePrivateFolder(join(raymondDir, 'runs'));
  await writeFileDurable(environmentFile(raymondDir, runId), JSON.stringify(env));
}

/** The same for a run that `start` begins; when it does not begin, an older run of that id keeps its own. */
export async function withEnvironment(
  { raymondDir, runId, env }: { readonly raymondDir: string; readonly runId: string; readonly env: NodeJS.ProcessEnv },
  start: () => Promise<void>,
): Promise<void> {
  const path = environmentFile(raymondDir, runId);
  if (!(await exists(path))) {
    await saveEnvironment(raymondDir, runId, env);
    return await start().catch(async (error: unknown) => {
      await rm(path, { force: true });
      throw error;
    });
  }
  const fresh = temporaryName(path);
  await writeFileAtomic(fresh, JSON.stringify(env));
  try {
    await start();
    await renameDurable(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** What a turn takes of its run's environment; the redactor knows its credentials. */
export interface RunSurroundings {
  readonly environment: Environment;
  readonly redactor: Redactor;
}

interface Read extends RunSurroundings {
  readonly version: string;
}

/** So many runs are remembered. */
const REMEMBERED = 200;

/** The environments of runs, read again when they change. */
export class RunEnvironments {
  private readonly read = new Map<string, Read>();

  constructor(private readonly raymondDir: string) {}

  /** Undefined for a run that has none of its own. Throws `StoreDamaged` as a turn's failure. */
  async of(runId: string): Promise<RunSurroundings | undefined> {
    const path = environmentFile(this.raymondDir, runId);
    const version = await versionOf(path);
    if (version === undefined) return undefined;
    const known = this.read.get(runId);
    if (known?.version === version) return known;
    const environment = readJsonFile(path) as Environment | null | undefined;
    if (typeof environment !== 'object' || environment === null) throw damaged(path, runId);
    const fresh = { version, environment, redactor: new Redactor(environment) };
    this.read.set(runId, fresh);
    const [oldest] = this.read.keys();
    if (this.read.size > REMEMBERED && oldest !== undefined) this.read.delete(oldest);
    return fresh;
  }
}

/** With another environment a turn would do something else than its author meant. */
function damaged(path: string, runId: string): ApplicationFailure {
  const next = `run: raymond resume ${runId}, which writes it again from your environment`;
  return turnFailure('StoreDamaged', `${path}, the environment of the run, is damaged: it is no JSON; ${next}`);
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
