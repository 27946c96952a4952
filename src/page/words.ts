// Formats times, money, and statuses with their symbols, as in a terminal
// (docs/reference/terminal.md).
import { dollars } from '../protocol/text.js';
import type { Run, Session, Turns } from '../serve/types.js';

/** What a role allows. */
export const ROLE_WORDS: Readonly<Record<Session['role'], string>> = {
  view: 'can only look',
  answer: 'can answer questions',
  operate: 'can do everything',
};

/** The status of an agent. */
export type AgentStatus = Run['agents'][number]['status'];
/** The status of a run. */
export type RunStatus = Run['status'];
/** A recorded turn. */
export type Turn = Turns['turns'][number];

/** The signs of the terminal. */
export const SIGNS: Readonly<Record<AgentStatus | RunStatus, string>> = {
  running: '●',
  waiting: '◌',
  queued: '◌',
  sleeping: '◌',
  awaiting: '◌',
  asking: '?',
  paused: '‖',
  completed: '✓',
  failed: '✗',
  cancelled: '–',
  lost: '✗',
  'over-budget': '✗',
};

/** The meaning of a colour: working, waiting, needs a person, good, bad. */
export type Tone = 'work' | 'wait' | 'ask' | 'good' | 'bad';

/** The colour of a status. */
export const TONES: Readonly<Record<AgentStatus | RunStatus, Tone>> = {
  running: 'work',
  waiting: 'wait',
  queued: 'wait',
  sleeping: 'wait',
  awaiting: 'wait',
  asking: 'ask',
  paused: 'wait',
  completed: 'good',
  failed: 'bad',
  cancelled: 'wait',
  lost: 'bad',
  'over-budget': 'bad',
};

/** Statuses of runs, in the order of a filter. */
export const RUN_STATUSES: readonly RunStatus[] = [
  'running',
  'asking',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'over-budget',
];

/** `0.5 s`, `12 s`, `3 min 4 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes} min ${Math.floor(seconds) % 60} s`;
}

/** The same in whole seconds, for a time that still grows. */
export function seconds(ms: number): string {
  return ms < 10_000 ? `${Math.floor(Math.max(ms, 0) / 1000)} s` : duration(ms);
}

/** `1,200 in, 300 out, 15,000 read from the cache`; zeros are omitted. */
export function tokensIn({ input, output, cacheRead, cacheWrite }: NonNullable<Turn['tokens']>): string {
  const parts: readonly (readonly [count: number, what: string])[] = [
    [input, 'in'],
    [output, 'out'],
    [cacheRead, 'read from the cache'],
    [cacheWrite, 'written to it'],
  ];
  const shown = parts.filter(([count]) => count > 0);
  return shown.map(([count, what]) => `${count.toLocaleString('en')} ${what}`).join(', ');
}

// A formatter takes far longer to make than to use, and a page shows hundreds of times.
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const ZONE = WHOLE.resolvedOptions().timeZone;

/** A time for people, shorter for today. */
export function when(iso: string, now = new Date()): string {
  const time = new Date(iso);
  return (time.toDateString() === now.toDateString() ? TIME : DATE_AND_TIME).format(time);
}

/** The whole time with its zone, for a tooltip. */
export function exactly(iso: string): string {
  return `${iso} · ${WHOLE.format(new Date(iso))} (${ZONE})`;
}

/** `3 min ago`, in one unit. */
export function ago(iso: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / (24 * 60))} days ago`;
}

/** The beginning of a text in one line. */
export function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 140 ? `${line.slice(0, 140)} …` : line;
}

/** `1 agent`, `2 agents`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `1.2 kB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(1)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

/** How a turn ended, in a few words: the tag and where it led. */
export function endOf({ end }: Pick<Turn, 'end'>): { readonly text: string; readonly tone: Tone } {
  switch (end.kind) {
    case 'transition': {
      const { kind, target, next, forks } = end.transition;
      const to = target ?? next;
      const whom = forks === undefined ? (to ?? '') : forks.map((fork) => fork.target).join(', ');
      return { text: whom === '' ? kind : `${kind} → ${whom}`, tone: 'good' };
    }
    case 'problem':
      return { text: end.message, tone: 'ask' };
    case 'failed':
      return { text: end.failure.message, tone: 'bad' };
    case 'cancelled':
      return { text: 'cancelled', tone: 'wait' };
  }
}

/** A state is a prompt by its file's ending. */
export function kindOf(state: string | undefined): 'prompt' | 'script' {
  return state?.endsWith('.md') === true ? 'prompt' : 'script';
}

/** What a run has spent, as far as it is known, and its budget. */
interface Spent {
  readonly costUsd?: number | undefined;
  readonly budgetUsd?: number | undefined;
}

/** Why a run over its budget stopped. */
export function overBudget({ costUsd = 0, budgetUsd }: Spent): string {
  return `Spent ${dollars(costUsd)}${budgetUsd === undefined ? '' : ` of ${dollars(budgetUsd)}`}; it needs a higher budget.`;
}
