// The table of agents for a terminal: one line each in the order of their names, folded when there are many, and a line
// of totals. Pure: the same rows, width and time give the same text.
import type pc from 'picocolors';
import stringWidth from 'string-width';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { dollars } from '../../protocol/text.js';
import { shortened } from './columns.js';
import { duration, localTime } from './format.js';

/** The current state of an agent. Times are epoch milliseconds. */
export interface TableRow {
  readonly id: string;
  readonly status: string;
  /** Absent when it is not relevant any more. */
  readonly state?: string;
  /** What it is about: its fork attributes. */
  readonly about?: string;
  /** Since when its turn has been running. */
  readonly since?: number;
  readonly until?: number;
  /** Its total duration in milliseconds, once it has ended. */
  readonly tookMs?: number;
  readonly costUsd: number;
  /** The last output of its turn; at its end, its result. */
  readonly line?: string;
}

/** The run as a whole. */
export interface TableSums {
  readonly startedAt: number;
  readonly costUsd: number;
  readonly budgetUsd?: number;
  /** Agents that have no row. */
  readonly others: number;
}

/** Where the table is shown. */
export interface TableSpace {
  readonly width: number;
  /** Lines for agents; more are folded. */
  readonly height: number;
  readonly now: number;
  readonly unicode: boolean;
  readonly colors: ReturnType<typeof pc.createColors>;
}

const GLYPHS: Readonly<Record<string, readonly [unicode: string, ascii: string]>> = {
  completed: ['✓', '+'],
  failed: ['✗', 'x'],
  lost: ['✗', 'x'],
  cancelled: ['✗', '-'],
  running: ['●', '*'],
  paused: ['⏸', '='],
  asking: ['?', '?'],
};
const WAITING = ['◌', '.'] as const;

/** The table without a final newline. */
export function agentTable(rows: readonly TableRow[], { sums, space }: { sums: TableSums; space: TableSpace }): string {
  const { shown, folded } = selection(rows, space.height);
  const idWidth = Math.min(24, Math.max(0, ...shown.map(({ id }) => stringWidth(id))));
  const lines = shown.toSorted(byName).map((row) => lineOf(row, { idWidth, space }));
  return [...lines, ...foldedLines(folded, space), footer(rows, { sums, space })].join('\n');
}

const names = new Intl.Collator('en', { numeric: true });

function byName(one: TableRow, other: TableRow): number {
  return names.compare(one.id, other.id);
}

/**
 * `main` and agents that need a person come first, then working ones, then the latest that ended; the order of rows
 * stays.
 */
function selection(
  rows: readonly TableRow[],
  height: number,
): { readonly shown: readonly TableRow[]; readonly folded: readonly TableRow[] } {
  if (rows.length <= height) return { shown: rows, folded: [] };
  const ranked = rows.map((row, index) => ({ row, index, rank: rankOf(row) }));
  ranked.sort((a, b) => a.rank - b.rank || (a.rank === 2 ? b.index - a.index : a.index - b.index));
  const kept = new Set(ranked.slice(0, Math.max(1, height - 1)).map(({ index }) => index));
  return {
    shown: rows.filter((_row, index) => kept.has(index)),
    folded: rows.filter((_row, index) => !kept.has(index)),
  };
}

function rankOf({ id, status }: TableRow): number {
  if (id === MAIN_AGENT) return 0;
  if (['asking', 'paused', 'failed', 'lost'].includes(status)) return 0;
  return ['completed', 'cancelled'].includes(status) ? 2 : 1;
}

function lineOf(row: TableRow, { idWidth, space }: { readonly idWidth: number; readonly space: TableSpace }): string {
  const { colors, width, now } = space;
  const cut = (text: string, columns: number): string => shortened(text, columns, ellipsisOf(space));
  const id = cut(row.id, idWidth);
  const facts = [
    ...(row.state === undefined ? [] : [cut(row.state, 24)]),
    ...(row.status === 'running' || row.status === 'completed' ? [] : [statusText(row, now)]),
    ...(row.since === undefined ? [] : [duration(now - row.since)]),
    ...(row.tookMs === undefined ? [] : [duration(row.tookMs)]),
    ...(row.costUsd > 0 ? [dollars(row.costUsd)] : []),
  ];
  const name = `${glyphOf(row.status, space)} ${colors.bold(id)}${' '.repeat(idWidth - stringWidth(id))}`;
  const head = [name, ...facts].join('  ');
  const rest = [row.about, row.line].filter((text) => text !== undefined && text !== '').join(separatorOf(space));
  const room = width - stringWidth(head) - 3;
  // A cut line loses its colours, which end with it.
  if (room < 0) return cut(unstyled(head), width);
  return rest === '' || room < 8 ? head : `${head}  ${colors.dim(cut(rest, room))}`;
}

function unstyled(text: string): string {
  // eslint-disable-next-line no-control-regex -- colours are what is taken out
  return text.replaceAll(/\u001b\[\d+m/g, '');
}

function separatorOf({ unicode }: Pick<TableSpace, 'unicode'>): string {
  return unicode ? ' · ' : ' | ';
}

function ellipsisOf({ unicode }: Pick<TableSpace, 'unicode'>): string {
  return unicode ? '…' : '~';
}

function statusText({ status, until }: TableRow, now: number): string {
  if (until === undefined) return status;
  return until - now > 12 * 3_600_000
    ? `${status} until ${localTime(new Date(until))}`
    : `${status}, ${duration(until - now)} left`;
}

function glyphOf(status: string, { unicode, colors }: TableSpace): string {
  const [fine, plain] = GLYPHS[status] ?? WAITING;
  const glyph = unicode ? fine : plain;
  if (status === 'completed') return colors.green(glyph);
  if (['failed', 'lost', 'cancelled'].includes(status)) return colors.red(glyph);
  return ['asking', 'paused'].includes(status) ? colors.yellow(glyph) : colors.cyan(glyph);
}

function foldedLines(folded: readonly TableRow[], space: TableSpace): readonly string[] {
  if (folded.length === 0) return [];
  const states = countsOf(folded, ({ status, state }) => (state === undefined ? status : `${status} in ${state}`));
  const text = `and ${folded.length} more: ${states.join(', ')}`;
  return [space.colors.dim(shortened(text, space.width, ellipsisOf(space)))];
}

function footer(
  rows: readonly TableRow[],
  { sums, space }: { readonly sums: TableSums; readonly space: TableSpace },
): string {
  const { startedAt, costUsd, budgetUsd, others } = sums;
  const budget = budgetUsd === undefined ? '' : ` of ${dollars(budgetUsd)}`;
  const counts = [...countsOf(rows, ({ status }) => status), ...(others > 0 ? [`${others} more`] : [])];
  const parts = [duration(space.now - startedAt), `${dollars(costUsd)}${budget}`, counts.join(', ')];
  const text = parts.filter((part) => part !== '').join(separatorOf(space));
  return space.colors.dim(shortened(text, space.width, ellipsisOf(space)));
}

function countsOf(rows: readonly TableRow[], key: (row: TableRow) => string): readonly string[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} ${name}`);
}
