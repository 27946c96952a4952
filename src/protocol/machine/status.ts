// The status of an agent as an operator sees it: computed from its hold, never stored. Pure.
import { assertNever, type Failure } from '../failure.js';
import { defined, type Value } from '../text.js';
import type { AgentState, Ask } from './agent.js';

/** The status of an agent that has not ended. Times are epoch milliseconds. */
export type LiveStatus =
  | { readonly kind: 'running' }
  | { readonly kind: 'waiting'; readonly until: number; readonly failure: Failure }
  | { readonly kind: 'paused'; readonly failure: Failure }
  | { readonly kind: 'queued'; readonly waitsFor: string }
  | { readonly kind: 'sleeping'; readonly until: number }
  | { readonly kind: 'asking'; readonly ask: AskLine }
  | { readonly kind: 'awaiting'; readonly forks: ForkRange; readonly until?: number };

/**
 * A question as people see it, without what follows its answer. Its files are in `storedFiles` when they are too long
 * for a line; `prompt` is absent when the line was read without room for it.
 */
export type AskLine = Omit<Ask, 'next' | 'timeoutNext' | 'prompt'> & { readonly prompt?: Value };

/** The key of a question each time it is asked: its id, and how many answers could not be used before. */
export function occasionOf({ id, unusable }: Pick<Ask, 'id' | 'unusable'>): string {
  return unusable === undefined ? id : `${id} after ${unusable.answers}`;
}

/** Forked agents by their number within their parent: after `after`, up to `last`. */
export interface ForkRange {
  readonly after: number;
  readonly last: number;
}

/** A turn that gets its lease or money within this time is not shown as queued. */
export const SHOWN_AFTER_MS = 1000;

/** The status of an agent with this record, at `now`. */
export function statusOf(agent: AgentState, now: number): LiveStatus {
  const { id, state, hold, awaited = 0, forks } = agent;
  switch (hold?.kind) {
    case undefined:
    case 'pending':
      return { kind: 'running' };
    case 'delay':
      return { kind: 'sleeping', until: hold.until };
    case 'ask':
      return { kind: 'asking', ask: lineOf(hold) };
    case 'await':
      return { kind: 'awaiting', forks: { after: awaited, last: forks }, ...defined({ until: hold.until }) };
    case 'paused':
      return {
        kind: 'paused',
        failure: { type: 'PausedByOperator', message: `${id}, ${state}: paused by ${hold.by}` },
      };
    case 'retry':
      return heldBy(hold);
    case 'money':
      return now < hold.since + SHOWN_AFTER_MS
        ? { kind: 'running' }
        : { kind: 'queued', waitsFor: 'the rest of the budget' };
    case 'lease':
      return now < hold.since + SHOWN_AFTER_MS ? { kind: 'running' } : { kind: 'queued', waitsFor: hold.places };
    case 'workspace':
      return hold.failure === undefined ? { kind: 'running' } : heldBy({ ...hold, failure: hold.failure });
    default:
      return assertNever(hold);
  }
}

function heldBy({ failure, until }: { readonly failure: Failure; readonly until?: number }): LiveStatus {
  return until === undefined ? { kind: 'paused', failure } : { kind: 'waiting', until, failure };
}

/** The part of a question that the run's ledger keeps. */
function lineOf({ id, prompt, askedAt, until, unusable, upload, shown, choices, storedFiles }: Ask): AskLine {
  const files = {
    ...(upload === undefined ? {} : { upload }),
    ...(shown === undefined ? {} : { shown }),
    ...(choices === undefined ? {} : { choices }),
  };
  return {
    id,
    prompt,
    ...defined({ askedAt, until, unusable }),
    ...(storedFiles === undefined ? files : { storedFiles }),
  };
}
