// A conversation, independent of the program that had it: what people and the agent said, and each
// tool call with its input and its result. Readers of session files give parts in their order.

/** What a person or the agent said. */
export interface Message {
  readonly by: 'person' | 'agent';
  readonly text: string;
}

/** A tool call. */
export interface ToolCall {
  readonly by: 'tool';
  /** Its label: `[Bash npm test]`. */
  readonly text: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Absent = none was recorded, for example because the call was interrupted. */
  readonly result?: string;
  readonly isError?: boolean;
}

/** A part of a conversation. */
export type TranscriptEntry = Message | ToolCall;

/** A line of a session file: a message, a call, or the result of an earlier call. */
export type TranscriptPart =
  | Message
  | (ToolCall & { readonly id: string | undefined })
  | {
      readonly by: 'result';
      readonly id: string | undefined;
      readonly text: string;
      readonly isError: boolean;
    };

/** Calls with their results; a result without its call is left out. */
export function entriesOf(parts: readonly TranscriptPart[]): readonly TranscriptEntry[] {
  const results = new Map(parts.flatMap((part) => (part.by === 'result' ? [[part.id, part] as const] : [])));
  return parts.flatMap((part): readonly TranscriptEntry[] => {
    if (part.by === 'result') return [];
    if (part.by !== 'tool') return [part];
    const { id, ...call } = part;
    const found = id === undefined ? undefined : results.get(id);
    if (found === undefined) return [call];
    return [{ ...call, result: found.text, ...(found.isError ? { isError: true } : {}) }];
  });
}

/** The text of blocks of a result; what is not text is named. */
export function textOfBlocks(blocks: readonly { readonly type: string; readonly text?: string | undefined }[]): string {
  return blocks.map(({ type, text }) => (type === 'text' ? (text ?? '') : `[${type}]`)).join('\n');
}
