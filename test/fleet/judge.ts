// Compares a run that the monkey disturbed with the same program undisturbed: results, turns, conversations, working trees, dollars, and what is left.
// Must not run anything.
import type { RunJson } from '../support/fakes.js';
import { agentsOf, different, eachDifferent, shortOf } from '../trials/books.js';
import { charged, disorder, repeated, turnsOf } from '../trials/effects.js';
import type { Conversations } from './conversations.js';
import { repeatedIn, supersededIn, type Noted } from './notes.js';

/** A turn whose cost on a host is not in the books of its run, as `raymond status` names it. */
type Unreported = Pick<Noted, 'host' | 'turn'> & { readonly agentId: string };

/** A run that has ended, with everything that can be known of it from outside. */
export interface Ended {
  readonly document: RunJson & { readonly unreported?: readonly Unreported[] };
  readonly notes: readonly Noted[];
  readonly conversations: Conversations;
  /** The files of the branches that it leaves. */
  readonly trees: Readonly<Record<string, string>>;
  /** Processes of the run that still live, on any host. */
  readonly orphans: readonly number[];
  /** When hosts were to lose their power. */
  readonly powerCuts: readonly PowerCut[];
}

interface PowerCut extends Pick<Noted, 'host'> {
  readonly at: number;
}

/** Milliseconds around a power cut in which a turn that was charged may not have been written to the disk of its host (docs/explanation/durability.md). */
const UNWRITTEN_MS = 5000;

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
  /** Charged by turns that are named as unreported, or that a power cut ended in that moment. */
  readonly unreportedUsd: number;
  /** Charged, but neither booked nor named; below 0: booked, but not charged. */
  readonly unaccountedUsd: number;
}

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
      ...[...expected.conversations.torn, ...ended.conversations.torn].map((how) => `conversation ${how}`),
      ...eachDifferent('conversation', ended.conversations.said, expected.conversations.said),
      ...eachDifferent('file', ended.trees, expected.trees),
      ...(dollars.unaccountedUsd === 0 ? [] : [`${dollars.unaccountedUsd} USD are not accounted for`]),
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

/**
 * I4: what was charged is booked, to the cent, but for turns of which a host had not told before another one took its place. They are named,
 * also those that turn out to have cost nothing, or are booked all the same: each of them is missing as a whole, or not at all. So is a turn
 * that was charged in the moment in which its host lost its power.
 */
function dollarsOf({ document, notes, powerCuts }: Ended): Pick<Verdict, 'usd' | 'unreportedUsd' | 'unaccountedUsd'> {
  const { costUsd: usd, unreported = [] } = document;
  const charging = notes.filter(({ kind }) => kind === 'P' || kind === 'C');
  const superseded = supersededIn(notes);
  const named = unreported.map(({ agentId, host, turn }) =>
    charging.filter(
      (note) => superseded.has(note.attempt) && note.agent === agentId && note.host === host && note.turn === turn,
    ),
  );
  const unwritten = [...repeatedIn(notes)].map((attempt) =>
    charging.filter((note) => note.attempt === attempt && powerCuts.some((cut) => mayEnd(cut, note))),
  );
  const missing = [...named, ...unwritten].filter((turn) => turn.length > 0);
  const books = choicesAmong(missing).map((turns) => {
    const unaccountedUsd = shortOf(usd, without(notes, turns));
    return { usd, unreportedUsd: charged(turns).surely, unaccountedUsd };
  });
  return books.reduce((best, one) => (Math.abs(one.unaccountedUsd) < Math.abs(best.unaccountedUsd) ? one : best));
}

function mayEnd(cut: PowerCut, { host, at }: Noted): boolean {
  return cut.host === host && Math.abs(cut.at - at) < UNWRITTEN_MS;
}

/** All choices among some turns; the first is none of them. */
function choicesAmong(turns: readonly (readonly Noted[])[]): readonly (readonly Noted[])[] {
  return turns.reduce<(readonly Noted[])[]>((sets, turn) => [...sets, ...sets.map((set) => [...set, ...turn])], [[]]);
}

function without(notes: readonly Noted[], missing: readonly Noted[]): readonly Noted[] {
  return notes.filter((note) => !missing.includes(note));
}
