// Statistics of the runs of a workflow: how many completed, and their cost and time. Pure.
import { defined, exactly } from '../../protocol/text.js';
import { failedAgents, type RunLine } from './runs.js';

/** The figures. Cost and time are those of completed runs. */
export interface RunStatistics {
  readonly runs: number;
  readonly open: number;
  readonly completed: number;
  /** Completed runs of which agents failed. */
  readonly withFailures: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly overBudget: number;
  /** Of all of them. */
  readonly costUsd: number;
  readonly medianCostUsd?: number;
  /** Nine of ten runs cost at most this. */
  readonly highCostUsd?: number;
  readonly medianMs?: number;
}

type Line = Pick<RunLine, 'status' | 'open' | 'costUsd' | 'startedAt' | 'endedAt' | 'agents'>;

/** The figures of these runs. */
export function statisticsOf(lines: readonly Line[]): RunStatistics {
  const ended = lines.filter(({ open }) => !open);
  const of = (wanted: Line['status']): number => ended.filter(({ status }) => status === wanted).length;
  const completed = ended.filter(({ status }) => status === 'completed');
  const costs = completed.flatMap(({ costUsd }) => costUsd ?? []);
  const times = completed.flatMap(({ startedAt, endedAt }) =>
    endedAt === undefined ? [] : [endedAt.getTime() - startedAt.getTime()],
  );
  return {
    runs: lines.length,
    open: lines.length - ended.length,
    completed: completed.length,
    withFailures: completed.filter((line) => failedAgents(line) > 0).length,
    failed: of('failed'),
    cancelled: of('cancelled'),
    overBudget: of('over-budget'),
    costUsd: exactly(lines.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)),
    ...defined({ medianCostUsd: ranked(costs, 0.5), highCostUsd: ranked(costs, 0.9), medianMs: ranked(times, 0.5) }),
  };
}

/** The value that this share of the values does not exceed. */
function ranked(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)];
}
