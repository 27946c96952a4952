// The interface of a backend: a program that is started for a prompt, prints its progress, and leaves a conversation.
// Claude Code is one (claude/backend.ts). Nothing here knows which one is used.
import type { PiOptions } from '../protocol/backend-options.js';
import type { Session } from '../protocol/machine/agent.js';
import type { JsonObject } from '../protocol/language/policy.js';
import type { Attributes } from '../protocol/language/tag.js';
import type { FailureType } from '../protocol/failure.js';
import type { BindMount, ModelAccess } from '../sandbox/index.js';
import type { ArtifactStore } from '../store/store.js';

/** Where the program runs, and its environment; it keeps its files below the home there. */
export interface BackendContext {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What the manifest of the package asks of it. */
  readonly options?: PiOptions;
}

/** The same with the store of its conversations. */
export interface KeepContext extends BackendContext {
  readonly artifacts: ArtifactStore;
}

/** The agent whose prompt it is. */
export interface Asker {
  readonly runId: string;
  readonly agentId: string;
  /** The file of the state. */
  readonly state: string;
  /** The fork attributes of the agent, in its first state. */
  readonly attributes: Attributes;
}

/** A prompt to answer. */
export interface BackendRequest extends KeepContext {
  readonly asker: Asker;
  /** The new conversation of this attempt. */
  readonly sessionId: string;
  /** The conversation to continue; absent = none. It is only read. */
  readonly session?: Session;
  readonly prompt: string;
  readonly model?: string;
  readonly effort?: string;
  readonly permissions: 'accept-edits' | 'skip';
  /** The most that this process may spend, more than 0; absent = no limit. */
  readonly budgetUsd?: number;
  /** The JSON schema of its answer, for a backend that asks for results. */
  readonly schema?: JsonObject;
  /** The attempt's private folder, created on first use. */
  readonly temporaryFolder: () => Promise<string>;
}

/** The program to start. */
export interface BackendCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin: string;
}

/** The progress of a program: `answered` may be followed by more, `alive` only says that it is alive. */
export type BackendEvent =
  | { readonly kind: 'said'; readonly text: string; readonly tools: readonly string[] }
  | { readonly kind: 'retries'; readonly text: string }
  | { readonly kind: 'answered' }
  | { readonly kind: 'alive' };

/** How the process ended; `enough` = stopped on purpose because it kept running after its answer. */
export type BackendEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'enough' }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'overtime'; readonly seconds: number }
  | { readonly kind: 'flooded'; readonly bytes: number }
  | { readonly kind: 'unstartable'; readonly what: string; readonly code: string; readonly message: string };

/**
 * The verdict on a process that has ended. `message` tells a person what happened and what to do; `resetsAt` is in
 * epoch ms.
 */
export type BackendVerdict =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly type: FailureType; readonly message: string; readonly resetsAt?: number };

/** A process that has ended: how, the tail of its stderr, and when. `redact` is applied to quotes in messages. */
export interface EndedProcess {
  readonly end: BackendEnd;
  readonly stderr: string;
  readonly now: Date;
  readonly redact: <T>(value: T) => T;
}

/** The spending on one model. */
export interface ModelSpending {
  readonly model: string;
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Parses the output of one process, in any chunks and with bounded memory. Never throws on input. */
export interface OutputReader {
  push(chunk: Uint8Array): readonly BackendEvent[];
  /** The events of an incomplete last line; no output may follow. */
  end(): readonly BackendEvent[];
  /** Its answer; without one, its last text. */
  readonly text: string;
  /** Its answer as the value that a schema asked for. */
  readonly structured?: unknown;
  /** The spending of the process in USD; estimated when it was not reported. */
  readonly costUsd: number;
  /** The same by model, with tokens, as far as reported. */
  readonly spending: readonly ModelSpending[];
  /** Warnings of the turn, e.g. denied tools. */
  readonly warnings: readonly string[];
  judge(process: EndedProcess): BackendVerdict;
}

/** A prompt to keep in a sandbox: its environment, the attempt's private folder, and where the way to the model is inside. */
export interface ConfineRequest {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly socket: string;
}

/** What a program gets in a sandbox, or why it cannot be kept in one. */
export type Confined =
  | { readonly kind: 'refused'; readonly why: string }
  | {
      readonly kind: 'confined';
      /** Without credentials. */
      readonly env: Readonly<Record<string, string>>;
      readonly files: readonly BindMount[];
      readonly access: ModelAccess;
    };

/** A backend. */
export interface Backend {
  /** Whether its prompts use an account, when the config has some. */
  readonly usesAccounts: boolean;
  /** Whether it asks for an answer by a JSON schema. */
  readonly asksForResults?: boolean;
  /** Prepares a turn in a sandbox; absent = it cannot be kept in one. */
  confine?(request: ConfineRequest): Promise<Confined>;
  /** The id of an attempt's conversation: fixed before it starts, different for every attempt. */
  sessionId(attemptId: string): string;
  /**
   * Throws `ArtifactMissing` when the conversation to continue is missing, `HomeUnusable` when the next one could not
   * be saved.
   */
  command(request: BackendRequest): Promise<BackendCommand>;
  /** `onLine` receives every line unchanged, and whether it is an event. */
  reader(onLine?: (line: string, isEvent: boolean) => void): OutputReader;
  /** Stores the conversation of a good turn. Throws `SessionMissing`. */
  keep(sessionId: string, context: KeepContext): Promise<Session>;
  /** Deletes the conversation of a dead attempt, which must never be continued. */
  discard(sessionId: string, context: BackendContext): Promise<void>;
}

/** Thrown when a program answered but left no conversation: the agent could not continue. */
export class SessionMissing extends Error {
  override readonly name = 'SessionMissing';
}
