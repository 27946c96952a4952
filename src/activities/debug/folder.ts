// The debug folders of a worker, one per run: the names in them, safe on every file system, and how
// many turns of a state are kept. Errors are reported once per worker and change nothing else.
import { readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../host/sha256.js';
import { errorCode, makePrivateFolder, openInFolder } from '../../host/files.js';
import { fileNameOfRun, stem } from '../../protocol/ids.js';
import type { TurnRequest } from '../../contract/turns.js';
import { TransitionLog } from './log.js';

/** How many runs' folders a worker remembers; others are read from the disk again. */
const MAX_RUNS = 64;

/** The most turns with unfinished files: with more, the disk is too slow. */
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
      this.made = undefined; // the obstacle may be gone at the next turn
      throw error;
    });
  }

  /** A new file for an attempt, under the first free name from its number on. */
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

  /** Opens a file of the folder for writing; a deleted folder is created again. */
  async create(name: string, flags: 'w' | 'wx'): Promise<FileHandle> {
    await this.make();
    return await openInFolder(join(this.path, name), flags);
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
    // Moves it to the end of the map, so that it is forgotten last.
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

  /** Finishes the files of a turn while the run continues; `work` must not reject. */
  finish(work: Promise<unknown>): void {
    this.unfinished.add(work);
    void work.then(() => this.unfinished.delete(work));
  }

  /** Resolves when all files are complete, or at the time limit. */
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
    return `the debug files in ${path} are incomplete: ${why}; the run continues without them (--no-debug turns them off)`;
  }
}

function unlessTaken(error: unknown): undefined {
  if (errorCode(error) !== 'EEXIST') throw error;
}

/** The longest part of a name, in bytes: two of them and the rest stay below 255. */
const MAX_PART_BYTES = 100;

/** Attempts of one turn that file names distinguish; a number of two digits is never taken for a turn. */
const MAX_ATTEMPTS = 99;

/** The folder of a run. Its time is in UTC, so that workers of all time zones use the same one. */
export function folderName(runId: string, startedAt: number): string {
  const [day = '', time = ''] = new Date(startedAt).toISOString().split(/[T.]/);
  return `${fileNameOfRun(runId)}_${day.replaceAll('-', '')}_${time.replaceAll(':', '')}`;
}

/**
 * The prefix of a turn's files: `main_START_001`; from the second attempt on `main_START_001_2`.
 */
export function turnName(
  { agentId, state, turn }: { readonly agentId: string; readonly state: string; readonly turn: number },
  attempt: number,
): string {
  const number = String(turn).padStart(3, '0');
  return `${part(agentId)}_${part(stem(state))}_${number}${attempt === 1 ? '' : `_${attempt}`}`;
}

/** The agent with its state, and the turn, that a file belongs to; undefined for other files. */
export function turnOf(file: string): { readonly state: string; readonly turn: number } | undefined {
  const [, state, turn] = /^(.+)_(\d{3,})(?:_\d{1,2})?\.(?:json|meta\.json|stdout\.txt|stderr\.txt)$/s.exec(file) ?? [];
  return state === undefined ? undefined : { state, turn: Number(turn) };
}

/** A name as part of a file name. A hash keeps changed names distinct. */
function part(name: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]/gu, '-');
  if (safe === name && Buffer.byteLength(name) <= MAX_PART_BYTES) return name;
  const hash = sha256Of(name).slice(0, 8);
  const cut = Buffer.from(safe).subarray(0, MAX_PART_BYTES - hash.length - 1);
  // A character that the cut has split is removed.
  return `${cut.toString('utf8').replace(/\ufffd+$/, '')}-${hash}`;
}

/** How many turns of a state are kept. */
const KEPT_TURNS = 1000;

/** Turns between two checks of a small folder. */
const SHORTEST_PAUSE = 100;

/** Removes old files of a folder from time to time. */
export class Pruner {
  private pause = 0;
  private pruning = false;

  constructor(
    private readonly folder: string,
    private readonly kept = KEPT_TURNS,
  ) {}

  /** Counts a turn; checks the folder when it is time. Rejects when it cannot be read. */
  async turn(): Promise<void> {
    this.pause -= 1;
    if (this.pause >= 0 || this.pruning) return;
    this.pruning = true;
    try {
      const names = await readdir(this.folder);
      this.pause = Math.max(SHORTEST_PAUSE, Math.floor(names.length / 20));
      for (const name of outdated(names, this.kept)) await rm(join(this.folder, name), { force: true });
    } finally {
      this.pruning = false;
    }
  }
}

/** The files of turns that are older than the last `kept` of their state. */
export function outdated(names: readonly string[], kept: number): readonly string[] {
  const states = new Map<string, Map<number, string[]>>();
  for (const name of names) {
    const of = turnOf(name);
    if (of === undefined) continue;
    const turns = entry(states, of.state, () => new Map<number, string[]>());
    entry(turns, of.turn, () => []).push(name);
  }
  return [...states.values()].flatMap((turns) => {
    const old = [...turns.keys()].sort((a, b) => b - a).slice(kept);
    return old.flatMap((turn) => turns.get(turn) ?? []);
  });
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
