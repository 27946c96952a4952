// Building finished turns for tests of the verdicts: from the lines that a CLI prints, as the worker would.
// Must not judge.
import { classify, type Verdict } from '../../../src/backends/claude/classify.js';
import type { BackendEnd } from '../../../src/backends/backend.js';
import { TurnTally } from '../../../src/backends/claude/tally.js';
import { parseLine } from '../../../src/backends/claude/stream.js';

/** A line of a stream before it is JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** When all these turns ended. */
export const NOW = new Date('2026-11-21T12:00:00Z');

/** The result of a turn that went well. */
export const GOOD = {
  ...{ type: 'result', subtype: 'success', is_error: false, num_turns: 1 },
  ...{ terminal_reason: 'completed', result: 'fine' },
};

/** A finished turn; without anything said it ended with exit code 1 and no word. */
export interface Ended {
  readonly lines?: readonly Json[];
  readonly end?: BackendEnd;
  readonly stderr?: string;
}

/** The verdict on it. */
export function verdictOn({ lines = [], end = { kind: 'exited', code: 1 }, stderr = '' }: Ended): Verdict {
  const tally = new TurnTally();
  for (const line of lines) for (const event of parseLine(JSON.stringify(line)) ?? []) tally.add(event);
  return classify({ output: tally.output(), end, stderr, now: NOW });
}

/** An API failure as the CLI prints it: a "success" that is an error. */
export function apiFailure(error: string, text: string, more: Json = {}): readonly Json[] {
  return [
    { type: 'assistant', error, message: { model: '<synthetic>', content: [{ type: 'text', text }] } },
    {
      ...{ type: 'result', subtype: 'success', is_error: true, num_turns: 1 },
      ...{ terminal_reason: 'api_error', result: text, ...more },
    },
  ];
}
