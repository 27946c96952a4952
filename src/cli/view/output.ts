// The final output about a run that was followed: its document or its result, the open questions, and the last line.
import { asksOf, documentOf, textOf, type AskDocument } from '../../client/documents/run-document.js';
import type { RunView } from '../../client/look/runs.js';
import type { Upload } from '../../protocol/language/ask-files.js';
import { assertNever } from '../../protocol/failure.js';
import { expiredText, hasExpired } from '../../client/steer/expired.js';
import { defined, dollars } from '../../protocol/text.js';
import type { ClientContext } from '../context.js';
import { exitOf } from '../exit.js';
import type { ViewFlags } from '../flags.js';
import { localTime } from './format.js';
import { printDocument } from './json.js';
import { isTerminal } from './terminal.js';

/** Prints how a run ended or why it waits; returns the exit code. */
export async function reportRun(
  { io, artifacts, link }: Pick<ClientContext, 'io' | 'artifacts' | 'link'>,
  {
    view,
    flags,
    shownKeys = new Set(),
    asLine = false,
  }: {
    readonly view: RunView;
    readonly flags: ViewFlags;
    readonly shownKeys?: ReadonlySet<string>;
    /** The document is the last of several lines. */
    readonly asLine?: boolean;
  },
): Promise<number> {
  if (flags.json === true) {
    const run = await documentOf(view, artifacts);
    await (asLine ? printDocument(io, 'watch', { event: 'run', run }) : printDocument(io, 'start', run));
  } else if (view.result !== undefined) await io.print(await textOf(view.result, artifacts));
  if (flags.quiet !== true || view.status !== 'completed') {
    const questions = askTexts(view.runId, await asksOf(view, artifacts), { shownKeys });
    const isSummarised = !view.open && flags.quiet !== true && isTerminal(io);
    const summary = isSummarised ? await (await import('./summary.js')).endSummary({ io, link }, view) : undefined;
    if (summary !== undefined) io.stderr.write(`${summary}\n`);
    io.say(lastWord(view, { shownKeys, questions, summarised: summary !== undefined }));
  }
  return exitOf(view.status);
}

function lastWord(
  view: RunView,
  {
    shownKeys,
    questions,
    summarised,
  }: {
    readonly shownKeys: ReadonlySet<string>;
    readonly questions: readonly string[];
    /** Agents and costs are already shown above. */
    readonly summarised: boolean;
  },
): string {
  const { runId, status } = view;
  const cost = dollars(view.costUsd);
  const run = summarised ? runId : `${runId}, ${cost}`;
  const trouble = view.agents.flatMap((agent) => troubleOf(agent, { shownKeys, summarised }));
  switch (status) {
    case 'completed':
      return `completed: ${run}`;
    case 'running':
      return `running: ${run}`;
    case 'cancelled':
      return `cancelled: ${run}; continue it with: raymond resume ${runId}`;
    case 'failed':
      return [`failed: ${run}`, ...trouble, `fix the cause, then run: raymond resume ${runId}`].join('\n');
    case 'asking':
      return [`waiting for an answer: ${run}`, ...trouble, ...questions].join('\n');
    case 'paused':
      return [`paused: ${run}`, ...trouble, `once resolved, run: raymond resume ${runId}`].join('\n');
    case 'over-budget':
      return `over budget: ${runId}, ${cost} of ${dollars(view.budgetUsd ?? 0)}; to continue, raise it with: raymond budget ${runId} AMOUNT`;
    default:
      return assertNever(status);
  }
}

function troubleOf(
  { id, state, status, error }: RunView['agents'][number],
  { shownKeys, summarised }: { readonly shownKeys: ReadonlySet<string>; readonly summarised: boolean },
): readonly string[] {
  if (status === 'lost') return [`  ${id}: lost at ${state}: its Temporal workflow no longer exists`];
  if (error === undefined) return [];
  if (!shownKeys.has(error)) return [`  ${error}`];
  return summarised ? [] : [`  ${id}: ${status} at ${state}, see above`];
}

/** How questions are shown; `now` in epoch milliseconds, absent = the present. */
interface AskView {
  /** Questions that have already been shown. */
  readonly shownKeys?: ReadonlySet<string>;
  readonly now?: number;
}

/**
 * The questions as paragraphs, each with the command that answers it; for a question that was shown, only the command.
 */
export function askTexts(
  runId: string,
  asks: readonly AskDocument[],
  { shownKeys = new Set(), now = Date.now() }: AskView = {},
): readonly string[] {
  return asks.map((ask) => {
    const next = nextText(runId, { ask, now });
    return shownKeys.has(ask.askId) ? `  ${ask.agentId}, ${ask.askId}: ${next}` : wholeText(ask, next);
  });
}

function wholeText({ askId, agentId, prompt, until, show = [] }: AskDocument, next: string): string {
  return [
    `${agentId} asks (${askId}${until === undefined ? '' : `, until ${localTime(new Date(until))}`}):`,
    ...prompt.split('\n').map((line) => `  ${line}`),
    ...show.map((path) => `  see ${path}`),
    `  ${next}`,
  ].join('\n');
}

function nextText(runId: string, { ask, now }: { readonly ask: AskDocument; readonly now: number }): string {
  const { askId, upload, choices } = ask;
  const line = { id: askId, ...defined({ until: ask.until === undefined ? undefined : Date.parse(ask.until) }) };
  if (hasExpired(line, now)) return `${expiredText(line, now)}; continue with: raymond resume ${runId}`;
  const offered = choices === undefined ? '' : ` ${choices.join(', ')}, or another answer,`;
  return `answer${offered} with: raymond answer ${runId} ${askId} "…"${fileFlags(upload)}`;
}

function fileFlags(upload: Upload | undefined): string {
  if (upload === undefined) return '';
  if (upload.kind === 'bucket') return ' [--file NAME=PATH …]';
  return upload.slots.map(({ name }) => ` --file ${name}=PATH`).join('');
}
