// The data of a waterfall, independent of its drawing: a lane per agent with a bar per turn, and
// the times between turns.
import type { Run } from '../../serve/types.js';
import { byAgent } from '../turn-groups.js';
import type { Turn } from '../words.js';

/** The kinds of bars. Each is drawn differently, not only in another colour. */
export type Stretch = 'ran' | 'retried' | 'failed' | 'waited' | 'queued' | 'running';

/** A part of an agent's time, in epoch milliseconds; `turn` when it is a turn. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly kind: Stretch;
  readonly turn?: number;
  /** The name of its state. */
  readonly label?: string;
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

const NO_TURNS: readonly Turn[] = [];

/** A shorter gap is no wait: it is the start of the next turn. */
const PAUSE_MS = 1000;

/** Compares names by the numbers in them: 2 before 10. */
export const byNumber = new Intl.Collator('en', { numeric: true }).compare;

/** The lanes of a run, by the names of its agents. */
export function waterfallOf(run: Run, turns: readonly Turn[], now: number): Waterfall {
  const groups = byAgent(turns);
  const current = new Map(run.agents.map((agent) => [agent.id, agent]));
  const lanes = [...new Set([...current.keys(), ...groups.keys()])]
    .map((agentId) => ({ agentId, bars: barsOf(groups.get(agentId) ?? NO_TURNS, current.get(agentId), now) }))
    .sort((one, other) => byNumber(one.agentId, other.agentId));
  const ends = lanes.flatMap(({ bars }) => bars.at(-1)?.to ?? []);
  const from = Date.parse(run.startedAt);
  return { from, to: ends.reduce((most, end) => Math.max(most, end), from + 1), lanes };
}

type Agent = Run['agents'][number];

function barsOf(turns: readonly Turn[], agent: Agent | undefined, now: number): readonly Bar[] {
  const bars = recordedBars.get(turns) ?? barsOfTurns(turns);
  recordedBars.set(turns, bars);
  const since = Date.parse(agent?.since ?? '');
  return agent !== undefined && now > since ? [...bars, currentBar(agent, { from: since, to: now })] : bars;
}

/** The bars of an agent's recorded turns, which do not change. */
const recordedBars = new WeakMap<readonly Turn[], readonly Bar[]>();

function barsOfTurns(turns: readonly Turn[]): readonly Bar[] {
  const bars: Bar[] = [];
  for (const turn of turns) {
    const { number, state, startedAt, endedAt, queuedAt = startedAt, ranAt = startedAt } = turn;
    const [queued, ran, to] = [queuedAt, ranAt, endedAt].map((time) => Date.parse(time)) as [number, number, number];
    const title = `turn ${number}, ${state}`;
    const last = bars.at(-1);
    if (last !== undefined && queued - last.to > PAUSE_MS)
      bars.push({ from: last.to, to: queued, kind: 'waited', title: 'waited' });
    if (ran > queued) bars.push({ from: queued, to: ran, kind: 'queued', turn: number, title: `${title}, queued` });
    bars.push({ from: ran, to, kind: kindOf(turn), turn: number, label: state, title });
  }
  return bars;
}

function currentBar({ status, phase, turn, state }: Agent, time: Pick<Bar, 'from' | 'to'>): Bar {
  const title = `${status}, ${state}`;
  if (status !== 'running' && status !== 'queued') return { ...time, kind: 'waited', title };
  const kind = status === 'queued' || phase === 'queued' ? 'queued' : 'running';
  return { ...time, kind, title, label: state, ...(turn === undefined ? {} : { turn }) };
}

function kindOf({ end, attempts }: Turn): Stretch {
  if (end.kind !== 'transition') return 'failed';
  return attempts > 1 ? 'retried' : 'ran';
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** The distances of ticks, in milliseconds. */
const STEPS: readonly number[] = [
  ...[100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map((seconds) => seconds * SECOND),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY),
];

/** The least distance of two ticks, in pixels. */
const TICK_PX = 90;

/** The ticks of an axis: at round times of day in the browser's zone. */
export function ticksOf(
  { from, to }: Pick<Waterfall, 'from' | 'to'>,
  { perPixel }: { readonly perPixel: number },
): readonly { readonly time: number; readonly words: string }[] {
  const step = STEPS.find((one) => one / perPixel >= TICK_PX) ?? Math.ceil((TICK_PX * perPixel) / DAY) * DAY;
  const zone = new Date(from).getTimezoneOffset() * 60 * SECOND;
  const first = Math.ceil((from - zone) / step) * step + zone;
  const count = Math.max(0, Math.min(Math.floor((to - first) / step) + 1, 200));
  return Array.from({ length: count }, (_one, index) => first + index * step).map((time) => ({
    time,
    words: tickWords(new Date(time), step),
  }));
}

const DATES = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const MINUTES = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const SECONDS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function tickWords(time: Date, step: number): string {
  if (step >= DAY) return DATES.format(time);
  if (step >= 60 * SECOND) return MINUTES.format(time);
  const seconds = SECONDS.format(time);
  return step >= SECOND ? seconds : `${seconds} +${time.getMilliseconds()} ms`;
}

/** The time of the bar that is closest to a time: what is zoomed in on is not empty. */
export function nearestBar({ lanes }: Waterfall, time: number): number {
  let nearest = Infinity;
  for (const { bars } of lanes)
    for (const { from, to, kind } of bars) {
      if (kind === 'waited') continue;
      const at = Math.min(Math.max(time, from), to);
      if (Math.abs(at - time) < Math.abs(nearest - time)) nearest = at;
    }
  return nearest === Infinity ? time : nearest;
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
