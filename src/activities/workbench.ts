// What every turn on a worker works with: the launcher, the artifact store, folders, limits, the worker's own settings, and its slots, a
// bounded number of turns at once. Holds nothing of a single turn.
import { join } from 'node:path';
import type { ClaudeProfile } from '../backends/claude/command.js';
import type { Launcher } from '../launcher/client.js';
import { ArtifactStore } from '../store/folder.js';
import { DebugFolders } from './debug/folder.js';
import type { ScriptEnvironments } from './environment.js';
import { Receipts } from './receipts.js';
import { Redactor } from './redact.js';
import type { ProgressSink } from './types.js';

/** How a worker runs turns; from its config and flags. */
export interface WorkbenchSettings {
  /** The `.raymond` folder, absolute. */
  readonly raymondDir: string;
  /** Where artifacts are kept; a shared folder when several hosts serve one queue. */
  readonly artifactDir?: string;
  /** Pattern of task folders, with {{workflow_id}} and {{agent_id}}; absent = `<raymondDir>/tasks/{{workflow_id}}/{{agent_id}}`. */
  readonly taskFolder?: string;
  readonly maxPrompts: number;
  readonly maxScripts: number;
  /** Idle seconds of prompts when nothing else is said. */
  readonly promptIdleSeconds: number;
  /** Names or globs of variables that prompts get beyond the allow-list. */
  readonly envPass: readonly string[];
  /** What scripts inherit; `clean` = the allow-list of prompts without Claude's part, and `envPass`. */
  readonly scriptEnv: ScriptEnvironments;
  readonly claudeProfile: ClaudeProfile;
  /** Arguments passed on to Claude Code as they are. */
  readonly claudeArgs: readonly string[];
  /** Tools that Claude Code may use without asking. */
  readonly allowedTools: readonly string[];
  /** What Claude may print in one turn; it is on disk until the turn is reported. */
  readonly promptOutputBytes: number;
  /** What a script may print in one turn, to both streams. */
  readonly scriptOutputBytes: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Milliseconds that Claude may live on after its result. */
  readonly resultGraceMs: number;
  /** Milliseconds that a usage limit is waited for at least: one that resets at once would be asked again and again. */
  readonly shortestLimitMs: number;
}

/** The settings of a worker that is told nothing. */
export const DEFAULT_SETTINGS: Omit<WorkbenchSettings, 'raymondDir'> = {
  maxPrompts: 8,
  maxScripts: 64,
  promptIdleSeconds: 600,
  envPass: [],
  scriptEnv: 'inherit',
  claudeProfile: 'user',
  claudeArgs: [],
  allowedTools: [],
  promptOutputBytes: 1 << 30,
  scriptOutputBytes: 1 << 30,
  graceMs: 5000,
  resultGraceMs: 5000,
  shortestLimitMs: 60_000,
};

/** Where a worker keeps the copies of packages that its turns' programs see. */
export function unpackedDir({ raymondDir }: Pick<WorkbenchSettings, 'raymondDir'>): string {
  return join(raymondDir, 'unpacked');
}

/** The shared equipment of all turns of one worker. */
export interface Workbench {
  readonly settings: WorkbenchSettings;
  readonly launcher: Launcher;
  readonly artifacts: ArtifactStore;
  readonly prompts: Slots;
  readonly scripts: Slots;
  readonly environment: Readonly<Record<string, string>>;
  readonly progress: ProgressSink;
  readonly debug: DebugFolders;
  /** Knows the credentials of the environment. */
  readonly redactor: Redactor;
  readonly receipts: Receipts;
}

/** Sets a workbench up; nothing is started or written yet. */
export function createWorkbench({
  settings,
  launcher,
  environment,
  progress,
}: Pick<Workbench, 'settings' | 'launcher' | 'environment' | 'progress'>): Workbench {
  return {
    settings,
    launcher,
    environment,
    progress,
    artifacts: new ArtifactStore(settings.artifactDir ?? join(settings.raymondDir, 'artifacts')),
    prompts: new Slots(settings.maxPrompts),
    scripts: new Slots(settings.maxScripts),
    debug: new DebugFolders(settings.raymondDir),
    redactor: new Redactor(environment),
    receipts: new Receipts(),
  };
}

/** `size` slots. */
export class Slots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

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
      const turn = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      this.waiting.push(turn);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
