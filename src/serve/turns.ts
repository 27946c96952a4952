// Read-only routes of turns: all recorded ones, and each with its input, its conversation, and its output so far.
import pMap from 'p-map';
import { openSession, promptOf, transcriptOf, type ConversationName } from '../client/look/conversation.js';
import { ClientError } from '../client/error.js';
import { record, turns as recorded, turnsIn } from '../client/operations.js';
import type { Raymond } from '../client/open.js';
import { textOf, turnDocument } from '../client/documents/run-document.js';
import { recordOf, type RecordEntry } from '../client/look/record.js';
import { findRun } from '../client/look/runs.js';
import type { RecordedTurn } from '../history/turns.js';
import { executorOf } from '../protocol/language/resolve.js';
import { defined, messageOf, type Value } from '../protocol/text.js';
import { loadState } from '../packages/state.js';
import type { ArtifactStore } from '../store/store.js';
import { RUN_CHARACTERS } from './events/live-output.js';
import type { Handlers } from './handlers.js';

/** Histories of several agents are not read at one moment: turns that ended this shortly before are sent again. */
const OVERLAP_MS = 5000;

/** The routes of this file. */
export const turnHandlers: Handlers<
  'turns' | 'outputs' | 'turn' | 'stateFile' | 'prompt' | 'transcript' | 'opening' | 'output'
> = {
  turns: async (_serving, { params, query, raymond }) => {
    const { agent, ...range } = query;
    const read = (since: number) => record(raymond, { runId: params.run, since, ...defined({ agentId: agent }) });
    const { page, next } = await pageOfTurns(read, range);
    return { turns: page.map(turnDocument), next };
  },

  outputs: async ({ output }, { params, query, raymond }) => {
    const { runId } = await findRun(raymond.link.client, params.run, raymond.artifacts);
    const sources = { client: raymond.link.client, artifacts: raymond.artifacts };
    const read = (since: number) => recordOf(sources, { runId, since });
    const { page, next } = await pageOfTurns(read, { limit: RUN_TURNS, ...query });
    const shown = async ({ agentId, number: turn, state, endedAt, output: value }: RecordedTurn) => {
      const text = value === undefined ? '' : await shownText(value, raymond.artifacts);
      const cut = text.length > RUN_CHARACTERS ? `…${text.slice(-RUN_CHARACTERS)}` : text;
      return { agentId, turn, state, endedAt: endedAt.toISOString(), text: cut };
    };
    return { turns: await pMap(page, shown, { concurrency: READ_AT_ONCE }), live: output.ofRun(runId), next };
  },

  turn: async (_serving, { params, raymond }) => {
    const turn = await turnOf(raymond, params);
    const { before, session } = turn;
    const input = before?.pending === undefined ? undefined : await textOf(before.pending.value, raymond.artifacts);
    return {
      ...turnDocument(turn),
      kind: executorOf(turn.state) === 'prompt' ? 'prompt' : 'script',
      callers: before?.stack.map(({ state }) => state).toReversed() ?? [],
      attributes: attributesOf(before?.attributes),
      conversation: session !== undefined,
      ...defined({ via: before?.via, cwd: before?.cwd, input }),
    };
  },

  stateFile: async (_serving, { params, raymond }) => {
    const { state, stateSha256, before } = await turnOf(raymond, params);
    const scope = before?.scope;
    if (scope === undefined) throw noSuchTurn(params);
    const { text, sha256 } = await loadState(scope, state, raymond.artifacts);
    return { file: state, text, ...(sha256 === stateSha256 ? {} : { changed: true as const }) };
  },

  prompt: async (_serving, { params, raymond }) => ({ text: await promptOf(raymond, nameOf(params)) }),

  transcript: async (_serving, { params, raymond }) => await transcriptOf(raymond, nameOf(params)),

  opening: async (_serving, { params, raymond }) => await openSession(raymond, nameOf(params)),

  output: async ({ output }, { params, query, raymond }) => {
    const { offset = 0 } = query;
    const { runId } = await findRun(raymond.link.client, params.run, raymond.artifacts);
    const { turn, nth } = tryOf(params.turn);
    const found = await findTurn(raymond, params);
    if (found === undefined) {
      const live = nth === undefined ? output.read({ runId, agentId: params.agent, turn }, offset) : undefined;
      if (live !== undefined) return live;
      throw noSuchTurn(params);
    }
    const text = found.output === undefined ? '' : await textOf(found.output, raymond.artifacts);
    return { text: text.slice(offset), offset: Math.min(offset, text.length), next: text.length, done: true };
  },
};

/** How many turns of a run's output one answer has, and how many of them are read at the same time. */
const RUN_TURNS = 500;
const READ_AT_ONCE = 20;

/** A value, or why it cannot be read: the other outputs are shown anyway. */
async function shownText(value: Value, artifacts: ArtifactStore): Promise<string> {
  return await artifacts.text(value).catch((error: unknown) => `(cannot be read: ${messageOf(error)})`);
}

interface PageRange {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A page of the turns that `read` finds since a time in milliseconds. */
async function pageOfTurns(
  read: (since: number) => AsyncIterable<readonly RecordEntry[]>,
  { after, limit = Infinity }: PageRange,
): Promise<{ readonly page: readonly RecordedTurn[]; readonly next: string }> {
  const from = after === undefined ? { ms: 0, listed: 0 } : cursorOf(after);
  const count = Math.max(limit, 1);
  const left: RecordedTurn[] = [];
  for await (const entries of read(from.ms)) {
    left.push(...turnsIn(entries).filter(({ endedAt }) => endedAt.getTime() >= from.ms));
    if (left.length > count + from.listed) break;
  }
  const same = left.filter(({ endedAt }) => endedAt.getTime() === from.ms).length;
  left.splice(0, Math.min(from.listed, same));
  const page = left.slice(0, count);
  return {
    page,
    next: nextCursor(page, { isAll: page.length === left.length, after: from }),
  };
}

interface TurnParams {
  readonly run: string;
  readonly agent: string;
  readonly turn: string;
}

function nameOf({ run, agent, turn }: TurnParams): ConversationName {
  return { runId: run, agentId: agent, ...tryOf(turn) };
}

/** `3` = the last try of turn 3, which counts; `3.1` = its first one, before it was run again. */
function tryOf(text: string): { readonly turn: number; readonly nth?: number } {
  const [, turn, nth] = /^(\d{1,9})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  if (turn !== undefined)
    return { turn: Number(turn), ...defined({ nth: nth === undefined ? undefined : Number(nth) }) };
  throw new ClientError('NoSuchTurn', `"${text}" is not the number of a turn; turns count from 1`);
}

async function recordedOf(raymond: Raymond, { run, agent }: TurnParams): Promise<readonly RecordedTurn[]> {
  return await recorded(raymond, { runId: run, agentId: agent });
}

async function findTurn(raymond: Raymond, params: TurnParams): Promise<RecordedTurn | undefined> {
  const { turn, nth } = tryOf(params.turn);
  const tries = (await recordedOf(raymond, params)).filter(({ number }) => number === turn);
  return nth === undefined ? tries.at(-1) : tries[nth - 1];
}

async function turnOf(raymond: Raymond, params: TurnParams): Promise<RecordedTurn> {
  const found = await findTurn(raymond, params);
  if (found === undefined) throw noSuchTurn(params);
  return found;
}

function noSuchTurn({ run, agent, turn }: TurnParams): ClientError {
  return new ClientError(
    'NoSuchTurn',
    `${agent} of ${run} has no recorded turn ${turn}; to list the turns, run: raymond history ${run}`,
  );
}

function attributesOf(attributes: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes ?? {}).map(([name, value]) => [name, String(value)]));
}

interface Cursor {
  readonly ms: number;
  /** How many turns of that moment were sent. */
  readonly listed: number;
}

function cursorOf(after: string): Cursor {
  const [, ms, listed] = /^(\d{1,15})-(\d{1,9})$/.exec(after) ?? [];
  if (ms !== undefined && listed !== undefined) return { ms: Number(ms), listed: Number(listed) };
  throw new ClientError('InvalidUsage', `after: "${after}" is not the "next" of an earlier answer`);
}

function nextCursor(
  page: readonly RecordedTurn[],
  { isAll, after }: { readonly isAll: boolean; readonly after: Cursor },
): string {
  const last = page.at(-1)?.endedAt.getTime();
  if (last === undefined) return `${after.ms}-${after.listed}`;
  if (isAll) return `${Math.max(last - OVERLAP_MS, 0)}-0`;
  const same = page.filter(({ endedAt }) => endedAt.getTime() === last).length;
  return `${last}-${same + (last === after.ms ? after.listed : 0)}`;
}
