// Reads a Claude Code conversation: messages, and tool calls with their inputs and results. The format is another
// program's: unknown lines are skipped.
import { z } from 'zod';
import { defined, jsonOf } from '../../protocol/text.js';
import { entriesOf, textOfBlocks, type TranscriptEntry, type TranscriptPart } from '../transcript.js';
import { content, fitting, mainDetail, toolLabel, type Block } from './events.js';

const line = z.object({
  type: z.enum(['user', 'assistant']),
  isSidechain: z.boolean().optional().catch(undefined),
  message: z.object({ content: content.catch([]) }),
});

/** Reads the JSON lines of a transcript; messages of subagents are left out. */
export function readTranscript(text: string): readonly TranscriptEntry[] {
  const parts = text.split('\n').flatMap((words) => {
    const [entry] = fitting(line, jsonOf(words));
    if (entry === undefined || entry.isSidechain === true) return [];
    return entry.message.content.flatMap((block) => partsOf(block, entry.type === 'user' ? 'person' : 'agent'));
  });
  return entriesOf(parts);
}

function partsOf(block: Block, by: 'person' | 'agent'): readonly TranscriptPart[] {
  switch (block.type) {
    case 'text':
      return (block.text ?? '').trim() === '' ? [] : [{ by, text: (block.text ?? '').trim() }];
    case 'tool_use': {
      const { name: tool = 'tool', id, input = {} } = block;
      return [{ by: 'tool', id, text: toolLabel({ tool, ...defined({ detail: shortPart(block) }) }), tool, input }];
    }
    case 'tool_result': {
      const { tool_use_id: id, is_error: isError = false } = block;
      return [{ by: 'result', id, text: fitting(content, block.content).map(textOfBlocks).join(''), isError }];
    }
    default:
      return [];
  }
}

/** The longest part of a tool's input that is shown, in characters. */
const MAX_PART = 200;

function shortPart({ input }: Block): string | undefined {
  return mainDetail(input)?.replaceAll(/\s+/g, ' ').slice(0, MAX_PART);
}

/** The last turn of a conversation: its last text, the files that it wrote whole, and those that it changed. */
interface LastTurn {
  readonly text: string;
  readonly wrote: Readonly<Record<string, string>>;
  readonly changed: readonly string[];
}

const written = z.object({ file_path: z.string(), content: z.string() });
const changed = z.object({ file_path: z.string() });

/** Reads the end of a transcript, from the last message of a person. */
export function lastTurn(transcript: string): LastTurn {
  const entries = transcript.split('\n').flatMap((words) => fitting(line, jsonOf(words)));
  const own = entries.filter(({ isSidechain }) => isSidechain !== true);
  const lastQuestion = own.findLastIndex(({ type, message }) => type === 'user' && message.content.some(isText));
  const blocks = own
    .slice(lastQuestion + 1)
    .flatMap(({ type, message }) => (type === 'assistant' ? message.content : []));
  const acted = blocks.findLastIndex(({ type }) => type === 'tool_use');
  const tools = blocks.filter(({ type }) => type === 'tool_use');
  const wrote = tools.filter(({ name }) => name === 'Write').flatMap(({ input }) => fitting(written, input));
  const others = tools.filter(({ name }) => name === 'Edit' || name === 'MultiEdit' || name === 'NotebookEdit');
  return {
    text: blocks
      .slice(acted + 1)
      .map((block) => block.text ?? '')
      .join('\n')
      .trim(),
    wrote: Object.fromEntries(wrote.map(({ file_path: path, content: text }) => [path, text])),
    changed: others.flatMap(({ input }) => fitting(changed, input)).map(({ file_path: path }) => path),
  };
}

function isText({ type, text = '' }: Block): boolean {
  return type === 'text' && text.trim() !== '';
}
