// Compares a run that the monkey disturbed with the same program undisturbed: results, turns, conversations, working trees, dollars, and what is left.
// Must not run anything.
import { agentsOf, different } from '../chaos/books.js';
import { charged, disorder, repeated, turnsOf } from '../chaos/effects.js';
import type { RunJson } from '../support/fakes.js';
import { supersededIn, type Noted } from './notes.js';

/** A run that has ended, with everything that can be known of it from outside. */
export interface Ended {
  readonly document: RunJson;
  readonly notes: readonly Noted[];
  /** What was said, by agent. */
  readonly conversations: Readonly<Record<string, string>>;
  /** Tree ids, by the agent whose branch it is. */
  readonly trees: Readonly<Record<string, string>>;
  /** Where something was spent that is not in its books, as `raymond status` names it. */
  readonly unbooked: readonly string[];
  /** Processes of the run that still live, on any host. */
  readonly orphans: readonly number[];
}

/** What is wrong, in words, and figures for the table. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly turns: number;
  /** Attempts beyond the first of each turn. */
  readonly attempts: number;
  /** Recorded turns that began again. */
  readonly repeated: number;
  readonly lost: number;
  readonly orphans: number;
  readonly usd: number;
  /** Charged by attempts that another host superseded, and in no books. */
  readonly unbookedUsd: number;
  /** Neither booked nor explained. */
  readonly unaccountedUsd: number;
}

const SMALL = 1e-6;

/** An attempt that was killed before its result is booked with what its tokens are worth: so much at most here. */
const ESTIMATED = 0.001;

/** Judges a disturbed run. */
export function judge(expected: Ended, ended: Ended): Verdict {
  const { document, notes, orphans } = ended;
  const order = disorder(heard(notes));
  const dollars = dollarsOf(ended);
  return {
    problems: [
      ...order,
      ...different('status', document.status, expected.document.status),
      ...different('result', document.result, expected.document.result),
      ...different('agents', agentsOf(document), agentsOf(expected.document)),
      ...different('turns', turnsOf(notes), turnsOf(expected.notes)),
      ...eachDifferent('conversation', ended.conversations, expected.conversations),
      ...eachDifferent('tree', ended.trees, expected.trees),
      ...(dollars.unaccountedUsd === 0 ? [] : [`${dollars.unaccountedUsd} USD are not accounted for`]),
      ...(dollars.unbookedUsd > SMALL && ended.unbooked.length === 0
        ? [`${dollars.unbookedUsd} USD are in no books, and nobody says so`]
        : []),
      ...orphans.map((pid) => `process ${pid} was left behind`),
    ],
    turns: Object.keys(turnsOf(notes)).length,
    attempts: repeated(notes),
    repeated: order.filter((line) => line.includes('began again')).length,
    lost: document.agents.filter(({ status }) => status === 'lost').length,
    orphans: orphans.length,
    ...dollars,
  };
}

/** Without what attempts did after another host had begun their turn: on a host that is cut off nobody can end them. */
function heard(notes: readonly Noted[]): readonly Noted[] {
  const superseded = supersededIn(notes);
  const begun = (note: Noted): number =>
    notes.findIndex(
      ({ kind, agent, turn, host, at }) =>
        kind === 'B' && agent === note.agent && turn === note.turn && host !== note.host && at >= note.at,
    );
  return notes.filter((note) => {
    if (!superseded.has(note.attempt) || note.kind === 'B') return true;
    return begun(note) !== -1;
  });
}

/** I4: the books hold what was charged, but for what a host had not told before another one took its place. */
function dollarsOf({ document: { costUsd }, notes }: Ended): Pick<Verdict, 'usd' | 'unbookedUsd' | 'unaccountedUsd'> {
  const superseded = supersededIn(notes);
  const { surely, atMost } = charged(notes);
  const least = charged(notes.filter(({ attempt }) => !superseded.has(attempt))).surely;
  const most = atMost + ESTIMATED * repeated(notes);
  const missing = costUsd < least - SMALL ? least - costUsd : 0;
  const extra = costUsd > most + SMALL ? costUsd - most : 0;
  return { usd: costUsd, unbookedUsd: Math.max(0, surely - costUsd - missing), unaccountedUsd: missing + extra };
}

function eachDifferent(
  what: string,
  seen: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(wanted)])];
  return names.flatMap((name) => different(`${what} of ${name}`, seen[name], wanted[name]));
}
