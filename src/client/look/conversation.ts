// The conversation of an agent: to read, the prompt in it that a turn sent, or to go on with by hand. Nothing of the run is changed: a
// conversation is opened as a copy.
import { join } from 'node:path';
import { readTranscript, type TranscriptEntry } from '../../backends/claude/transcript.js';
import { readPiTranscript } from '../../backends/pi/transcript.js';
import { recordedTurns } from '../../history/recorded-run.js';
import type { RecordedTurn } from '../../history/turns.js';
import { makePrivateFolder } from '../../host/files.js';
import type { Session } from '../../protocol/machine/agent.js';
import type { DocumentOf } from '../documents/documents.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';
import { textOf } from '../documents/run-document.js';
import { findRun } from './runs.js';

/** Whose conversation; absent turn = as it is now. */
export interface ConversationName {
  readonly runId: string;
  readonly agentId: string;
  readonly turn?: number | undefined;
}

/** The conversation as people read it. Throws `RunNotFound`, `NoSuchTurn`, `ResultElsewhere`. */
export async function transcriptOf(raymond: Raymond, name: ConversationName): Promise<DocumentOf<'transcript'>> {
  const { session } = await conversationOf(raymond, name);
  return { session: session.id, entries: await entriesOf(raymond, session) };
}

/** What was said to the agent in a turn. Throws the same. */
export async function promptOf(raymond: Raymond, name: ConversationName): Promise<string> {
  const { session } = await conversationOf(raymond, name);
  return (await entriesOf(raymond, session)).findLast(({ by }) => by === 'person')?.text ?? '';
}

/** Puts a copy of the conversation where its program finds it; the line that opens it. Throws the same. */
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
  { runId: name, agentId, turn: wanted }: ConversationName,
): Promise<{ readonly turn: RecordedTurn; readonly session: Session }> {
  const { runId } = await findRun(link.client, name, artifacts);
  const turns = await recordedTurns({ client: link.client, artifacts }, { runId, agentId });
  const turn = turns.findLast(({ number, session: left }) => left !== undefined && (wanted ?? number) === number);
  if (turn?.session !== undefined) return { turn, session: turn.session };
  const which = wanted === undefined ? 'has no recorded prompt turn' : `has no recorded prompt turn ${wanted}`;
  throw new ClientError('NoSuchTurn', `${agentId} of ${runId} ${which}; see "raymond history ${runId}"`);
}

async function entriesOf({ artifacts }: Raymond, { backend, sha256 }: Session): Promise<readonly TranscriptEntry[]> {
  const read = backend === 'pi' ? readPiTranscript : readTranscript;
  return read(await textOf({ sha256, bytes: 0 }, artifacts));
}

/** As one word of a POSIX shell, bare where that will do. */
function shellWord(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
