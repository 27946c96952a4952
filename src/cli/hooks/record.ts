// The events that the hooks of a run have received, and those still to deliver: `.raymond/runs/RUN.hooks.json`, for one
// process at a time. The next engine, or on a cluster the next command that follows the run, continues with it.
import { dirname, join } from 'node:path';
import { makePrivateFolder, readJsonFile, writeFileDurable } from '../../host/files.js';
import { acquireLock } from '../../host/lock.js';
import { makeRaymondDir } from '../../client/project/project.js';
import { fileNameOfRun } from '../../protocol/ids.js';
import type { HookEvent } from './events.js';

/** An event that has not been delivered yet. */
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
    // Not `.lock`: that is the lock of a run that is executed.
    const lock = await acquireLock(join(dirname(path), `${name}.hooks-lock`));
    return lock.kind === 'held' ? undefined : new HookRecord(path, () => lock.release());
  }

  /** The undelivered events, oldest first. */
  get pending(): readonly Pending[] {
    return [...this.waiting];
  }

  /** True for an event that was noted before, delivered or not. */
  knows(key: string): boolean {
    return this.seen.has(key);
  }

  /** Notes an event: from now on it survives this process. */
  async add(events: readonly Pending[]): Promise<void> {
    for (const item of events) {
      this.seen.add(item.key);
      this.waiting.add(item);
    }
    await this.write();
  }

  /** Notes that an event was delivered. */
  async delivered(item: Pending): Promise<void> {
    this.waiting.delete(item);
    await this.write();
  }

  /** The situation is over: its next occurrence is a new event. */
  forget(key: string): void {
    this.seen.delete(key);
  }

  /** Releases it for another process. */
  async close(): Promise<void> {
    await this.writing;
    await this.unlock();
  }

  private write(): Promise<void> {
    const written = this.writing.then(() =>
      writeFileDurable(this.path, JSON.stringify({ seen: [...this.seen], pending: this.pending })),
    );
    this.writing = written.catch(() => undefined); // The caller gets the error of the write.
    return written;
  }
}

interface StoredRecord {
  readonly seen: readonly string[];
  readonly pending: readonly Pending[];
}

/** A damaged record counts as absent: events that still apply are reported again. */
function stored(path: string): StoredRecord {
  const value = readJsonFile(path) as Readonly<Record<keyof StoredRecord, unknown>> | null | undefined;
  const { seen, pending } = value ?? {};
  if (!Array.isArray(seen) || !Array.isArray(pending)) return { seen: [], pending: [] };
  return { seen: seen.filter((key) => typeof key === 'string'), pending: pending.filter(isPending) };
}

function isPending(item: { readonly key?: unknown; readonly event?: unknown } | null): item is Pending {
  return typeof item?.key === 'string' && typeof item.event === 'object' && item.event !== null;
}
