// `raymond transcript` and `raymond session`: the conversation of an agent, to read or to go on with by hand. Neither changes anything of
// the run: a conversation is opened as a copy.
import { join } from 'node:path';
import { readTranscript, type TranscriptEntry } from '../backends/claude/transcript.js';
import { readPiTranscript } from '../backends/pi/transcript.js';
import { ClientError } from '../client/error.js';
import { findRun } from '../client/runs.js';
import { recordedTurns } from '../history/chapters.js';
import type { RecordedTurn } from '../history/turns.js';
import { makePrivateFolder } from '../host/files.js';
import type { Session } from '../protocol/agent.js';
import { openForQuestion, type ClientContext } from './context.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';
import { quoted } from './shells/words.js';
import { textOf } from '../client/run-document.js';
import { printDocument } from './view/json.js';

/** Flags of both. */
export interface ConversationFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Whose conversation; absent turn = as it is now. */
interface ConversationRequest {
  readonly runId: string;
  readonly agentId: string;
  readonly turn?: number | undefined;
  readonly flags: ConversationFlags;
}

/** Prints the conversation. */
export async function transcript(io: Io, request: ConversationRequest): Promise<number> {
  const { context, session } = await opened(io, request);
  const read = session.backend === 'pi' ? readPiTranscript : readTranscript;
  const entries = read(await textOf({ sha256: session.sha256, bytes: 0 }, context.artifacts));
  if (request.flags.json === true) await printDocument(io, 'transcript', { session: session.id, entries });
  else await io.show(entries.map(paragraph).join('\n\n'));
  return 0;
}

/** Prints the command that opens the conversation in the program whose it is, in a copy of its own. */
export async function session(io: Io, request: ConversationRequest): Promise<number> {
  const { context, session: found, turn } = await opened(io, request);
  const folder = join(context.project.raymondDir, 'sessions');
  await makePrivateFolder(folder);
  const file = join(folder, `${found.id}.jsonl`);
  await context.artifacts.materialise(found.sha256, file);
  const cwd = turn.before?.cwd ?? '.';
  const path = shellWord(file);
  const opening = found.backend === 'pi' ? `pi --fork ${path}` : `claude --resume ${path} --fork-session`;
  const command = `cd ${shellWord(cwd)} && ${opening}`;
  if (request.flags.json === true) await printDocument(io, 'session', { session: found.id, cwd, file, command });
  else await io.print(command);
  return 0;
}

interface Opened {
  readonly context: ClientContext;
  readonly turn: RecordedTurn;
  readonly session: Session;
}

async function opened(io: Io, { runId: name, agentId, turn: wanted, flags }: ConversationRequest): Promise<Opened> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { link, artifacts } = context;
  const { runId } = await findRun(link.client, name, artifacts);
  const turns = await recordedTurns({ client: link.client, artifacts }, { runId, agentId });
  const turn = turns.findLast(({ number, session: left }) => left !== undefined && (wanted ?? number) === number);
  if (turn?.session !== undefined) return { context, turn, session: turn.session };
  const which = wanted === undefined ? 'has no recorded prompt turn' : `has no recorded prompt turn ${wanted}`;
  throw new ClientError('NoSuchTurn', `${agentId} of ${runId} ${which}; see "raymond history ${runId}"`);
}

const WHO: Readonly<Record<TranscriptEntry['by'], string>> = { person: '>', agent: '', tool: ' ' };

function paragraph({ by, text }: TranscriptEntry): string {
  const mark = WHO[by];
  return mark === ''
    ? text
    : text
        .split('\n')
        .map((line) => `${mark} ${line}`)
        .join('\n');
}

/** As one word of a POSIX shell, bare where that will do. */
function shellWord(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : quoted(word);
}
