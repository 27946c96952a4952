// The live view on stderr: a line for every turn that ended; on a terminal, below them, the redrawn table of agents and
// the input line.
import { ReadStream } from 'node:tty';
import type { ArtifactStore } from '../../store/store.js';
import type { Progress } from '../../contract/turns.js';
import type { Order } from '../../client/look/orders.js';
import type { RunView } from '../../client/look/runs.js';
import { assertNever } from '../../protocol/failure.js';
import { occasionOf } from '../../protocol/machine/status.js';
import { dollars, visible } from '../../protocol/text.js';
import type { createLogUpdate } from 'log-update';
import type { AnswerLine, AnswerLineOptions } from './answer-line.js';
import { clockTime } from './format.js';
import type { Verbosity } from '../flags.js';
import type { Io } from '../io.js';
import { asksOf } from '../../client/documents/run-document.js';
import { askTexts } from './output.js';
import { LiveRows } from './live-rows.js';
import { isRepeated, repeatedText, Rounds, stepOf, type Repeated, type Shown, type Step } from './rounds.js';
import type { agentTable, TableSpace } from './table.js';
import { isTerminal, lookOf, TerminalTitle } from './terminal.js';
import { endedText, failedText, orderText, shortText, unusableText } from './transition-text.js';

/** The view of one run. */
export interface LiveView {
  readonly show: (event: Progress) => void;
  /** Shows an answer or another order, unless it was given in this view. */
  readonly showOrder: (order: Order) => void;
  /** Shows the new questions in the run's state. */
  readonly update: (run: RunView, artifacts: ArtifactStore) => Promise<void>;
  /** A line for people, above the redrawn part. */
  readonly note: (line: string) => void;
  readonly close: () => void;
  /** The failures and questions that were shown, so that they are not repeated. */
  readonly shownKeys: Set<string>;
  /** The view shows nothing. */
  readonly isQuiet: boolean;
}

const REDRAW_MS = 150;

/** Lines of the table; the rest of the terminal scrolls. */
const TABLE_LINES = 20;

/** Opens the view on stderr; with `answer`, a question can be answered in it on a terminal. */
export async function openLiveView(
  io: Pick<Io, 'env' | 'stderr' | 'stdin'>,
  { loudness, answer }: { readonly loudness: Verbosity; readonly answer?: AnswerLineOptions['send'] },
): Promise<LiveView> {
  const { stderr: stream } = io;
  const rows = new LiveRows();
  const shownKeys = new Set<string>();
  const isQuiet = loudness === 'quiet';
  const isDrawn = isTerminal(io) && !isQuiet;
  const drawing = isDrawn ? await loadDrawing() : undefined;
  const area = drawing?.createLogUpdate(stream);
  const title = isDrawn ? new TerminalTitle(stream) : undefined;
  const { colors } = lookOf(io);
  let isOpen = true;
  const draw = (): void => {
    if (!isOpen || drawing === undefined) return;
    const space = { ...lookOf(io), height: heightOf(stream), now: Date.now() };
    area?.([rows.draw(drawing.agentTable, space), line?.text(space.width) ?? ''].join('\n').trim());
    if (rows.title !== undefined) title?.show(rows.title);
  };
  const timer = area === undefined ? undefined : setInterval(draw, REDRAW_MS).unref();
  const note = (line: string): void => {
    area?.clear();
    stream.write(`${line}\n`);
    draw();
  };
  const rounds = new Rounds<LiveLine>();
  const noteLine = (one: Shown<LiveLine>): void => note(lineText(one, area !== undefined));
  const line = answer === undefined ? undefined : answerLine(drawing?.AnswerLine, io, { send: answer, note, draw });
  const show = (raw: Progress): void => {
    const event = shown(raw);
    rows.show(event);
    const wording = { loudness, colors, redrawn: area !== undefined, introduction: rows.introduction.bind(rows) };
    const words = isQuiet ? undefined : sentence(event, wording);
    if (words === undefined) return;
    const line = { at: new Date(), words, ...stepOfEvent(raw) };
    for (const one of loudness === 'verbose' ? [line] : rounds.next(line)) noteLine(one);
    failuresOf(raw).forEach((failure) => shownKeys.add(failure));
  };
  const showOrder = (order: Order): void => {
    if (isQuiet || (order.kind === 'answer' && line?.hasAnswered(order.askId) === true)) return;
    const words = `${steady(order.agentId ?? '', colors)} ${visible(orderLine(order))}`;
    note(area === undefined ? stamped(words, order.at) : words);
  };
  const close = (): void => {
    line?.close();
    for (const one of isOpen ? rounds.end() : []) noteLine(one);
    isOpen = false;
    clearInterval(timer);
    area?.clear();
    title?.restore();
  };
  const update = async (run: RunView, artifacts: ArtifactStore): Promise<void> => {
    rows.update(run);
    if (isQuiet) return;
    await showQuestions(run, { artifacts, shownKeys, note });
    line?.update(run.agents.flatMap(({ id, ask }) => (ask === undefined ? [] : [{ askId: ask.id, agentId: id }])));
  };
  return { show, showOrder, update, note, close, shownKeys, isQuiet };
}

/** What a terminal needs: it takes 70 ms to load, which scripts need not wait for. */
async function loadDrawing(): Promise<{
  readonly createLogUpdate: typeof createLogUpdate;
  readonly agentTable: typeof agentTable;
  readonly AnswerLine: typeof AnswerLine;
}> {
  const modules = [import('log-update'), import('./table.js'), import('./answer-line.js')] as const;
  const [updates, table, line] = await Promise.all(modules);
  return { ...updates, ...table, ...line };
}

/** Shows the questions that were not shown before. */
async function showQuestions(
  run: RunView,
  { artifacts, shownKeys, note }: { artifacts: ArtifactStore; shownKeys: Set<string>; note: LiveView['note'] },
): Promise<void> {
  // A question that is not on this host must not end the command; the last message reports it.
  const asks = await asksOf(run, artifacts, shownKeys).catch(() => []);
  for (const text of askTexts(run.runId, asks)) note(visible(text));
  const shown = new Set(asks.map(({ askId }) => askId));
  for (const { ask } of run.agents) if (ask !== undefined && shown.has(ask.id)) shownKeys.add(occasionOf(ask));
}

function heightOf({ rows = 24 }: { readonly rows?: number }): number {
  return Math.max(3, Math.min(TABLE_LINES, rows - 4));
}

/** Undefined where the user cannot type. */
function answerLine(
  Line: typeof AnswerLine | undefined,
  { stdin }: Pick<Io, 'stdin'>,
  options: Pick<AnswerLineOptions, 'send' | 'note' | 'draw'>,
): AnswerLine | undefined {
  if (Line === undefined || !(stdin instanceof ReadStream)) return undefined;
  return new Line({ ...options, stdin, interrupt: () => process.kill(process.pid, 'SIGINT') });
}

function orderLine(order: Order): string {
  return order.kind === 'answer'
    ? `answered by ${order.by}: ${shortText(order.text)}`
    : `${orderText(order)} by ${order.by}`;
}

/** With the time of day in front. */
function stamped(text: string, at: Date): string {
  return `${clockTime(at)} ${text}`;
}

/** A line about a turn, before its rounds are folded. */
interface LiveLine extends Step {
  readonly at: Date;
  readonly words: string;
  readonly state: string;
}

function lineText(shownLine: Shown<LiveLine>, redrawn: boolean): string {
  const { at, words } = isRepeated(shownLine) ? repeatedLine(shownLine) : shownLine;
  return redrawn ? words : stamped(words, at);
}

function repeatedLine(repeated: Repeated<LiveLine>): Pick<LiveLine, 'at' | 'words'> {
  const { at, agentId, state } = repeated.last;
  const last = `the last at ${clockTime(at)}`;
  return { at: new Date(), words: `${agentId} ${state} ${repeatedText(repeated)}, ${last}` };
}

/** Words that a state prints in each round are part of it. */
function stepOfEvent(event: Progress): Step & Pick<LiveLine, 'state'> {
  const { agentId, state } = event;
  if (event.kind === 'printed' || event.kind === 'warned')
    return { agentId, state, waits: false, key: `${event.kind} ${state} ${event.text}` };
  if (event.kind !== 'ended' || event.outcome.kind !== 'transition') return { agentId, state, waits: false };
  return { state, ...stepOf({ agentId, state, end: event.outcome, costUsd: event.costUsd }, endedText(event.outcome)) };
}

/** The failures in an event, worded as in the run's ledger. */
function failuresOf(event: Progress): readonly string[] {
  if (event.kind === 'failed') return [event.message];
  if (event.kind !== 'ended' || event.outcome.kind !== 'problem') return [];
  return [`${event.agentId}, ${event.state}: ${unusableText(event.outcome, event.reminder)}`];
}

type Colors = TableSpace['colors'];

interface Wording {
  readonly loudness: Verbosity;
  readonly redrawn: boolean;
  readonly colors: Colors;
  /** What an agent is about, once. */
  readonly introduction: (agentId: string) => string | undefined;
}

function sentence(event: Progress, { loudness, redrawn, colors, introduction }: Wording): string | undefined {
  const who = (): string => {
    // On a terminal the table shows it.
    const about = redrawn ? undefined : introduction(event.agentId);
    return [
      steady(event.agentId, colors),
      ...(about === undefined ? [] : [colors.dim(`(${about})`)]),
      event.state,
    ].join(' ');
  };
  switch (event.kind) {
    case 'started':
      // A terminal shows the running turn in its redrawn part.
      return redrawn || !event.state.endsWith('.md') ? undefined : `${who()} …`;
    case 'said':
      return loudness === 'verbose' ? saidLines(event.text, who()) : undefined;
    case 'printed':
      return `${who()} ${colors.bold(event.text)}`;
    case 'warned':
      return `${who()} ${colors.yellow('warning:')} ${event.text}`;
    case 'failed':
      return (event.retry === undefined ? colors.red : colors.yellow)(failedText(event.message, event.retry));
    case 'ended':
      return `${who()} ${colors.dim('→')} ${outcomeText(event, colors)} ${colors.dim(tail(event))}`;
    case 'queued':
      return undefined;
    default:
      return assertNever(event);
  }
}

function outcomeText({ outcome, reminder }: Extract<Progress, { readonly kind: 'ended' }>, colors: Colors): string {
  switch (outcome.kind) {
    case 'transition':
      return endedText(outcome);
    case 'problem':
      return colors.red(unusableText(outcome, reminder));
    case 'cancelled':
      return colors.yellow('cancelled');
    default:
      return assertNever(outcome);
  }
}

function tail({ costUsd, durationMs }: { readonly costUsd: number; readonly durationMs: number }): string {
  const time = `${(durationMs / 1000).toFixed(durationMs < 1000 ? 2 : 1)} s`;
  return costUsd > 0 ? `${time}, ${dollars(costUsd)}` : time;
}

function saidLines(text: string, who: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : lines.map((line) => `${who} | ${line}`).join('\n');
}

/** An agent keeps its colour. */
function steady(agentId: string, colors: Colors): string {
  const palette = [colors.cyan, colors.magenta, colors.blue, colors.green, colors.yellow];
  const sum = Buffer.from(agentId).reduce((total, byte) => total + byte, 0);
  return (palette[sum % palette.length] ?? colors.cyan)(agentId);
}

/**
 * Text of states, models and people must not move the cursor or change the terminal's title: control characters are
 * made visible.
 */
function shown<T>(event: T): T {
  if (typeof event === 'string') return visible(event) as T;
  if (Array.isArray(event)) return event.map((item: unknown) => shown(item)) as T;
  if (typeof event !== 'object' || event === null) return event;
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, shown(value as unknown)])) as T;
}
