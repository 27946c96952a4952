// Requests of the run about agents that it no longer lists and about its stored data, with their
// answers; and what a turn took, however it ended. Plain JSON, types only.
import type { Failure } from '../protocol/failure.js';
import type { EnforcedSandbox } from '../protocol/sandbox.js';
import type { Value } from '../protocol/text.js';

/** How an agent ended; `record` refers to what it continues from, a `StoredRecord`. */
export type EndStatus =
  | { readonly kind: 'completed'; readonly result: Value }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly record?: Value }
  | { readonly kind: 'cancelled'; readonly record?: Value }
  | { readonly kind: 'lost'; readonly record?: Value };

/** An agent that ended, in the run's ledger or its archive: one short line, however long the agent's texts are. */
export interface EndedAgent {
  readonly id: string;
  readonly parent?: string;
  /** Its number among the agents that its parent forked. */
  readonly number?: number;
  /** Its fork attributes as JSON. */
  readonly about?: Value;
  readonly state: string;
  readonly costUsd: number;
  readonly status: EndStatus;
  /** The ends of its forks up to this number have been delivered by `<await>`. */
  readonly awaited?: number;
  /** The number of its last report that a turn carried; those up to it are in the ledger. */
  readonly reports?: number;
  /** Its parent's `<await>` has delivered its end: the failure is handled. */
  readonly handled?: true;
}

/** Tokens of a prompt turn: sent, answered, and of what was sent, read from and written to the cache beyond `input`. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What a turn took, as far as its last attempt reports it. */
export interface TurnTaken {
  /** The account of Claude that it spent from. */
  readonly account?: string;
  /** Absent = its backend reported none. */
  readonly tokens?: Tokens;
  /** How long it waited for a slot of its worker; absent = not for long. */
  readonly queuedMs?: number;
  /** What its earlier attempts spent without reporting it; absent = nothing. */
  readonly lost?: LostSpending;
  /** The sandbox of its process; absent = none. */
  readonly sandbox?: EnforcedSandbox;
}

/**
 * Dollars that are part of the turn's cost; `unknownOn` = the only host that knows what an earlier
 * attempt spent there.
 */
export interface LostSpending {
  readonly usd: number;
  readonly unknownOn?: string;
}

/** Agents whose turns are to be stored, and the run itself, as a JSON document, when it closes. */
export interface ChapterRequest {
  readonly runId: string;
  readonly agentIds: readonly string[];
  readonly closed?: string;
}

/** Silent agents of a run. */
export interface SilentAgents {
  readonly runId: string;
  readonly agentIds: readonly string[];
}

/** The state of one: its workflow is open, or closed with a stored record, or unknown. */
export interface FoundAgent {
  readonly id: string;
  readonly open: boolean;
  readonly record?: Value;
}

/**
 * The forked agents whose results to gather: some are in the request, the others in the archive.
 */
export interface GatherRequest {
  readonly parent: string;
  readonly after: number;
  readonly last: number;
  readonly ended: readonly EndedAgent[];
  readonly archive?: Value;
}

/** The results as one JSON text, and how many of the agents from the archive had failed or were lost. */
export interface Gathered {
  readonly results: Value;
  readonly archivedFailures: number;
}

/** One piece of the archive of a run: lines of agents that ended, and the piece before it. */
export interface ArchivePiece {
  readonly agents: readonly EndedAgent[];
  readonly previous?: Value;
}

/** Agents that a resumed run still has to start, and the page after them. */
export interface AgentPage {
  readonly agents: readonly EndedAgent[];
  readonly next?: Value;
}

/**
 * An archive to open, with the agents that an earlier resumption did not reach, and the forks that
 * listed agents have awaited.
 */
export interface ArchiveRequest {
  readonly archive: Value;
  readonly resumable?: Value;
  readonly awaited: Readonly<Record<string, number>>;
  /** How many agents are in it, and how many of them ended without a result and still need to be handled. */
  readonly count: number;
  readonly unresolved: number;
}

/**
 * The rest of an archive, how many agents are in it, and the first page of the agents to continue.
 * `missing` = the piece that is not in the store; it stays the end of the archive, and the agents
 * in it cannot continue.
 */
export interface OpenArchive {
  readonly archive?: Value;
  readonly count: number;
  readonly resumable?: Value;
  readonly missing?: { readonly message: string; readonly lost: number };
}

/** Agents that the ledger does not list, to be looked up in the archive. */
export interface ArchivedAgents {
  readonly archive: Value;
  readonly agentIds: readonly string[];
}
