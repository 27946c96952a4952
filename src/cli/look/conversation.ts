// `raymond transcript` and `raymond session`: prints the conversation of an agent, or the command that continues it.
import type { TranscriptEntry } from '../../backends/claude/transcript.js';
import { openSession, transcriptOf, type ConversationName } from '../../client/look/conversation.js';
import { openForQuestion } from '../context.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of both. */
export interface ConversationFlags extends ConnectionFlags {
  readonly json?: boolean;
}

interface ConversationRequest extends ConversationName {
  readonly flags: ConversationFlags;
}

/** Prints the conversation. */
export async function transcript(io: Io, { flags, ...name }: ConversationRequest): Promise<number> {
  const document = await transcriptOf(await openForQuestion(io, { flags, runId: name.runId }), name);
  if (flags.json === true) await printDocument(io, 'transcript', document);
  else await io.show(document.entries.map(paragraph).join('\n\n'));
  return 0;
}

/** Prints the command that opens a copy of the conversation in its own program. */
export async function session(io: Io, { flags, ...name }: ConversationRequest): Promise<number> {
  const document = await openSession(await openForQuestion(io, { flags, runId: name.runId }), name);
  if (flags.json === true) await printDocument(io, 'session', document);
  else await io.print(document.command);
  return 0;
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
