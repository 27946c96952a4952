// The debug folders that a worker writes to, one per run. Trouble with them is told once per worker and changes nothing else.
// Must not fail or hold a turn.
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, makePrivateFolder } from '../../host/files.js';
import type { TurnRequest } from '../types.js';
import { TransitionLog } from './log.js';
import { folderName, MAX_ATTEMPTS, turnName } from './names.js';
import { Pruner } from './prune.js';

/** Runs whose folders a worker remembers; what it forgets it reads from the disk again. */
const MAX_RUNS = 64;

/** Turns whose files may be unfinished: more than that, and the disk does not keep up. */
const MAX_UNFINISHED = 200;

/** The longest that the end of a worker waits for files. */
const LONGEST_FLUSH_MS = 2000;

/** The folder of one run. */
export class RunFolder {
  readonly log: TransitionLog;
  readonly pruner: Pruner;
  private made: Promise<void> | undefined;

  constructor(readonly path: string) {
    this.log = new TransitionLog(join(path, 'transitions.log'));
    this.pruner = new Pruner(path);
  }

  /** Makes the folder, the first time. */
  async make(): Promise<void> {
    this.made ??= makePrivateFolder(this.path);
    await this.made.catch((error: unknown) => {
      this.made = undefined; // what is in the way may be gone at the next turn
      throw error;
    });
  }

  /** A new file for an attempt, under the first name from its number on that no attempt has yet. */
  async claim(
    turn: Parameters<typeof turnName>[0],
    { attempt, extension }: { readonly attempt: number; readonly extension: string },
  ): Promise<{ readonly name: string; readonly file: FileHandle }> {
    for (let number = attempt; number <= MAX_ATTEMPTS; number += 1) {
      const name = turnName(turn, number);
      const file = await this.create(`${name}${extension}`, 'wx').catch(unlessTaken);
      if (file !== undefined) return { name, file };
    }
    throw new Error(`there are ${MAX_ATTEMPTS} attempts of turn ${turn.turn} of ${turn.agentId} already`);
  }

  /** Opens a file of the folder for writing; a folder that somebody has removed is made again. */
  async create(name: string, flags: 'w' | 'wx'): Promise<FileHandle> {
    await this.make();
    return await open(join(this.path, name), flags, 0o600).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await makePrivateFolder(this.path);
      return await open(join(this.path, name), flags, 0o600);
    });
  }
}

/** The folders of a worker. */
export class DebugFolders {
  private readonly runs = new Map<string, RunFolder>();
  private readonly unfinished = new Set<Promise<unknown>>();
  private warned = false;

  constructor(private readonly raymondDir: string) {}

  /** The folder of a turn's run; undefined when its run keeps none. */
  of({ runId, settings }: TurnRequest): RunFolder | undefined {
    if (settings.debug === undefined) return undefined;
    const path = join(this.raymondDir, 'debug', folderName(runId, settings.debug.startedAt));
    const folder = this.runs.get(path) ?? new RunFolder(path);
    // The last one used is the last one forgotten.
    this.runs.delete(path);
    this.runs.set(path, folder);
    const [oldest] = this.runs.keys();
    if (this.runs.size > MAX_RUNS && oldest !== undefined) this.runs.delete(oldest);
    return folder;
  }

  /** False while so much is unwritten that no further turn may add to it. */
  get keepsUp(): boolean {
    return this.unfinished.size < MAX_UNFINISHED;
  }

  /** Lets the files of a turn be finished while the run goes on; `work` must not reject. */
  finish(work: Promise<unknown>): void {
    this.unfinished.add(work);
    void work.then(() => this.unfinished.delete(work));
  }

  /** Resolves when all files are finished, or when that takes too long. */
  async flush(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, LONGEST_FLUSH_MS)));
    await Promise.race([Promise.all(this.unfinished), enough]);
    clearTimeout(timer);
  }

  /** The warning about an error, or undefined when there has been one. */
  warning(error: unknown, { path }: RunFolder): string | undefined {
    if (this.warned) return undefined;
    this.warned = true;
    const why = error instanceof Error ? error.message : String(error);
    return `the debug files in ${path} are incomplete: ${why}; the run goes on without them (--no-debug turns them off)`;
  }
}

function unlessTaken(error: unknown): undefined {
  if (errorCode(error) !== 'EEXIST') throw error;
}
