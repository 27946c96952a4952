// A pi conversation as text: the entries of its session file on the path to the last one. Unknown lines are skipped.
import { z } from 'zod';
import type { TranscriptEntry } from '../claude/transcript.js';

const block = z.object({
  type: z.string(),
  text: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
});

const entry = z.object({
  type: z.literal('message'),
  message: z.object({
    role: z.enum(['user', 'assistant', 'toolResult']),
    content: z
      .union([z.string().transform((text) => [{ type: 'text', text, name: undefined }]), z.array(block)])
      .catch([]),
  }),
});

const WHO = { user: 'person', assistant: 'agent', toolResult: 'tool' } as const;

/** Reads the JSON lines of a session file. */
export function readPiTranscript(text: string): readonly TranscriptEntry[] {
  return text.split('\n').flatMap((line) => {
    const { data } = entry.safeParse(parsed(line));
    if (data === undefined) return [];
    const { role, content } = data.message;
    if (role === 'toolResult') return [{ by: 'tool', text: '[its result]' }];
    return content.flatMap((part): readonly TranscriptEntry[] => {
      if (part.type === 'toolCall') return [{ by: 'tool', text: `[${part.name ?? 'tool'}]` }];
      const words = (part.text ?? '').trim();
      return part.type !== 'text' || words === '' ? [] : [{ by: WHO[role], text: words }];
    });
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // An empty line, or a cut one.
  }
}
