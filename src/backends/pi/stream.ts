// Parses the output of pi with --mode json: events split on LF only, the last text of the model, the cost of its
// answers. Shapes are loose, because they are another program's. As measured with pi 0.74.2; an exit code of 0 means
// nothing.
import { z } from 'zod';
import { jsonOf } from '../../protocol/text.js';
import { LineSplitter } from '../lines.js';
import type { BackendEvent, ModelSpending } from '../backend.js';

const text = z.string().optional().catch(undefined);
const amount = z.number().nonnegative().catch(0);

const usage = z.object({
  input: amount,
  output: amount,
  cacheRead: amount,
  cacheWrite: amount,
  cost: z.object({ total: amount }).catch({ total: 0 }),
});

const block = z.object({ type: z.string(), text, name: text, arguments: z.record(z.string(), z.unknown()).catch({}) });

const message = z.object({
  role: z.literal('assistant'),
  content: z
    .array(z.unknown())
    .catch([])
    .transform((blocks) => blocks.flatMap((one) => block.safeParse(one).data ?? [])),
  model: text,
  usage: usage.optional().catch(undefined),
  stopReason: text,
  errorMessage: text,
});

/** A complete message of the model. */
export type PiMessage = z.output<typeof message>;

const event = z.object({
  type: z.string(),
  message: message.optional().catch(undefined),
  assistantMessageEvent: z.object({ type: z.string(), delta: text }).optional().catch(undefined),
  toolName: text,
  args: z.record(z.string(), z.unknown()).optional().catch(undefined),
  errorMessage: text,
});

type PiEvent = z.output<typeof event>;

/** Folds the output of one process; the cost of an incomplete message counts until the message is complete. */
export class PiStream {
  private readonly lines = new LineSplitter();
  private readonly spent = new Map<string, ModelSpending>();
  private open: PiMessage | undefined;
  /** The last complete message of the model. */
  last: PiMessage | undefined;
  /** The received part of an incomplete answer. */
  private words = '';

  constructor(private readonly onLine?: (line: string, isEvent: boolean) => void) {}

  push(chunk: Uint8Array): readonly BackendEvent[] {
    return this.lines.push(chunk).flatMap((line) => this.take(line));
  }

  end(): readonly BackendEvent[] {
    return this.lines.end().flatMap((line) => this.take(line));
  }

  /** The answer; of an incomplete one, the received part. */
  get text(): string {
    return this.last === undefined ? this.words : wordsOf(this.last);
  }

  get spending(): readonly ModelSpending[] {
    const open = this.open === undefined ? [] : [spendingOf(this.open)];
    return [...this.spent.values(), ...open].filter(
      ({ costUsd, inputTokens, outputTokens }) => costUsd + inputTokens + outputTokens > 0,
    );
  }

  private take(line: string): readonly BackendEvent[] {
    const read = event.safeParse(jsonOf(line));
    this.onLine?.(line, read.success);
    return read.success ? this.shown(read.data) : [];
  }

  private shown({ type, message: said, ...rest }: PiEvent): readonly BackendEvent[] {
    switch (type) {
      case 'message_update':
        this.open = said;
        if (rest.assistantMessageEvent?.type !== 'text_delta') return [{ kind: 'alive' }];
        this.words += rest.assistantMessageEvent.delta ?? '';
        return [{ kind: 'said', text: rest.assistantMessageEvent.delta ?? '', tools: [] }];
      case 'message_end':
        if (said !== undefined) this.close(said);
        return [{ kind: 'alive' }];
      case 'tool_execution_start':
        return [{ kind: 'said', text: '', tools: [toolLabel(rest)] }];
      case 'auto_retry_start':
        return [{ kind: 'retries', text: `the model service has a temporary error; pi retries` }];
      // Of newer versions; a retry may follow an `agent_end`.
      case 'agent_settled':
        return [{ kind: 'answered' }];
      default:
        return [{ kind: 'alive' }];
    }
  }

  private close(said: PiMessage): void {
    this.open = undefined;
    this.last = said;
    this.words = '';
    const one = spendingOf(said);
    const before = this.spent.get(one.model);
    this.spent.set(one.model, before === undefined ? one : sum(before, one));
  }
}

function wordsOf({ content }: PiMessage): string {
  return content.map((one) => (one.type === 'text' ? (one.text ?? '') : '')).join('');
}

function spendingOf({ model = 'unknown', usage: used }: PiMessage): ModelSpending {
  return {
    model,
    costUsd: used?.cost.total ?? 0,
    inputTokens: used?.input ?? 0,
    outputTokens: used?.output ?? 0,
    cacheReadTokens: used?.cacheRead ?? 0,
    cacheWriteTokens: used?.cacheWrite ?? 0,
  };
}

function sum(one: ModelSpending, other: ModelSpending): ModelSpending {
  return {
    model: one.model,
    costUsd: one.costUsd + other.costUsd,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}

/** A tool call as one label. */
export function toolLabel({ toolName = 'tool', args = {} }: Pick<PiEvent, 'toolName' | 'args'>): string {
  const detail = [args['command'], args['path'], args['pattern']].find((value) => typeof value === 'string');
  return `[${toolName}${detail === undefined ? '' : ` ${detail.slice(0, 500)}`}]`;
}
