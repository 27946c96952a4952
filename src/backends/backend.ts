// What answers a prompt, seen from a turn: a program that is started for it, prints what it does, and leaves a conversation. Claude Code
// is one (claude/backend.ts). Nothing here knows which.
import type { Session } from '../protocol/machine/agent.js';
import type { Attributes } from '../protocol/language/tag.js';
import type { FailureType } from '../protocol/failure.js';
import type { ArtifactStore } from '../store/store.js';

/** Where the program runs, and with which environment; it keeps its files below the home that this names. */
export interface BackendPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The same with the store of its conversations. */
export interface KeepingPlace extends BackendPlace {
  readonly artifacts: ArtifactStore;
}

/** Whose prompt it is. */
export interface Asker {
  readonly runId: string;
  readonly agentId: string;
  /** The file of the state. */
  readonly state: string;
  /** What its fork has given the agent, in its first state. */
  readonly attributes: Attributes;
}

/** A prompt to answer. */
export interface BackendRequest extends KeepingPlace {
  readonly asker: Asker;
  /** The conversation that this attempt makes; no other has it. */
  readonly sessionId: string;
  /** The conversation that it goes on from; absent = none. It is only read. */
  readonly session?: Session;
  readonly prompt: string;
  readonly model?: string;
  readonly effort?: string;
  readonly permissions: 'accept-edits' | 'skip';
  /** What this process may spend, more than 0; absent = no limit. */
  readonly budgetUsd?: number;
  /** The attempt's private folder, made when first asked for. */
  readonly temporaryFolder: () => Promise<string>;
}

/** The program to start. */
export interface BackendCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin: string;
}

/** What a program does while it answers: `answered` may be followed by more, `alive` says only that it lives. */
export type BackendEvent =
  | { readonly kind: 'said'; readonly text: string; readonly tools: readonly string[] }
  | { readonly kind: 'retries'; readonly text: string }
  | { readonly kind: 'answered' }
  | { readonly kind: 'alive' };

/** How the process came to its end; `enough` = ended on purpose when it lived on after its answer. */
export type BackendEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'enough' }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'overtime'; readonly seconds: number }
  | { readonly kind: 'flooded'; readonly bytes: number }
  | { readonly kind: 'unstartable'; readonly what: string; readonly code: string; readonly message: string };

/** The judgement on a process that is over. `message` says to a person what happened and what to do; `resetsAt` is in epoch ms. */
export type BackendVerdict =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly type: FailureType; readonly message: string; readonly resetsAt?: number };

/** A process that is over: how, the tail of its stderr, and when. `redact` is applied to what a message quotes. */
export interface EndedProcess {
  readonly end: BackendEnd;
  readonly stderr: string;
  readonly now: Date;
  readonly redact: <T>(value: T) => T;
}

/** What was spent on one model. */
export interface ModelSpending {
  readonly model: string;
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Reads what one process prints, in any chunking and with bounded memory. Never throws on input. */
export interface OutputReader {
  push(chunk: Uint8Array): readonly BackendEvent[];
  /** The events of what was not whole yet; no output may follow. */
  end(): readonly BackendEvent[];
  /** What it answered; without an answer, the last that it said. */
  readonly text: string;
  /** What the process spent, in USD; estimated where it was not told. */
  readonly costUsd: number;
  /** The same by model, with the tokens, as far as it was told. */
  readonly spending: readonly ModelSpending[];
  /** What a person should know of the turn, e.g. tools that were denied. */
  readonly warnings: readonly string[];
  judge(process: EndedProcess): BackendVerdict;
}

/** What answers prompts. */
export interface Backend {
  /** Its prompts are paid by an account, where the config has some. */
  readonly usesAccounts: boolean;
  /** The id of an attempt's conversation: fixed before it starts, different for every attempt. */
  sessionId(attemptId: string): string;
  /** Throws `ArtifactMissing` when the conversation to go on from cannot be had, `HomeUnusable` when the next one could not be kept. */
  command(request: BackendRequest): Promise<BackendCommand>;
  /** `onLine` is given every line as it is, and whether it is an event. */
  reader(onLine?: (line: string, isEvent: boolean) => void): OutputReader;
  /** Keeps the conversation of a good turn. Throws `SessionMissing`. */
  keep(sessionId: string, place: KeepingPlace): Promise<Session>;
  /** Removes the conversation of a dead attempt; nobody may ever go on from it. */
  discard(sessionId: string, place: BackendPlace): Promise<void>;
}

/** Thrown when a program answered but left no conversation: the agent could not go on. */
export class SessionMissing extends Error {
  override readonly name = 'SessionMissing';
}
