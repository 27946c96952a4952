// What every turn on a worker works with: the launcher, the artifact store, folders, limits, the worker's own settings, and its slots, a
// bounded number of turns at once. Holds nothing of a single turn.
import { join } from 'node:path';
import type { Backend } from '../backends/backend.js';
import { ClaudeBackend } from '../backends/claude/backend.js';
import type { Launcher } from '../launcher/client.js';
import { FolderStore } from '../store/folder.js';
import type { ArtifactStore } from '../store/store.js';
import { DebugFolders } from './debug/folder.js';
import { Receipts } from './receipts.js';
import { Redactor } from './redact.js';
import type { WorkbenchSettings } from './settings.js';
import type { ProgressSink } from './types.js';
import type { TurnWatcher } from './watch.js';

/** The shared equipment of all turns of one worker. */
export interface Workbench {
  readonly settings: WorkbenchSettings;
  readonly launcher: Launcher;
  readonly artifacts: ArtifactStore;
  /** Answers prompts. */
  readonly backend: Backend;
  readonly prompts: Slots;
  readonly scripts: Slots;
  readonly environment: Readonly<Record<string, string>>;
  readonly progress: ProgressSink;
  readonly debug: DebugFolders;
  /** Knows the credentials of the environment. */
  readonly redactor: Redactor;
  readonly receipts: Receipts;
  /** The hashes of state files that this worker has put into the store. */
  readonly statesKept: Set<string>;
  /** Metrics and traces, as far as somebody asked for them. */
  readonly watchers: readonly TurnWatcher[];
}

/** Sets a workbench up; nothing is started or written yet. */
export function createWorkbench({
  settings,
  launcher,
  environment,
  progress,
  watchers = [],
}: Pick<Workbench, 'settings' | 'launcher' | 'environment' | 'progress'> &
  Partial<Pick<Workbench, 'watchers'>>): Workbench {
  const artifacts = new FolderStore(settings.artifactDir ?? join(settings.raymondDir, 'artifacts'));
  return {
    settings,
    launcher,
    environment,
    progress,
    artifacts,
    backend: new ClaudeBackend(settings, artifacts),
    prompts: new Slots(settings.maxPrompts),
    scripts: new Slots(settings.maxScripts),
    debug: new DebugFolders(settings.raymondDir),
    redactor: new Redactor(environment),
    receipts: new Receipts(),
    statesKept: new Set(),
    watchers,
  };
}

/** A turn in the line for a slot. */
interface Waiting {
  readonly enter: () => void;
  readonly leave: (reason: Error) => void;
}

/** How many turns have a slot, and how many wait for one. */
interface Occupancy {
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** `size` slots. */
export class Slots {
  private free: number;
  private readonly waiting: Waiting[] = [];
  private changed: () => void = () => undefined;

  constructor(private readonly size: number) {
    this.free = size;
  }

  /** Calls `listener` now and after every change. */
  watch(listener: (occupancy: Occupancy) => void): void {
    this.changed = () => listener({ size: this.size, used: this.size - this.free, waiting: this.waiting.length });
    this.changed();
  }

  /** Runs `work` in a slot; rejects with the signal's reason when it is aborted before a slot is free. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Sends those away that wait in the line: their work rejects with `reason`. */
  dismiss(reason: Error): void {
    for (const { leave } of this.waiting.splice(0)) leave(reason);
    this.changed();
  }

  private async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.free > 0) {
      this.free -= 1;
      this.changed();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        this.changed();
        reject(signal.reason as Error);
      };
      const over = (): void => signal.removeEventListener('abort', abort);
      const turn: Waiting = {
        enter: () => (over(), resolve()),
        leave: (reason) => (over(), reject(reason)),
      };
      this.waiting.push(turn);
      this.changed();
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next.enter();
    this.changed();
  }
}
