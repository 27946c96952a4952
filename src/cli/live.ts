// What people see on stderr while a run goes on: on a terminal one line per live agent that is redrawn, else plain lines.
import pc from 'picocolors';
import type { ArtifactStore } from '../store/store.js';
import type { Progress, TurnOutcome } from '../activities/types.js';
import type { RunView } from '../client/runs.js';
import { assertNever } from '../protocol/failure.js';
import { describeProblem } from '../protocol/problem.js';
import { visible } from '../protocol/text.js';
import type { Io } from './io.js';
import { askTexts, asksOf } from './output.js';
import { transitionText } from './transition-text.js';

/** How much to show: nothing, the turns, or also what they say. */
export type Verbosity = 'quiet' | 'normal' | 'verbose';

/** The view of one run. */
export interface LiveView {
  readonly take: (news: Progress) => void;
  /** Takes a look at the run: questions that are new are shown. */
  readonly look: (run: RunView, artifacts: ArtifactStore) => Promise<void>;
  /** A line for people, above the redrawn part. */
  readonly note: (line: string) => void;
  readonly close: () => void;
  /** The failures and questions that were shown: nobody needs to read them twice. */
  readonly told: ReadonlySet<string>;
}

const REDRAW_MS = 150;

/** Opens the view on stderr. */
export async function openLiveView(
  { env, stderr: stream }: Pick<Io, 'env' | 'stderr'>,
  loudness: Verbosity,
): Promise<LiveView> {
  const agents = new Map<string, AgentRow>();
  const told = new Set<string>();
  // It takes 40 ms to load, which scripts need not wait for.
  const area = stream.isTTY && loudness !== 'quiet' ? (await import('log-update')).createLogUpdate(stream) : undefined;
  const colors = pc.createColors(isColoured(env, stream));
  const width = (): number => stream.columns ?? 80;
  const draw = (): void =>
    area?.([...agents.values()].map((row) => lineOf(row, { colors, width: width() })).join('\n'));
  const timer = area === undefined ? undefined : setInterval(draw, REDRAW_MS).unref();
  const note = (line: string): void => {
    area?.clear();
    stream.write(`${line}\n`);
    draw();
  };
  const take = (raw: Progress): void => {
    const news = shown(raw);
    follow(agents, news);
    const line = loudness === 'quiet' ? undefined : sentence(news, { loudness, colors, redrawn: area !== undefined });
    if (line !== undefined) note(line);
    if (line !== undefined) toldFailures(raw).forEach((failure) => told.add(failure));
  };
  const close = (): void => {
    clearInterval(timer);
    area?.clear();
  };
  const look = async (run: RunView, artifacts: ArtifactStore): Promise<void> => {
    if (loudness === 'quiet') return;
    // A question that is not on this host must not end the serving; the last word says so.
    const asks = await asksOf(run, artifacts, told).catch(() => []);
    for (const text of askTexts(run.runId, asks)) note(visible(text));
    for (const { askId } of asks) told.add(askId);
  };
  return { take, look, note, close, told };
}

/** The failures in a piece of news, in the words of the run's ledger. */
function toldFailures(news: Progress): readonly string[] {
  if (news.kind === 'failed') return [news.message];
  if (news.kind !== 'ended' || news.outcome.kind !== 'problem') return [];
  return [`${news.agentId}, ${news.state}: ${describeProblem(news.outcome.problem)}`];
}

interface AgentRow {
  readonly news: Progress;
  readonly since: number;
  readonly last: string;
}

function follow(agents: Map<string, AgentRow>, news: Progress): void {
  const { agentId } = news;
  const known = agents.get(agentId);
  if (news.kind === 'ended' || news.kind === 'failed') agents.delete(agentId);
  else if (news.kind === 'said' && known) agents.set(agentId, { ...known, last: lastLine(news.text) || known.last });
  else if (news.kind === 'queued' || news.kind === 'started')
    agents.set(agentId, { news, since: Date.now(), last: '' });
}

type Colors = ReturnType<typeof pc.createColors>;

/** As people ask for it by their environment, else on terminals. */
function isColoured(env: NodeJS.ProcessEnv, { isTTY = false }: Io['stderr']): boolean {
  if (env['NO_COLOR']) return false;
  return env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : isTTY && env['TERM'] !== 'dumb';
}

function lineOf(
  { news, since, last }: AgentRow,
  { colors, width }: { readonly colors: Colors; readonly width: number },
): string {
  const seconds = ((Date.now() - since) / 1000).toFixed(0);
  const head = `${colors.cyan(news.agentId)} ${news.state} ${colors.dim(`${news.kind === 'queued' ? 'queued ' : ''}${seconds} s`)}`;
  const left = Math.max(20, width - news.agentId.length - news.state.length - 12);
  return last === '' ? head : `${head} ${colors.dim(last.slice(0, left))}`;
}

interface Wording {
  readonly loudness: Verbosity;
  readonly redrawn: boolean;
  readonly colors: Colors;
}

function sentence(news: Progress, { loudness, redrawn, colors }: Wording): string | undefined {
  const who = `${colors.cyan(news.agentId)} ${news.state}`;
  switch (news.kind) {
    case 'started':
      // A terminal shows the running turn in its redrawn part.
      return redrawn || !news.state.endsWith('.md') ? undefined : `${who} …`;
    case 'said':
      return loudness === 'verbose' ? indent(news.text) : undefined;
    case 'printed':
      return `${who} ${colors.bold(news.text)}`;
    case 'warned':
      return `${who} ${colors.yellow('warning:')} ${news.text}`;
    case 'failed':
      return colors.red(news.message);
    case 'ended':
      return `${who} ${colors.dim('→')} ${outcomeText(news.outcome, colors)} ${colors.dim(tail(news))}`;
    case 'queued':
      return undefined;
    default:
      return assertNever(news);
  }
}

function outcomeText(outcome: TurnOutcome, colors: Colors): string {
  switch (outcome.kind) {
    case 'transition':
      return transitionText(outcome.transition);
    case 'problem':
      return colors.red(describeProblem(outcome.problem));
    case 'cancelled':
      return colors.yellow('cancelled');
    default:
      return assertNever(outcome);
  }
}

function tail({ costUsd, durationMs }: { readonly costUsd: number; readonly durationMs: number }): string {
  const time = `${(durationMs / 1000).toFixed(durationMs < 1000 ? 2 : 1)} s`;
  return costUsd > 0 ? `${time}, $${costUsd.toFixed(4)}` : time;
}

function indent(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : lines.map((line) => `  ${line}`).join('\n');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

/** What states, models and people have written must not move the cursor or retitle the terminal: every text of a piece of news is shown. */
function shown<T>(news: T): T {
  if (typeof news === 'string') return visible(news) as T;
  if (Array.isArray(news)) return news.map((item: unknown) => shown(item)) as T;
  if (typeof news !== 'object' || news === null) return news;
  return Object.fromEntries(Object.entries(news).map(([name, value]) => [name, shown(value as unknown)])) as T;
}
