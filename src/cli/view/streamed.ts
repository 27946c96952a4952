// Tracks which output of turns was printed before they ended. Whole lines only; nothing is printed twice or left out.
import type { LiveText } from '../../client/look/live-turn.js';

/** How much of what was printed is compared with the record of the turn. */
const COMPARED = 1000;

interface Printed {
  readonly turn: number;
  readonly count: number;
  readonly tail: string;
}

/** The streamed part of the turns of several agents. */
export class Streamed {
  private readonly printed = new Map<string, Printed>();
  /** The last ended turn of each agent: an older heartbeat may still arrive. */
  private readonly ended = new Map<string, number>();

  /** The lines that are new in a turn in progress; empty when older ones are missing, which its record will have. */
  next(agentId: string, { turn, end, text }: LiveText): string {
    if (turn <= (this.ended.get(agentId) ?? 0)) return '';
    const before = this.printed.get(agentId);
    const known = before?.turn === turn && before.count <= end ? before : { turn, count: 0, tail: '' };
    const from = end - text.length;
    if (known.count < from) return '';
    const fresh = text.slice(known.count - from);
    const lines = fresh.slice(0, fresh.lastIndexOf('\n') + 1);
    if (lines !== '')
      this.printed.set(agentId, {
        turn,
        count: known.count + lines.length,
        tail: `${known.tail}${lines}`.slice(-COMPARED),
      });
    return lines;
  }

  /** The output of an ended turn that has not been printed. */
  rest({ agentId, number }: { readonly agentId: string; readonly number: number }, text: string): string {
    this.ended.set(agentId, number);
    const before = this.printed.get(agentId);
    if (before?.turn !== number) return text;
    this.printed.delete(agentId);
    if (text.slice(0, before.count).endsWith(before.tail)) return text.slice(before.count);
    // A long output is recorded without its beginning, and another attempt has an output of its own.
    const at = text.lastIndexOf(before.tail);
    return at < 0 ? text : text.slice(at + before.tail.length);
  }
}
