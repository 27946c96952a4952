// The data of a waterfall, independent of its drawing: a lane per agent with a bar per turn, and
// the times between turns.
import type { Run } from '../../serve/types.js';
import type { Turn } from '../words.js';

/** The kinds of bars. Each is drawn differently, not only in another colour. */
export type Stretch = 'ran' | 'retried' | 'failed' | 'waited' | 'queued' | 'running';

/** A part of an agent's time, in epoch milliseconds; `turn` when it is a turn. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly kind: Stretch;
  readonly turn?: number;
  readonly title: string;
}

/** An agent's time. */
export interface Lane {
  readonly agentId: string;
  readonly bars: readonly Bar[];
}

/** All lanes. */
export interface Waterfall {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly Lane[];
}

/** A shorter gap is no wait: it is the start of the next turn. */
const PAUSE_MS = 1000;

/** The lanes of a run, in the order in which its agents started. */
export function waterfallOf(run: Run, turns: readonly Turn[], now: number): Waterfall {
  const byAgent = new Map<string, Turn[]>(run.agents.map(({ id }) => [id, []]));
  for (const turn of turns) {
    const known = byAgent.get(turn.agentId);
    if (known === undefined) byAgent.set(turn.agentId, [turn]);
    else known.push(turn);
  }
  const current = new Map(run.agents.map((agent) => [agent.id, agent]));
  const lanes = [...byAgent]
    .map(([agentId, its]) => ({ agentId, bars: barsOf(its, current.get(agentId), now) }))
    .sort((one, other) => beginOf(one) - beginOf(other));
  const ends = lanes.flatMap(({ bars }) => bars.at(-1)?.to ?? []);
  const from = Date.parse(run.startedAt);
  return { from, to: ends.reduce((most, end) => Math.max(most, end), from + 1), lanes };
}

function beginOf({ bars }: Lane): number {
  return bars[0]?.from ?? Infinity;
}

function barsOf(turns: readonly Turn[], agent: Run['agents'][number] | undefined, now: number): readonly Bar[] {
  const bars: Bar[] = [];
  for (const turn of turns) {
    const { number, state, startedAt, endedAt, queuedAt = startedAt, ranAt = startedAt } = turn;
    const [queued, ran, to] = [queuedAt, ranAt, endedAt].map((time) => Date.parse(time)) as [number, number, number];
    const title = `turn ${number}, ${state}`;
    const last = bars.at(-1);
    if (last !== undefined && queued - last.to > PAUSE_MS)
      bars.push({ from: last.to, to: queued, kind: 'waited', title: 'waited' });
    if (ran > queued) bars.push({ from: queued, to: ran, kind: 'queued', turn: number, title: `${title}, queued` });
    bars.push({ from: ran, to, kind: kindOf(turn), turn: number, title });
  }
  if (agent?.since === undefined || now <= Date.parse(agent.since)) return bars;
  const isAtWork = agent.status === 'running' && agent.phase !== undefined;
  const kind = isAtWork ? (agent.phase === 'queued' ? 'queued' : 'running') : 'waited';
  bars.push({ from: Date.parse(agent.since), to: now, kind, title: `${agent.status}, ${agent.state}` });
  return bars;
}

function kindOf({ end, attempts }: Turn): Stretch {
  if (end.kind !== 'transition') return 'failed';
  return attempts > 1 ? 'retried' : 'ran';
}

/** The bar at a time; of several that are close, the one that is a turn. */
export function barAt({ bars }: Lane, time: number, slackMs: number): Bar | undefined {
  // Bars are in order of time: finds the first that ends later.
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle]?.to ?? 0) < time - slackMs) low = middle + 1;
    else high = middle;
  }
  const near = bars.slice(low, low + 8).filter(({ from }) => from <= time + slackMs);
  return near.find(({ turn }) => turn !== undefined) ?? near[0];
}
