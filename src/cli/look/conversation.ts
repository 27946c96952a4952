// `raymond transcript` and `raymond session`: prints the conversation of an agent, or the command that continues it.
import type { DocumentOf } from '../../client/documents/documents.js';
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

/** How much of a result is printed, in lines; an error is printed whole. `--json` has everything. */
const SHOWN_LINES = 12;

type Entry = DocumentOf<'transcript'>['entries'][number];
type ToolCall = Extract<Entry, { readonly by: 'tool' }>;

function paragraph(entry: Entry): string {
  return entry.by === 'tool' ? callText(entry) : messageText(entry);
}

function messageText({ by, text }: Exclude<Entry, ToolCall>): string {
  return by === 'agent' ? text : marked(text, '> ');
}

function callText({ text, result, isError = false }: ToolCall): string {
  if (result === undefined) return `  ${text} (no result)`;
  const lines = result.split('\n');
  const shown = isError ? lines : lines.slice(0, SHOWN_LINES);
  const rest = lines.length - shown.length;
  const more = rest === 0 ? [] : [`… ${rest} more ${rest === 1 ? 'line' : 'lines'}`];
  return [`  ${text} ${isError ? '✗' : '✓'}`, marked([...shown, ...more].join('\n'), '  │ ')].join('\n');
}

function marked(text: string, mark: string): string {
  return text
    .split('\n')
    .map((line) => `${mark}${line}`)
    .join('\n');
}
