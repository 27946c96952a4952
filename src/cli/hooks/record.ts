// What the hooks of a run have told, and what they have yet to tell: `.raymond/runs/RUN.hooks.json`, for one process at a time. Whoever
// serves or follows the run next goes on from it.
import { dirname, join } from 'node:path';
import { makePrivateFolder, readJsonFile, writeFileDurable } from '../../host/files.js';
import { acquireLock } from '../../host/lock.js';
import { makeRaymondDir } from '../../project.js';
import { fileNameOfRun } from '../../protocol/ids.js';
import type { HookEvent } from './events.js';

/** An event that no hook has taken yet. */
export interface Pending {
  readonly key: string;
  readonly event: HookEvent;
}

/** The record of one run. */
export class HookRecord {
  private readonly seen: Set<string>;
  private readonly waiting: Set<Pending>;
  private writing = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly unlock: () => Promise<void>,
  ) {
    const { seen, pending } = stored(path);
    this.seen = new Set(seen);
    this.waiting = new Set(pending);
  }

  /** Opens it; undefined while another process calls the hooks of this run. Throws `UnwritableError`. */
  static async open(raymondDir: string, runId: string): Promise<HookRecord | undefined> {
    await makeRaymondDir(raymondDir);
    const name = fileNameOfRun(runId);
    const path = join(raymondDir, 'runs', `${name}.hooks.json`);
    await makePrivateFolder(dirname(path));
    // No `.lock`: that is the name of the lock of a run that is served.
    const lock = await acquireLock(join(dirname(path), `${name}.hooks-lock`));
    return lock.kind === 'held' ? undefined : new HookRecord(path, () => lock.release());
  }

  /** The events that wait to be taken, oldest first. */
  get pending(): readonly Pending[] {
    return [...this.waiting];
  }

  /** True for an occasion that was noted before, told or not. */
  knows(key: string): boolean {
    return this.seen.has(key);
  }

  /** Notes what is to be told: from now on it survives this process. */
  async add(news: readonly Pending[]): Promise<void> {
    for (const item of news) {
      this.seen.add(item.key);
      this.waiting.add(item);
    }
    await this.write();
  }

  /** Notes that an event was taken. */
  async taken(item: Pending): Promise<void> {
    this.waiting.delete(item);
    await this.write();
  }

  /** The occasion is over: when it comes again, it is a new one. */
  forget(key: string): void {
    this.seen.delete(key);
  }

  /** Lets another process have it. */
  async close(): Promise<void> {
    await this.writing;
    await this.unlock();
  }

  private write(): Promise<void> {
    const written = this.writing.then(() =>
      writeFileDurable(this.path, JSON.stringify({ seen: [...this.seen], pending: this.pending })),
    );
    this.writing = written.catch(() => undefined); // whoever asked for it hears of it
    return written;
  }
}

interface StoredRecord {
  readonly seen: readonly string[];
  readonly pending: readonly Pending[];
}

function stored(path: string): StoredRecord {
  const value = readJsonFile(path) as Partial<StoredRecord> | null | undefined;
  const valid = Array.isArray(value?.seen) && Array.isArray(value.pending);
  return valid ? (value as StoredRecord) : { seen: [], pending: [] };
}
