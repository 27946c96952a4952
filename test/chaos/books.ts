// Compares a run that the monkey disturbed with the same run undisturbed: results, turns, agents, dollars, and what was left behind.
// Must not run anything.
import type { RunJson } from '../support/fakes.js';
import type { Effect } from './effects.js';
import { charged, disorder, repeated, turnsOf } from './effects.js';
import type { Strike } from './monkey.js';

/** A run that has ended, with everything that can be known of it from outside. */
export interface Ended {
  readonly document: RunJson;
  readonly effects: readonly Effect[];
  /** Processes of the run that still live, and files of turns that are still there. */
  readonly orphans: readonly number[];
  readonly leftovers: readonly string[];
}

/** What is wrong, in words; `unaccountedUsd` is what was charged but is not in the run's books (below 0: the other way round). */
export interface Verdict {
  readonly problems: readonly string[];
  readonly turns: number;
  readonly repeated: number;
  readonly lost: number;
  readonly orphans: number;
  readonly unaccountedUsd: number;
}

/** So long after a charge the death of the process that carried it may hide it: it was not on disk yet. */
const DOUBT_MS = 300;

const SMALL = 1e-6;

/** An attempt that was killed before its result is booked with what its tokens are worth: so much at most here. */
const ESTIMATED = 0.001;

/** Judges a disturbed run. */
export function judge(expected: Ended, ended: Ended, strikes: readonly Strike[]): Verdict {
  const { document, effects, orphans, leftovers } = ended;
  const unaccountedUsd = charged(effects).surely - document.costUsd;
  const lost = document.agents.filter(({ status }) => status === 'lost').length;
  return {
    problems: [
      ...disorder(effects),
      ...different('status', document.status, expected.document.status),
      ...different('result', document.result, expected.document.result),
      ...different('agents', agentsOf(document), agentsOf(expected.document)),
      ...different('turns', turnsOf(effects), turnsOf(expected.effects)),
      ...dollars(ended, strikes),
      ...orphans.map((pid) => `process ${pid} was left behind`),
      ...leftovers.map((file) => `${file} was left behind`),
    ],
    turns: Object.keys(turnsOf(effects)).length,
    repeated: repeated(effects),
    lost,
    orphans: orphans.length,
    unaccountedUsd: Math.abs(unaccountedUsd) < SMALL ? 0 : unaccountedUsd,
  };
}

function agentsOf({ agents }: RunJson): readonly unknown[] {
  const lines = agents.map((agent) => ({ ...agent, costUsd: undefined, error: undefined }));
  return lines.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function different(what: string, seen: unknown, wanted: unknown): readonly string[] {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return a === b ? [] : [`${what}: ${a}, undisturbed: ${b}`];
}

/** I4: the books hold what was charged. A charge around the death of the launcher, or of Claude itself, may or may not be there. */
function dollars({ document: { costUsd }, effects }: Ended, strikes: readonly Strike[]): readonly string[] {
  const { surely, atMost } = charged(effects);
  const carriers = strikes.filter(
    ({ fault, struck }) => struck && (fault.name === 'launcher' || fault.name.startsWith('launcher-')),
  );
  const doubtful = effects
    .filter(({ kind, at }) => kind === 'P' && carriers.some((strike) => Math.abs(strike.at - at) < DOUBT_MS))
    .reduce((usd, effect) => usd + effect.usd, 0);
  const guessed = ESTIMATED * repeated(effects);
  if (costUsd >= surely - doubtful - SMALL && costUsd <= atMost + guessed + SMALL) return [];
  return [`cost ${costUsd}, charged ${surely} (in doubt ${doubtful}, at most ${atMost})`];
}
