// What commands print of a run: the JSON document, the open questions, and the last word on a run that was followed.
import { ClientError } from '../../client/error.js';
import type { RunView } from '../../client/runs.js';
import type { AskLine } from '../../workflows/contract.js';
import type { Upload } from '../../protocol/ask-files.js';
import { assertNever } from '../../protocol/failure.js';
import { defined, dollars, type Value } from '../../protocol/text.js';
import { ArtifactMissing, type ArtifactStore } from '../../store/store.js';
import type { ClientContext } from '../context.js';
import type { Io } from '../io.js';
import { EXIT, exitOf } from '../exit.js';
import type { ViewFlags } from '../flags.js';
import { endSummary } from './summary.js';

/** A value's text. Throws `ResultElsewhere` when its artifact is not on this host. */
export async function textOf(value: Value, artifacts: ArtifactStore): Promise<string> {
  try {
    return await artifacts.text(value);
  } catch (error) {
    if (error instanceof ArtifactMissing)
      throw new ClientError('ResultElsewhere', `the result is large: ${error.message}`);
    throw error;
  }
}

/** The shape that design and tests promise; absent fields are absent. */
interface RunDocument {
  readonly runId: string;
  readonly status: RunView['status'];
  readonly result?: string;
  readonly costUsd: number;
  readonly budgetUsd?: number;
  readonly forkedFrom?: RunView['forkedFrom'];
  readonly agents: readonly {
    readonly id: string;
    readonly status: string;
    readonly state: string;
    readonly result?: string;
    readonly error?: string;
    readonly about?: string;
    readonly costUsd: number;
  }[];
  readonly asks: readonly AskDocument[];
  readonly startedAt: string;
  readonly endedAt?: string;
}

/** The document of a run, its large results read from the artifact store. */
export async function documentOf(view: RunView, artifacts: ArtifactStore): Promise<RunDocument> {
  const { runId, status, costUsd, budgetUsd, forkedFrom, startedAt, endedAt } = view;
  return {
    runId,
    status,
    ...(await resultOf(view.result, artifacts)),
    costUsd,
    ...defined({ budgetUsd, forkedFrom }),
    agents: await Promise.all(
      view.agents.map(async ({ until: _until, ask: _ask, result, ...line }) => ({
        ...line,
        ...(await resultOf(result, artifacts)),
      })),
    ),
    asks: await asksOf(view, artifacts),
    startedAt: startedAt.toISOString(),
    ...(endedAt === undefined ? {} : { endedAt: endedAt.toISOString() }),
  };
}

async function resultOf(value: Value | undefined, artifacts: ArtifactStore): Promise<{ readonly result?: string }> {
  return value === undefined ? {} : { result: await textOf(value, artifacts) };
}

/** Prints how a run ended or why it waits; gives the exit code. */
export async function reportRun(
  { io, artifacts, link }: Pick<ClientContext, 'io' | 'artifacts' | 'link'>,
  {
    view,
    flags,
    told = new Set(),
  }: {
    readonly view: RunView;
    readonly flags: ViewFlags;
    readonly told?: ReadonlySet<string>;
  },
): Promise<number> {
  if (flags.json === true) await io.print(JSON.stringify(await documentOf(view, artifacts)));
  else if (view.result !== undefined) await io.print(await textOf(view.result, artifacts));
  if (flags.quiet !== true || view.status !== 'completed') {
    const questions = askTexts(view.runId, await asksOf(view, artifacts), told);
    const summary = await endSummary({ io, link }, { view, flags });
    if (summary !== undefined) io.stderr.write(`${summary}\n`);
    io.say(lastWord(view, { told, questions, summarised: summary !== undefined }));
  }
  return exitOf(view.status);
}

/** What to say when a person stopped serving a run. */
export function reportInterrupted({ say }: Io, runId: string): number {
  say(`the run goes on from here with: raymond resume ${runId}`);
  return EXIT.interrupted;
}

function lastWord(
  view: RunView,
  {
    told,
    questions,
    summarised,
  }: {
    readonly told: ReadonlySet<string>;
    readonly questions: readonly string[];
    /** Agents and costs stand above already. */
    readonly summarised: boolean;
  },
): string {
  const { runId, status } = view;
  const cost = dollars(view.costUsd);
  const run = summarised ? runId : `${runId}, ${cost}`;
  const trouble = view.agents.flatMap((agent) => troubleOf(agent, { told, summarised }));
  switch (status) {
    case 'completed':
      return `completed: ${run}`;
    case 'running':
      return `running: ${run}`;
    case 'cancelled':
      return `cancelled: ${run}; go on with: raymond resume ${runId}`;
    case 'failed':
      return [`failed: ${run}`, ...trouble, `mend what failed, then: raymond resume ${runId}`].join('\n');
    case 'asking':
      return [`waiting for an answer: ${run}`, ...trouble, ...questions].join('\n');
    case 'paused':
      return [`paused: ${run}`, ...trouble, `when that is settled: raymond resume ${runId}`].join('\n');
    case 'over-budget':
      return `over budget: ${runId}, ${cost} of ${dollars(view.budgetUsd ?? 0)}; go on with more: raymond budget ${runId} AMOUNT`;
    default:
      return assertNever(status);
  }
}

function troubleOf(
  { id, state, status, error }: RunView['agents'][number],
  { told, summarised }: { readonly told: ReadonlySet<string>; readonly summarised: boolean },
): readonly string[] {
  if (status === 'lost') return [`  ${id}: lost at ${state}: its Temporal workflow no longer exists`];
  if (error === undefined) return [];
  if (!told.has(error)) return [`  ${error}`];
  return summarised ? [] : [`  ${id}: ${status} at ${state}, see above`];
}

/** A question in the JSON document; `until` in ISO form, `show` are paths of files that belong to it. */
interface AskDocument {
  readonly askId: string;
  readonly agentId: string;
  readonly prompt: string;
  readonly until?: string;
  readonly upload?: Upload;
  readonly show?: readonly string[];
}

/** The open questions of a run, without those of these ids. */
export async function asksOf(
  { agents }: RunView,
  artifacts: ArtifactStore,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly AskDocument[]> {
  const asking = agents.flatMap(({ id, ask }) =>
    ask === undefined || known.has(ask.id) ? [] : [{ agentId: id, ask }],
  );
  return await Promise.all(
    asking.map(async ({ agentId, ask }) => ({
      askId: ask.id,
      agentId,
      prompt: ask.prompt === undefined ? NO_ROOM : await textOf(ask.prompt, artifacts),
      ...(ask.until === undefined ? {} : { until: new Date(ask.until).toISOString() }),
      ...(await filesOf(ask, artifacts)),
    })),
  );
}

/** Of very many questions at once the run shows no texts. */
const NO_ROOM = "(too many questions to show them all; Temporal's Web UI shows this one with its agent)";

async function filesOf(ask: AskLine, artifacts: ArtifactStore): Promise<Pick<AskDocument, 'upload' | 'show'>> {
  const stored =
    ask.storedFiles === undefined ? ask : (JSON.parse(await textOf(ask.storedFiles, artifacts)) as AskLine);
  const { upload, shown } = stored;
  return { ...(upload === undefined ? {} : { upload }), ...(shown === undefined ? {} : { show: shown }) };
}

/** The questions as paragraphs for people, each with the command that answers it; of one that was told, the command only. */
export function askTexts(
  runId: string,
  asks: readonly AskDocument[],
  told: ReadonlySet<string> = new Set(),
): readonly string[] {
  return asks.map((ask) => (told.has(ask.askId) ? toldText(runId, ask) : wholeText(runId, ask)));
}

function toldText(runId: string, ask: AskDocument): string {
  return `  ${ask.agentId}, ${ask.askId}: ${answerText(runId, ask)}`;
}

function wholeText(runId: string, ask: AskDocument): string {
  const { askId, agentId, prompt, until, show = [] } = ask;
  return [
    `${agentId} asks (${askId}${until === undefined ? '' : `, until ${until}`}):`,
    ...prompt.split('\n').map((line) => `  ${line}`),
    ...show.map((path) => `  see ${path}`),
    `  ${answerText(runId, ask)}`,
  ].join('\n');
}

function answerText(runId: string, { askId, upload }: AskDocument): string {
  return `answer with: raymond answer ${runId} ${askId} "…"${fileFlags(upload)}`;
}

function fileFlags(upload: Upload | undefined): string {
  if (upload === undefined) return '';
  if (upload.kind === 'bucket') return ' [--file NAME=PATH …]';
  return upload.slots.map(({ name }) => ` --file ${name}=PATH`).join('');
}
