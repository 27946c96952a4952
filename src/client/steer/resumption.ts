// The effects of resuming a run, agent by agent: which continue, which failed and need `retry`, and which questions
// need `answer`. Pure: it reads the run as it was before.
import { clip, defined } from '../../protocol/text.js';
import { ENDED, type AgentLine } from '../../contract/runs.js';
import type { RunView } from '../look/runs.js';
import { expiredAsk, expiredText, hasExpired } from './expired.js';

/** The effects of a resumption, and what it could not do. */
export interface Resumption {
  /** The agents that continue. */
  readonly resumed: readonly Resumed[];
  /** The agents that failed or were lost: only `retry` starts them again. */
  readonly failed: readonly string[];
  /** The questions that still accept an answer. */
  readonly asks: readonly OpenQuestion[];
  /** Whose pause it has cancelled. */
  readonly pausedBy?: string;
  /** Whether the run had ended, and was started again. */
  readonly restarted?: true;
  /** Whether the run was stopping: its agents without a result continue when all of its agents have ended. */
  readonly reopened?: true;
  /** Whether no worker has processed the order yet. */
  readonly unprocessed?: true;
}

/** An agent that continues, and `why` it was held, if known. */
export interface Resumed {
  readonly id: string;
  readonly why?: string;
}

/** A question of an agent. */
export interface OpenQuestion {
  readonly id: string;
  readonly agentId: string;
}

/** The same as JSON. */
interface ResumptionFacts {
  readonly resumed: readonly string[];
  readonly failed: readonly string[];
  readonly asks: readonly string[];
  readonly pausedBy?: string;
  readonly restarted?: true;
  readonly reopened?: true;
  readonly unprocessed?: true;
}

/**
 * The effects of resuming an open run at `now` (epoch milliseconds). One that is stopping starts its agents again when
 * all of them have ended.
 */
export function resumptionOf(run: RunView, now: number): Resumption {
  const { agents, pausedBy } = run;
  const asks = agents.flatMap(({ id, ask }) =>
    ask === undefined || hasExpired(ask, now) ? [] : [{ id: ask.id, agentId: id }],
  );
  if (isStopping(run)) return { resumed: [], failed: [], asks, reopened: true };
  return {
    resumed: agents.flatMap((line) => resumedBy(line, now)),
    failed: agents.flatMap(({ id, status }) => (FAILED.has(status) ? [id] : [])),
    asks,
    ...defined({ pausedBy }),
  };
}

/** Also when its last agent has just ended, and it is about to close without a result. */
function isStopping({ agents, agentsHidden, status, stopping }: RunView): boolean {
  if (stopping === true) return true;
  if (status === 'completed' || agentsHidden !== undefined) return false;
  return agents.length > 0 && agents.every((line) => ENDED.has(line.status));
}

/** The effects of restarting a closed run: these agents continue from their records. */
export function restarted({ agents }: RunView, ids: readonly string[]): Resumption {
  const lines = new Map(agents.map((line) => [line.id, line]));
  const resumed = ids.map((id) => ({ id, ...defined({ why: lines.get(id)?.status }) }));
  return { resumed, failed: [], asks: [], restarted: true };
}

/** True when no agent continues. */
export function isEmpty({ resumed, pausedBy, ...effects }: Resumption): boolean {
  const { restarted: again, reopened, unprocessed } = effects;
  return resumed.length === 0 && pausedBy === undefined && (again ?? reopened ?? unprocessed) === undefined;
}

/** The facts. */
export function factsOf({ resumed, asks, ...facts }: Resumption): ResumptionFacts {
  return { resumed: resumed.map(({ id }) => id), asks: asks.map(({ id }) => id), ...facts };
}

const HELD: ReadonlySet<AgentLine['status']> = new Set(['paused', 'waiting']);
const FAILED: ReadonlySet<AgentLine['status']> = new Set(['failed', 'lost']);

/** An agent that is held, or whose question expired while no worker executed the run. */
function resumedBy(line: AgentLine, now: number): readonly Resumed[] {
  const { id, status } = line;
  if (HELD.has(status)) return [{ id, why: whyHeld(line) }];
  const ask = expiredAsk(line, now);
  return ask === undefined ? [] : [{ id, why: expiredText(ask, now) }];
}

/** The longest reason, in characters: it must fit on a line. */
const MAX_WHY = 160;

/** `paused: …`; a failure begins with its agent and state, which are shown separately. */
function whyHeld({ id, status, state, error = '' }: AgentLine): string {
  const [first = ''] = error.replace(`${id}, ${state}: `, '').replace(`${id}, `, '').split('\n');
  return first === '' ? status : `${status}: ${clip(first, MAX_WHY)}`;
}
