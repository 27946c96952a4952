// The conversation of an agent: to read it, to read the prompt of a turn in it, or to continue it manually. Nothing of
// the run changes, because a copy is opened.
import { join } from 'node:path';
import { readTranscript } from '../../backends/claude/transcript.js';
import { readPiTranscript } from '../../backends/pi/transcript.js';
import type { TranscriptEntry } from '../../backends/transcript.js';
import { recordedTurns } from '../../history/recorded-run.js';
import type { RecordedTurn } from '../../history/turns.js';
import { makePrivateFolder } from '../../host/files.js';
import type { Session } from '../../protocol/machine/agent.js';
import type { DocumentOf } from '../documents/documents.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';
import { textOf } from '../documents/run-document.js';
import { findRun } from './runs.js';

/** The agent; absent turn = its current conversation. `nth` = an earlier try of the turn, which was run again after a failure. */
export interface ConversationName {
  readonly runId: string;
  readonly agentId: string;
  readonly turn?: number | undefined;
  readonly nth?: number | undefined;
}

/** The conversation as text. Throws `RunNotFound`, `NoSuchTurn`, `ResultElsewhere`. */
export async function transcriptOf(raymond: Raymond, name: ConversationName): Promise<DocumentOf<'transcript'>> {
  const { session } = await conversationOf(raymond, name);
  return { session: session.id, entries: await entriesOf(raymond, session) };
}

/** The prompt of a turn. Throws the same. */
export async function promptOf(raymond: Raymond, name: ConversationName): Promise<string> {
  const { session } = await conversationOf(raymond, name);
  return (await entriesOf(raymond, session)).findLast(({ by }) => by === 'person')?.text ?? '';
}

/** Saves a copy of the conversation where its program finds it; returns the command that opens it. Throws the same. */
export async function openSession(raymond: Raymond, name: ConversationName): Promise<DocumentOf<'session'>> {
  const { session, turn } = await conversationOf(raymond, name);
  const folder = join(raymond.project.raymondDir, 'sessions');
  await makePrivateFolder(folder);
  const file = join(folder, `${session.id}.jsonl`);
  await raymond.artifacts.materialise(session.sha256, file);
  const cwd = turn.before?.cwd ?? '.';
  const path = shellWord(file);
  const opening = session.backend === 'pi' ? `pi --fork ${path}` : `claude --resume ${path} --fork-session`;
  return { session: session.id, cwd, file, command: `cd ${shellWord(cwd)} && ${opening}` };
}

async function conversationOf(
  { link, artifacts }: Raymond,
  { runId: name, agentId, turn: wanted, nth }: ConversationName,
): Promise<{ readonly turn: RecordedTurn; readonly session: Session }> {
  const { runId } = await findRun(link.client, name, artifacts);
  const turns = await recordedTurns({ client: link.client, artifacts }, { runId, agentId });
  const tries = turns.filter(({ number }) => (wanted ?? number) === number);
  const turn = (nth === undefined ? tries : tries.slice(nth - 1, nth)).findLast(
    ({ session: left }) => left !== undefined,
  );
  if (turn?.session !== undefined) return { turn, session: turn.session };
  const which = wanted === undefined ? 'has no recorded prompt turn' : `has no recorded prompt turn ${wanted}`;
  throw new ClientError(
    'NoSuchTurn',
    `${agentId} of ${runId} ${which}; to list the turns, run: raymond history ${runId}`,
  );
}

async function entriesOf({ artifacts }: Raymond, { backend, sha256 }: Session): Promise<readonly TranscriptEntry[]> {
  const read = backend === 'pi' ? readPiTranscript : readTranscript;
  return read(await textOf({ sha256, bytes: 0 }, artifacts));
}

/** As one word of a POSIX shell, without quotes if possible. */
function shellWord(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
