// How the activities of an agent end: what its turns, and the work between them, report. Types only.
import type { Failure } from '../failure.js';
import type { Problem } from '../language/problem.js';
import type { WantedLease } from '../leases.js';
import type { HostLoss, LostActivity, Session, Snapshot, StoredRecord } from './agent.js';
import type { Transition } from './transition.js';

/** The pattern of an `evaluate` that replaced a turn's transition, and the tag that the turn had ended with. */
interface Overridden {
  readonly pattern: string;
  readonly proposed: string;
}

/** The end of a turn whose process worked. A problem is `remindable` when the state limits its transitions. */
export type TurnOutcome =
  | { readonly kind: 'transition'; readonly transition: Transition; readonly overridden?: Overridden }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly text: string; readonly remindable?: true }
  | { readonly kind: 'cancelled' };

/** The result of a turn that its agent continues with; `costUsd` includes earlier attempts that could not report. */
export interface TurnResult {
  readonly outcome: TurnOutcome;
  readonly costUsd: number;
  /** The new conversation of a prompt turn. */
  readonly session?: Session;
  /** The account of Claude that it spent from. */
  readonly account?: string;
  /** The run has the report that the turn carried. */
  readonly delivered?: true;
  /** What its sandbox refused, each a sentence; absent = nothing. */
  readonly denied?: readonly string[];
  /** The files of the agent's workspace after the turn. */
  readonly snapshot?: Snapshot;
  /** Why there is no snapshot: the turn counts, and the next one waits for a snapshot. */
  readonly unsaved?: Failure;
}

/** The parts of a failed activity that matter here. */
export interface WorkFailure extends Failure {
  readonly costUsd: number;
  /** When a usage limit ends (epoch ms). */
  readonly resetsAt?: number;
  /** How often the state asks for retries. */
  readonly retries?: number;
  /** Until when accounts are limited (epoch ms). */
  readonly limited?: Readonly<Record<string, number>>;
  readonly otherAccountFree?: boolean;
  /** The lease that the turn needs first. */
  readonly lacking?: WantedLease;
}

/** How an activity ended. */
export type WorkEnd =
  | { readonly kind: 'reported'; readonly report: TurnResult; readonly chain: readonly ChainedEnd[] }
  | { readonly kind: 'failed'; readonly failure: WorkFailure }
  | {
      readonly kind: 'lost';
      readonly loss: HostLoss;
      readonly costUsd: number;
      readonly activities: readonly LostActivity[];
    }
  | { readonly kind: 'stopped'; readonly costUsd: number }
  | { readonly kind: 'restored'; readonly record: StoredRecord }
  | { readonly kind: 'saved'; readonly snapshot: Snapshot }
  | { readonly kind: 'pushed' };

/** A turn that an activity ran after its first one. */
export interface ChainedEnd {
  readonly state: string;
  readonly turn: number;
  readonly end:
    | { readonly kind: 'report'; readonly report: TurnResult }
    | { readonly kind: 'failure'; readonly failure: WorkFailure };
}
