// A run as one JSON document, for --json and the HTTP API. Large texts are read from the artifact store.
import { describeProblem } from '../../protocol/language/problem.js';
import { occasionOf } from '../../protocol/machine/status.js';
import { defined, type Value } from '../../protocol/text.js';
import { ArtifactMissing, type ArtifactStore } from '../../store/store.js';
import type { AskLine } from '../../contract/runs.js';
import type { DocumentOf } from './documents.js';
import { ClientError } from '../error.js';
import type { Order } from '../look/orders.js';
import type { RunLine, RunView } from '../look/runs.js';
import type { RecordedTurn, TurnEnd } from '../../history/turns.js';

/** The document of a run; its schema is in documents.ts. */
export type RunDocument = DocumentOf<'start'>;

/** An operator's order, as JSON. */
type OrderDocument = DocumentOf<'history'>['orders'][number];

/** A question in it; `until` in ISO form, `show` are paths of files to show with it. */
export type AskDocument = RunDocument['asks'][number];

/** Epoch milliseconds in ISO form. */
export function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

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

/** The document of a run. */
export async function documentOf(view: RunView, artifacts: ArtifactStore): Promise<RunDocument> {
  const { runId, status, costUsd, budgetUsd, forkedFrom, labels, sandbox, startedAt, endedAt } = view;
  return {
    runId,
    status,
    ...(await resultOf(view.result, artifacts)),
    costUsd,
    ...defined({ budgetUsd, forkedFrom, labels, sandbox }),
    agents: await Promise.all(
      view.agents.map(async ({ until: _until, ask: _ask, result, ...line }) => ({
        ...line,
        ...(await resultOf(result, artifacts)),
      })),
    ),
    asks: await asksOf(view, artifacts),
    startedAt: startedAt.toISOString(),
    ...defined({ endedAt: endedAt?.toISOString() }),
  };
}

/** A run in a list; `served` = a process executes its turns, `blocked` = why it does not continue. */
export function listDocument({
  view,
  served,
  blocked,
}: {
  readonly view: RunLine;
  readonly served?: boolean;
  readonly blocked?: string;
}): DocumentOf<'list'>[number] {
  const { runId, workflow, status, costUsd, startedAt, endedAt, open, unreadable, labels } = view;
  const times = { startedAt: startedAt.toISOString(), ...defined({ endedAt: endedAt?.toISOString() }) };
  return { runId, status, open, ...times, ...defined({ workflow, labels, served, costUsd, blocked, unreadable }) };
}

async function resultOf(value: Value | undefined, artifacts: ArtifactStore): Promise<{ readonly result?: string }> {
  return value === undefined ? {} : { result: await textOf(value, artifacts) };
}

/** The open questions of a run, without those that were shown before. */
export async function asksOf(
  { agents }: RunView,
  artifacts: ArtifactStore,
  known: ReadonlySet<string> = new Set(),
): Promise<readonly AskDocument[]> {
  const asking = agents.flatMap(({ id, ask }) =>
    ask === undefined || known.has(occasionOf(ask)) ? [] : [{ agentId: id, ask }],
  );
  return await Promise.all(
    asking.map(async ({ agentId, ask }) => ({
      askId: ask.id,
      agentId,
      prompt: await promptOf(ask, artifacts),
      ...defined({ askedAt: isoTime(ask.askedAt), until: isoTime(ask.until) }),
      ...(await filesOf(ask, artifacts)),
    })),
  );
}

/** The text of the question; one that is asked again says why. */
async function promptOf({ prompt, unusable }: AskLine, artifacts: ArtifactStore): Promise<string> {
  const text = prompt === undefined ? NO_ROOM : await textOf(prompt, artifacts);
  return unusable === undefined ? text : `${text}\n\nThe last answer could not be used: ${unusable.why}`;
}

/** The run contains no texts when very many questions are open at once. */
const NO_ROOM = "(too many questions to show them all; Temporal's Web UI shows this one with its agent)";

/** What a question shows and takes. */
export async function filesOf(
  ask: Pick<AskLine, 'upload' | 'shown' | 'choices' | 'storedFiles'>,
  artifacts: ArtifactStore,
): Promise<Pick<AskDocument, 'upload' | 'show' | 'choices'>> {
  const stored =
    ask.storedFiles === undefined ? ask : (JSON.parse(await textOf(ask.storedFiles, artifacts)) as AskLine);
  return defined({ upload: stored.upload, show: stored.shown, choices: stored.choices });
}

/** A recorded turn in a document. */
type TurnDocument = DocumentOf<'history'>['turns'][number];

/** True for a prompt that a fork replaced for its run. */
export function isReplaced({
  before,
  state,
}: {
  readonly before?: RecordedTurn['before'] | undefined;
  readonly state: string;
}): boolean {
  return Object.hasOwn(before?.scope.replaced ?? {}, state);
}

/** The document of a recorded turn. */
export function turnDocument({
  before,
  run: _run,
  output: _printed,
  snapshot: _files,
  startedAt,
  endedAt,
  queuedAt,
  ranAt,
  end,
  ...turn
}: RecordedTurn): TurnDocument {
  const times = {
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    ...defined({ queuedAt: queuedAt?.toISOString(), ranAt: ranAt?.toISOString() }),
  };
  const replaced = isReplaced({ before, state: turn.state }) ? ({ replaced: true } as const) : {};
  return { ...turn, ...times, end: endOf(end), ...replaced };
}

/** An order, as JSON. */
export function orderDocument({ at: date, ...order }: Order): OrderDocument {
  const at = date.toISOString();
  if (order.kind !== 'answer') return { at, ...order };
  const { files, ...answer } = order;
  return { at, ...answer, ...defined({ files: files?.map(({ name }) => name) }) };
}

function endOf(end: TurnEnd): TurnDocument['end'] {
  if (end.kind !== 'problem') return end;
  return { kind: 'problem', message: describeProblem(end.problem), text: end.text };
}
