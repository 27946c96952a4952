// Reads a pi conversation: the entries of its session file on the path to the last one. Unknown lines are skipped.
import { z } from 'zod';
import { jsonOf } from '../../protocol/text.js';
import { entriesOf, textOfBlocks, type TranscriptEntry, type TranscriptPart } from '../transcript.js';
import { toolLabel } from './stream.js';

const text = z.string().optional().catch(undefined);
const block = z.object({
  type: z.string(),
  text,
  name: text,
  id: text,
  arguments: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

const entry = z.object({
  type: z.literal('message'),
  message: z.object({
    role: z.enum(['user', 'assistant', 'toolResult']),
    content: z
      .union([
        z.string().transform((words): z.output<typeof block>[] => [{ type: 'text', text: words }]),
        z.array(block),
      ])
      .catch([]),
    toolCallId: text,
    isError: z.boolean().optional().catch(undefined),
  }),
});

/** Reads the JSON lines of a session file. */
export function readPiTranscript(session: string): readonly TranscriptEntry[] {
  const parts = session.split('\n').flatMap((line): readonly TranscriptPart[] => {
    const { data } = entry.safeParse(jsonOf(line));
    if (data === undefined) return [];
    const { role, content, toolCallId: id, isError = false } = data.message;
    if (role === 'toolResult') return [{ by: 'result', id, text: textOfBlocks(content), isError }];
    return content.flatMap((part) => partsOf(part, role === 'user' ? 'person' : 'agent'));
  });
  return entriesOf(parts);
}

function partsOf(part: z.output<typeof block>, by: 'person' | 'agent'): readonly TranscriptPart[] {
  if (part.type === 'toolCall') {
    const { name: tool = 'tool', id, arguments: input = {} } = part;
    return [{ by: 'tool', id, text: toolLabel({ toolName: tool, args: input }), tool, input }];
  }
  const words = (part.text ?? '').trim();
  return part.type !== 'text' || words === '' ? [] : [{ by, text: words }];
}
