// The requests of workflows to activities, their answers, and the live progress of turns: plain JSON. Types only.
import type {
  ArchivedAgents,
  ArchiveRequest,
  ChapterRequest,
  EndedAgent,
  FoundAgent,
  GatherRequest,
  Gathered,
  OpenArchive,
  SilentAgents,
  TurnTaken,
} from './records.js';
import type {
  AgentState,
  CarriedReport,
  Frame,
  OperatorNote,
  Reminder,
  LostActivity,
  Snapshot,
} from '../protocol/machine/agent.js';
import type { FailureType } from '../protocol/failure.js';
import type { HeldLease, HolderCheck, Lease, WantedLease } from '../protocol/leases.js';
import type { Labels } from '../protocol/labels.js';
import type { RunSandbox } from '../protocol/sandbox.js';
import type { BackendName } from '../protocol/language/policy.js';
import type { NextTry } from '../protocol/machine/retry.js';
import type { TurnOutcome, TurnResult } from '../protocol/machine/work-end.js';
import type { Value } from '../protocol/text.js';
import type {
  OutputRequest,
  MadeWorkspace,
  MakeWorkspaceRequest,
  SaveRequest,
  WorkspaceSettings,
} from '../protocol/machine/workspace.js';

/** The settings of the command line or the config for every turn of a run. Absent = Claude's or Raymond's default. */
export interface TurnSettings {
  readonly model?: string;
  readonly effort?: string;
  /** The default backend of prompts; absent = Claude Code. */
  readonly backend?: BackendName;
  /** Seconds without output after which a turn is ended; 0 = never. Absent: 600 for prompts, never for scripts. */
  readonly idleSeconds?: number;
  /** Seconds that a turn may take in all; 0 or absent = any. */
  readonly maxSeconds?: number;
  readonly permissions: 'accept-edits' | 'skip';
  /** The weakest sandbox of its turns, by the user who started it and by its package. */
  readonly sandbox?: RunSandbox;
  /** The priority of its turns among those of other runs, 1 first; absent = 3. */
  readonly priority?: number;
  /** The accounts of Claude that prompts may spend from; absent = all that a worker has. */
  readonly accounts?: readonly string[];
  /**
   * Variables from the package's manifest for every process of the run. They are recorded in Temporal's history in
   * plain text, so they must not contain secrets.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /** The labels that the user gave the run: variables of every state. Recorded in plain text. */
  readonly labels?: Labels;
  /** Debug files are kept, in a folder named after the start of the run (epoch ms). Absent = none. */
  readonly debug?: { readonly startedAt: number };
}

/** One turn to execute: the agent's record, with `returnsTo` instead of the stack. */
export interface TurnRequest {
  readonly runId: string;
  /** The name of the workflow package. */
  readonly workflow?: string;
  readonly agent: Omit<AgentState, 'stack'>;
  readonly settings: TurnSettings;
  /** The most that a prompt turn may spend, in USD; absent = no limit. */
  readonly allowanceUsd?: number;
  /** The state that receives a result of this turn; absent = a result ends the agent. */
  readonly returnsTo?: string;
  /** The frame of the state whose transition this turn decides on, if it is a judge. */
  readonly judges?: Frame;
  /** Operator notes to the agent since its last prompt; absent = none. */
  readonly operatorNotes?: readonly OperatorNote[];
  /** Until when accounts are limited, according to other workers (epoch ms). */
  readonly limited?: Readonly<Record<string, number>>;
  /** An operator's retry, although a limit is known. */
  readonly ignoreKnownLimits?: true;
  /** How often the turn has failed so far, by failure type; absent = never. For readers of the history. */
  readonly tries?: Readonly<Record<string, number>>;
  /** Its lease under limits; absent = none. */
  readonly lease?: Lease;
  /** The report of an earlier turn, for the run. */
  readonly report?: CarriedReport;
  /** The turn repeats the state, because the last turn ended with this mistake. */
  readonly reminder?: Reminder;
  /** The settings of the agent's workspace; absent = it has none. */
  readonly workspace?: WorkspaceSettings;
  /** Activities of this turn that ended without a report: their processes and their spending may still be on this host. */
  readonly lostActivities?: readonly LostActivity[];
  /**
   * The activity may also execute the agent's next script turns (protocol/machine/chain.ts);
   * `stack` is the rest of the agent's record.
   */
  readonly chain?: { readonly stack: AgentState['stack'] };
}

export type { Reminder } from '../protocol/machine/agent.js';
export type { TurnOutcome } from '../protocol/machine/work-end.js';

/** The record of a turn. */
export interface TurnReport extends TurnTaken, TurnResult {
  readonly account?: string;
  readonly durationMs: number;
  /**
   * SHA-256 of the state file when this turn ran; absent when the turn ended without its worker.
   */
  readonly stateSha256?: string;
  /** Its output without secrets; the end of a long one. */
  readonly output?: Value;
  readonly warnings?: readonly string[];
  /** The turns that the same activity executed after this one. */
  readonly chain?: readonly ChainedTurn[];
}

/**
 * A turn that an activity executed after the requested one. Only the last one of a chain may have
 * failed.
 */
export interface ChainedTurn {
  readonly state: string;
  readonly turn: number;
  /** Milliseconds from the start of the activity's first turn to the start of this one. */
  readonly afterMs: number;
  readonly end:
    | { readonly kind: 'report'; readonly report: TurnReport }
    | { readonly kind: 'failure'; readonly message: string; readonly details: TurnFailureDetails };
}

/**
 * Details of a failed turn's ApplicationFailure. `resetsAt` (epoch ms) only for `UsageLimit`; `retries`, how often it is tried
 * again, only for `ScriptFailed` and `LimitExceeded` (as its state asks) and for `DiskTrouble` that does not pass by itself (0).
 */
export interface TurnFailureDetails extends TurnTaken {
  readonly type: FailureType;
  readonly costUsd: number;
  readonly resetsAt?: number;
  readonly retries?: number;
  readonly output?: Value;
  /**
   * Only for `UsageLimit`: until when its account is limited, and whether another one of its pool
   * is available.
   */
  readonly limited?: Readonly<Record<string, number>>;
  readonly otherAccountFree?: boolean;
  /** Only for `LeaseWanted`. */
  readonly lacking?: WantedLease;
}

/** The position of a turn in its worker's queue (1 = next), and how many wait. */
export interface LinePosition {
  readonly position: number;
  readonly of: number;
}

/** The last part of a turn's output; `end` = how long all of it is, in characters. */
export interface RecentOutput {
  readonly end: number;
  readonly text: string;
}

/** The heartbeat of a running turn: shown by `status` even when no worker runs. */
export interface TurnHeartbeat {
  readonly host: string;
  /** Distinguishes machines of one name; absent for a worker without a host queue. */
  readonly machine?: string;
  readonly pid: number;
  readonly startTime: string;
  readonly state: string;
  readonly turn: number;
  readonly phase: 'queued' | 'running';
  /** While it is queued. */
  readonly queue?: LinePosition;
  readonly lastOutputAt?: number;
  readonly line?: string;
  /** For those who follow it from another host. */
  readonly recent?: RecentOutput;
  /** The attempt that continues the turn, when another one started it (ADR 0011). */
  readonly continuedBy?: number;
  /** The turns that the activity has finished: another attempt does not repeat them. */
  readonly chain?: readonly ChainedTurn[];
  /** Milliseconds from the start of the first of them to the start of the current turn. */
  readonly afterMs?: number;
}

/** The activities, as workflows call them. */
export interface Activities {
  runPrompt(request: TurnRequest): Promise<TurnReport>;
  runScript(request: TurnRequest): Promise<TurnReport>;
  /** Stores a JSON text in the artifact store; returns its reference. */
  storeRecord(json: string): Promise<Value>;
  /**
   * A record of `storeRecord`, or a page that another activity stored; the caller knows its type.
   */
  readRecord(record: Value): Promise<unknown>;
  /** The results of forked agents as one JSON text. */
  gatherResults(gathering: GatherRequest): Promise<Gathered>;
  /** The state of silent agents, with their records as far as they can be read. */
  findAgents(silent: SilentAgents): Promise<readonly FoundAgent[]>;
  /** Stores the recorded turns of a run beyond Temporal's retention. */
  keepChapter(request: ChapterRequest): Promise<void>;
  /** Makes a workspace on the host of the worker that accepts this. */
  place(request: MakeWorkspaceRequest): Promise<MadeWorkspace>;
  /** Takes the snapshot that could not be taken at the end of a turn. */
  saveWorkspace(request: SaveRequest): Promise<Snapshot>;
  /** Pushes the content of a workspace to a branch of its repository. */
  pushOutput(request: OutputRequest): Promise<void>;
  /** When the worker of a queue last polled; undefined when that is unknown. */
  lastPoll(queue: string): Promise<number | undefined>;
  /** Finds the agents in a closed run's archive that its resumption continues. */
  openArchive(request: ArchiveRequest): Promise<OpenArchive>;
  /** The archived lines of agents, as far as they exist. */
  findArchived(request: ArchivedAgents): Promise<readonly EndedAgent[]>;
  /** Those of some leases whose holders have no turn on a worker. */
  lostHolders(request: HolderCheck): Promise<readonly HeldLease[]>;
}

/** Ended agents that are no longer listed one by one; `archive` is where their lines are kept, the newest `ArchivePiece` first. */
export interface ArchiveTotals {
  readonly count: number;
  readonly costUsd: number;
  /** Those that failed or were lost, without the ones whose end was handled. */
  readonly failed: number;
  readonly cancelled: number;
  readonly archive?: Value;
}

/** The progress of a turn. */
export type TurnProgress =
  | { readonly kind: 'queued' }
  | { readonly kind: 'started' }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'warned'; readonly text: string }
  | {
      readonly kind: 'ended';
      readonly outcome: TurnOutcome;
      readonly costUsd: number;
      readonly durationMs: number;
      /** The number of the reminder that the turn answered; absent = none. */
      readonly reminder?: number;
    }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** Absent = the turn is not tried again by itself. */
      readonly retry?: NextTry;
    };

/** One event of a turn, and its turn. */
export type Progress = {
  readonly runId: string;
  readonly agentId: string;
  readonly state: string;
  readonly turn: number;
  readonly attempt: number;
} & TurnProgress;

/** Receives events; must return at once. */
export type ProgressSink = (event: Progress) => void;
