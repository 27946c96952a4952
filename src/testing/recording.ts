// Makes a test from a real run: the replies to its prompts, the answers of people, its path and its cost. Of files it
// knows only those that a model wrote whole.
import { dirname, isAbsolute, relative } from 'node:path';
import { Document, type YAMLMap } from 'yaml';
import { lastTurn } from '../backends/claude/transcript.js';
import { SCRIPTED_FAILURES } from '../backends/scripted/script.js';
import type { RunView } from '../client/look/runs.js';
import type { RecordedTurn } from '../history/turns.js';
import { MAIN_AGENT, stem } from '../protocol/ids.js';
import { executorOf } from '../protocol/language/resolve.js';
import { originOf } from '../protocol/scope.js';
import { ArtifactMissing, type ArtifactStore } from '../store/store.js';
import { visitsOf } from './expect.js';

/** A run that has ended or is held, with all its turns in the order in which they ended. */
interface RecordedRun {
  readonly view: RunView;
  readonly turns: readonly RecordedTurn[];
  readonly artifacts: ArtifactStore;
}

interface Reply {
  says?: string;
  fails?: string;
  cost?: number;
  writes?: Readonly<Record<string, string>>;
}

/** The recorded length of a state's hash, in characters. */
const HASH = 16;

/** The content of a test file; `file` is its future path. */
export async function recorded(run: RecordedRun, file: string): Promise<string> {
  const { view, turns, artifacts } = run;
  const main = turns.find(({ agentId }) => agentId === MAIN_AGENT)?.before;
  const changed = new Set<string>();
  const claude = await repliesOf(run, changed);
  const scope = main === undefined ? view.scope : originOf(main.scope);
  const result = view.result === undefined ? undefined : await artifacts.text(view.result);
  const input = main?.pending === undefined ? undefined : await artifacts.text(main.pending.value);
  const document = new Document({
    workflow: relative(dirname(file), scope) || '.',
    ...(input === undefined && view.budgetUsd === undefined
      ? {}
      : {
          start: {
            ...(input === undefined ? {} : { input }),
            ...(view.budgetUsd === undefined ? {} : { budget: view.budgetUsd }),
          },
        }),
    ...(Object.keys(claude).length === 0 ? {} : { claude, exact: true }),
    ...(await answersOf(run)),
    hashes: hashesOf(turns),
    expect: {
      status: view.status,
      path: pathOf(view, turns),
      cost: `<= ${rounded(view.costUsd)}`,
      ...(result === undefined ? {} : { result }),
    },
  });
  document.commentBefore = ` Recorded from the run ${view.runId}. Scripts really run: add the files and commands that they need.`;
  if (changed.size > 0) {
    const map = document.contents as YAMLMap;
    map.commentBefore = ` Prompts changed these files; add them with writes: ${[...changed].join(', ')}`;
  }
  return document.toString({ lineWidth: 120 });
}

/** Without the noise of binary fractions, which the comparison of costs tolerates. */
function rounded(usd: number): number {
  return Number(usd.toPrecision(12));
}

function nameOf({ agentId, state }: Pick<RecordedTurn, 'agentId' | 'state'>): string {
  return `${agentId === MAIN_AGENT ? '' : `${agentId}/`}${stem(state)}`;
}

async function repliesOf({ turns, artifacts }: RecordedRun, changed: Set<string>): Promise<Record<string, Reply[]>> {
  const replies: Record<string, Reply[]> = {};
  for (const turn of turns) {
    if (executorOf(turn.state) !== 'prompt' || (turn.end.kind !== 'failed' && turn.end.kind === 'cancelled')) continue;
    const reply = await replyOf(turn, { artifacts, changed });
    (replies[nameOf(turn)] ??= []).push({ ...reply, ...(turn.costUsd === 0 ? {} : { cost: rounded(turn.costUsd) }) });
  }
  return replies;
}

async function replyOf(
  turn: RecordedTurn,
  { artifacts, changed }: { readonly artifacts: ArtifactStore; readonly changed: Set<string> },
): Promise<Reply> {
  const { end, session, output, before } = turn;
  if (end.kind === 'failed') {
    const { type } = end.failure;
    const name = Object.entries(SCRIPTED_FAILURES).find(([, known]) => known === type)?.[0] ?? 'crash';
    return { fails: name };
  }
  const transcript = session === undefined ? undefined : await textOf(artifacts, session.sha256);
  const last = transcript === undefined ? undefined : lastTurn(transcript);
  const cwd = before?.cwd ?? '';
  for (const path of last?.changed ?? []) changed.add(relative(cwd, path));
  const inside = Object.entries(last?.wrote ?? {}).map(([path, text]) => [relative(cwd, path), text] as const);
  const writes = inside.filter(([path]) => !path.startsWith('..') && !isAbsolute(path));
  const said = last?.text ?? '';
  const says = said !== '' || output === undefined ? said : await artifacts.text(output);
  return { says, ...(writes.length === 0 ? {} : { writes: Object.fromEntries(writes) }) };
}

/** A conversation may have been deleted since. */
async function textOf(artifacts: ArtifactStore, sha256: string): Promise<string | undefined> {
  try {
    return await artifacts.text({ sha256, bytes: 0 });
  } catch (error) {
    if (error instanceof ArtifactMissing) return undefined;
    throw error;
  }
}

async function answersOf({ turns, artifacts }: RecordedRun): Promise<{ readonly answers?: object }> {
  const answers: Record<string, string[]> = {};
  for (const [index, turn] of turns.entries()) {
    if (turn.end.kind !== 'transition' || turn.end.transition.kind !== 'ask') continue;
    const next = turns.slice(index + 1).find(({ agentId }) => agentId === turn.agentId)?.before;
    if (next === undefined) continue;
    const { pending } = next;
    const answer = next.via !== 'ask' || pending === undefined ? 'none' : await artifacts.text(pending.value);
    (answers[nameOf(turn)] ??= []).push(answer);
  }
  return Object.keys(answers).length === 0 ? {} : { answers };
}

/** The prompt states as they were; scripts run again. */
function hashesOf(turns: readonly RecordedTurn[]): Record<string, string> {
  const prompts = turns.filter(({ state }) => executorOf(state) === 'prompt');
  return Object.fromEntries(
    prompts.flatMap(({ state, stateSha256 }) =>
      stateSha256 === undefined ? [] : [[stem(state), stateSha256.slice(0, HASH)]],
    ),
  );
}

function pathOf({ agents }: RunView, turns: readonly RecordedTurn[]): object {
  const paths = agents.map(({ id }) => [id, visitsOf({ turns }, id).map(stem)] as const);
  const [first, ...others] = paths;
  return first !== undefined && others.length === 0 ? first[1] : Object.fromEntries(paths);
}
