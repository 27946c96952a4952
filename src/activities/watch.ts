// Observers of a worker's turns: metrics and traces. attempt.ts reports the start and the end of
// every turn, and only if there are observers.
import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ModelSpending } from '../backends/backend.js';
import type { Attributes } from '../protocol/language/tag.js';
import type { Labels } from '../protocol/labels.js';
import { defined } from '../protocol/text.js';
import type { Environment } from './environment/environment.js';
import type { Tokens } from '../contract/records.js';
import type { TurnFailureDetails, TurnReport, TurnRequest } from '../contract/turns.js';

/** An attempt that starts. */
export interface WatchedTurn {
  readonly runId: string;
  readonly agentId: string;
  readonly state: string;
  readonly turn: number;
  readonly attempt: number;
  readonly kind: 'prompt' | 'script';
  /** The agent's fork attributes, in its first state. */
  readonly attributes: Attributes;
  readonly labels?: Labels;
}

/** How it ended: `transition`, `problem`, `cancelled`, or the failure's type with its message. */
export interface TurnEnd {
  readonly outcome: string;
  readonly failure?: string;
  /** The full cost of the turn, with that of earlier attempts that could not report. */
  readonly costUsd: number;
  /** The account of Claude that it spent from. */
  readonly account?: string;
  /** What this attempt spent, by model. */
  readonly spending: readonly ModelSpending[];
}

/** One watcher's view of one attempt. */
export interface TurnWatch {
  /** Variables for the attempt's process. */
  readonly environment: Environment;
  end(end: TurnEnd): void;
}

/** Observes turns; must return at once and never throw. */
export interface TurnWatcher {
  begin(turn: WatchedTurn): TurnWatch;
}

/** An attempt, as watchers see it. */
interface StartedAttempt {
  readonly worker: { readonly watchers: readonly TurnWatcher[] };
  readonly request: Pick<TurnRequest, 'runId' | 'agent' | 'settings'>;
  readonly context: Pick<Context, 'info'>;
}

/** Reports an attempt to its worker's watchers; undefined when there are none. */
export function watchAttempt(
  { worker, request, context }: StartedAttempt,
  kind: WatchedTurn['kind'],
): TurnWatch | undefined {
  if (worker.watchers.length === 0) return undefined;
  const { runId, agent } = request;
  const { id: agentId, state, attributes } = agent;
  const { attempt } = context.info;
  const { labels } = request.settings;
  const turn = { runId, agentId, state, turn: agent.turn + 1, attempt, kind, attributes, ...defined({ labels }) };
  return watchTurn(worker.watchers, turn);
}

/** Reports a turn to all watchers. */
export function watchTurn(watchers: readonly TurnWatcher[], turn: WatchedTurn): TurnWatch {
  const watches = watchers.map((watcher) => watcher.begin(turn));
  return {
    environment: Object.assign({}, ...watches.map(({ environment }) => environment)) as Environment,
    end: (end) => watches.forEach((watch) => watch.end(end)),
  };
}

/** The tokens of an attempt, for all models; undefined when none were reported. */
export function tokensOf(spending: readonly ModelSpending[]): Tokens | undefined {
  const sum = (name: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'): number =>
    spending.reduce((total, one) => total + one[name], 0);
  const tokens = {
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadTokens'),
    cacheWrite: sum('cacheWriteTokens'),
  };
  return Object.values(tokens).some((count) => count > 0) ? tokens : undefined;
}

/** How an attempt with a report ended. */
export function endOfReport({ outcome, costUsd, account }: TurnReport, spending: readonly ModelSpending[]): TurnEnd {
  return { outcome: outcome.kind, costUsd, spending, ...defined({ account }) };
}

/** How an attempt ended that failed or was interrupted by a cancellation. */
export function endOfError(error: unknown, spending: readonly ModelSpending[]): TurnEnd {
  if (!(error instanceof ApplicationFailure)) return { outcome: 'cancelled', costUsd: 0, spending };
  const [details] = (error.details ?? []) as readonly (TurnFailureDetails | undefined)[];
  return {
    outcome: error.type ?? 'Unforeseen',
    failure: error.message,
    costUsd: details?.costUsd ?? 0,
    ...defined({ account: details?.account }),
    spending,
  };
}

/** The name for costs without a reported model. */
const UNKNOWN_MODEL = 'unknown';

/** The full cost of a turn by model: costs without a model count for the first one. */
export function chargedByModel({ costUsd, spending }: TurnEnd): readonly ModelSpending[] {
  const known = spending.reduce((sum, { costUsd: usd }) => sum + usd, 0);
  const rest = costUsd - known;
  if (rest < 1e-9) return spending;
  const [first, ...others] = spending;
  const tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  if (first === undefined) return [{ model: UNKNOWN_MODEL, costUsd: rest, ...tokens }];
  return [{ ...first, costUsd: first.costUsd + rest }, ...others];
}
