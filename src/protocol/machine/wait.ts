// Waits between two states: for a time, for a person, for forked agents, and how the agent continues after them. Pure:
// callers bring the time.
import type {
  AgentState,
  AnswerFile,
  Ask,
  Await,
  Hold,
  PendingTransition,
  SettledAsk,
  StoredRecord,
  WaitHold,
} from './agent.js';
import type { FailureType } from '../failure.js';
import { uploadProblem, type SentFile } from '../language/ask-files.js';
import { askId } from '../ids.js';
import { isArtifact, type Value } from '../text.js';
import type { Question, Transition } from './transition.js';

/** A wait that has not begun: its times are relative to its beginning. */
export type Wait =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'ask'; readonly id: string; readonly question: Question }
  | Extract<Transition, { readonly kind: 'await' }>;

/** An answer to a question; its files are in the artifact store. */
export interface Answer {
  readonly askId: string;
  readonly text: Value;
  readonly files: readonly (SentFile & AnswerFile)[];
}

/** How many closed questions are remembered. */
const REMEMBERED = 20;

/** The wait that `<ask>` or `<await>` asks for, of an agent whose turn is recorded. */
export function waitOf(agent: AgentState, transition: Extract<Transition, { kind: 'ask' | 'await' }>): Wait {
  if (transition.kind === 'await') return transition;
  const { kind, ...question } = transition;
  return { kind, id: askId(agent.id, agent.turn), question };
}

/** The wait as it begins at `now` (epoch milliseconds). */
export function beginWait(wait: Wait, now: number): WaitHold {
  if (wait.kind === 'delay') return { kind: 'delay', until: now + wait.ms };
  const { timeoutMs, ...waiting } = wait.kind === 'await' ? wait : { kind: wait.kind, id: wait.id, ...wait.question };
  const until = timeoutMs === undefined ? {} : { until: now + timeoutMs };
  return waiting.kind === 'ask' ? { ...waiting, askedAt: now, ...until } : { ...waiting, ...until };
}

/** The agent after a delay: its next state is already set. */
export function afterDelay({ hold: _hold, ...agent }: AgentState): AgentState {
  return agent;
}

/** Why an answer is not accepted, in words for its sender; undefined when it is. */
export function answerProblem({ hold, asks = [] }: AgentState, answer: Answer): string | undefined {
  if (hold?.kind === 'ask' && hold.id === answer.askId) return uploadProblem(hold.upload, answer.files);
  const settled = asks.find(({ id }) => id === answer.askId);
  if (settled?.how === 'answered') return `${answer.askId} has been answered already`;
  if (settled !== undefined) return `${answer.askId} expired before this answer arrived`;
  const open = hold?.kind === 'ask' ? `; its open question is ${hold.id}` : '';
  return `there is no open question ${answer.askId}${open}`;
}

/** The agent after its question was answered. */
export function afterAnswer(
  agent: AgentState,
  { ask, answer }: { readonly ask: Ask; readonly answer: Answer },
): AgentState {
  const files = answer.files.map(({ name, sha256 }) => ({ name, sha256 }));
  const isStored = files.length > 0 || isArtifact(answer.text);
  const pending = {
    value: answer.text,
    returning: false,
    askId: ask.id,
    ...(files.length === 0 ? {} : { files }),
    ...(isStored ? { answered: { ask, state: agent.state } } : {}),
  };
  return { ...settledBy(agent, { id: ask.id, how: 'answered' }), state: ask.next, via: 'ask', pending };
}

/**
 * The agent whose answer could not be used: its question is open again, with its original timeout. Undefined when there
 * was no answer.
 */
export function reopenAsk(
  agent: AgentState,
  { why, now }: { readonly why: string; readonly now: number },
): AgentState | undefined {
  const { pending, asks = [], ...rest } = agent;
  if (pending?.answered === undefined) return undefined;
  const { ask, state } = pending.answered;
  const { until, ...open } = ask;
  const time = until !== undefined && now < until ? { until } : {};
  const settled = asks.filter(({ id }) => id !== ask.id);
  const unusable = { answers: (ask.unusable?.answers ?? 0) + 1, why };
  return { ...rest, state, via: 'ask', asks: settled, hold: { kind: 'ask', ...open, ...time, unusable } };
}

/** The agent after its question expired; undefined when the question names no state for that. */
export function afterTimeout(agent: AgentState, { id, timeoutNext }: Ask): AgentState | undefined {
  if (timeoutNext === undefined) return undefined;
  return { ...settledBy(agent, { id, how: 'timed out' }), state: timeoutNext, via: LATE_ANSWER };
}

/**
 * The agent after the time of its `<await>` was over; undefined when that names no state. The next `<await>` waits for the
 * same agents.
 */
export function afterLateForks(agent: AgentState, { timeoutNext }: Await): AgentState | undefined {
  return timeoutNext === undefined ? undefined : { ...afterDelay(agent), state: timeoutNext, via: LATE_FORKS };
}

/** The value of `via` for a `timeout_next`. */
export const LATE_ANSWER = 'ask, no answer';
export const LATE_FORKS = 'await, too late';

/** The agent after all its forked agents have ended; `results` becomes `{{input}}`. */
export function afterAwait(
  agent: AgentState,
  { next, results }: { readonly next: string; readonly results: Value },
): AgentState {
  const pending = { value: results, returning: false };
  return { ...afterDelay(agent), state: next, via: 'await', pending, awaited: agent.forks };
}

/** The transition to apply when the hold ends; undefined when there is none. */
export function pendingOf(hold: Hold | undefined): PendingTransition | undefined {
  if (hold?.kind === 'retry') return pendingOf(hold.then);
  return hold?.kind === 'workspace' ? hold.pending : hold?.kind === 'pending' ? hold : undefined;
}

/**
 * The record of an agent that ended without a result, to continue from: it gets all its retries back, and a pause is
 * over. A question that expired, or was rejected, is asked again without a timeout, and so is a wait for forked agents.
 */
export function reopened({ agent, failure }: StoredRecord): AgentState {
  const { hold, pausedBy: _over, forksPausedBy: _too, nextTurn: _again, ...record } = agent;
  const remaining = remainingHold(hold, failure);
  return remaining === undefined ? record : { ...record, hold: remaining };
}

function remainingHold(hold: Hold | undefined, failure: StoredRecord['failure']): Hold | undefined {
  switch (hold?.kind) {
    case 'retry':
    case 'workspace':
      return pendingOf(hold);
    case 'money':
    case 'lease':
    case 'paused':
      return undefined;
    case 'ask':
    case 'await': {
      const { until, ...open } = hold;
      return until === undefined || failure === undefined || !UNANSWERED.has(failure.type) ? hold : open;
    }
    default:
      return hold;
  }
}

const UNANSWERED: ReadonlySet<FailureType> = new Set(['AskTimedOut', 'AskRejected', 'AwaitTimedOut']);

/**
 * The wait of an agent that is resumed: one that expired while no worker ran, and names no state for that, begins again
 * without a timeout.
 */
export function unlessExpired(hold: Hold & { readonly kind: 'ask' | 'await' }, now: number): Hold {
  const { until, ...open } = hold;
  return until !== undefined && hold.timeoutNext === undefined && now >= until ? open : hold;
}

function settledBy(agent: AgentState, settled: SettledAsk): AgentState {
  return { ...afterDelay(agent), asks: [...(agent.asks ?? []), settled].slice(-REMEMBERED) };
}
