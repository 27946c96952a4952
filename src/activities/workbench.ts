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
}

/** Sets a workbench up; nothing is started or written yet. */
export function createWorkbench({
  settings,
  launcher,
  environment,
  progress,
}: Pick<Workbench, 'settings' | 'launcher' | 'environment' | 'progress'>): Workbench {
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
  };
}

/** A turn in the line for a slot. */
interface Waiting {
  readonly enter: () => void;
  readonly leave: (reason: Error) => void;
}

/** `size` slots. */
export class Slots {
  private free: number;
  private readonly waiting: Waiting[] = [];

  constructor(size: number) {
    this.free = size;
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
  }

  private async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        reject(signal.reason as Error);
      };
      const over = (): void => signal.removeEventListener('abort', abort);
      const turn: Waiting = {
        enter: () => (over(), resolve()),
        leave: (reason) => (over(), reject(reason)),
      };
      this.waiting.push(turn);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next.enter();
  }
}
