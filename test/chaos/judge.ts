// Compares a run that the monkey disturbed with the same run undisturbed: results, turns, agents, dollars, and what was left behind.
// Must not run anything.
import type { RunJson } from '../support/fakes.js';
import { agentsOf, different, shortOf } from '../trials/books.js';
import { charged, disorder, repeated, turnsOf, type Effect } from '../trials/effects.js';

/** A run that has ended, with everything that can be known of it from outside. */
export interface Ended {
  readonly document: RunJson;
  readonly effects: readonly Effect[];
  /** Turns that are recorded as failed scripts, which are tried again; and scripts that the monkey has killed by themselves. */
  readonly scriptsFailed: number;
  readonly scriptsKilled: number;
  /** Processes of the run that still live, and files of turns that are still there. */
  readonly orphans: readonly number[];
  readonly leftovers: readonly string[];
}

/** What is wrong, in words; `unaccountedUsd` is what the run's books are short of (below 0: what they have too much). */
export interface Verdict {
  readonly problems: readonly string[];
  readonly turns: number;
  readonly repeated: number;
  readonly lost: number;
  readonly orphans: number;
  readonly unaccountedUsd: number;
}

/** Judges a disturbed run. */
export function judge(expected: Ended, ended: Ended): Verdict {
  const { document, effects, orphans, leftovers } = ended;
  const lost = document.agents.filter(({ status }) => status === 'lost').length;
  return {
    problems: [
      ...disorder(effects),
      ...different('status', document.status, expected.document.status),
      ...different('result', document.result, expected.document.result),
      ...different('agents', agentsOf(document), agentsOf(expected.document)),
      ...different('turns', turnsOf(effects), turnsOf(expected.effects)),
      ...dollars(ended),
      ...blamed(ended),
      ...orphans.map((pid) => `process ${pid} was left behind`),
      ...leftovers.map((file) => `${file} was left behind`),
    ],
    turns: Object.keys(turnsOf(effects)).length,
    repeated: repeated(effects),
    lost,
    orphans: orphans.length,
    unaccountedUsd: shortOf(document.costUsd, effects),
  };
}

/** I11: only what befell a script itself counts as its failure. */
function blamed({ scriptsFailed, scriptsKilled }: Ended): readonly string[] {
  return scriptsFailed > scriptsKilled ? [`${scriptsFailed} scripts failed, ${scriptsKilled} were killed`] : [];
}

/** I4: the books hold what was charged. */
function dollars(ended: Ended): readonly string[] {
  const { surely, atMost } = charged(ended.effects);
  const cost = `cost ${ended.document.costUsd}, charged ${surely} (at most ${atMost})`;
  return shortOf(ended.document.costUsd, ended.effects) === 0 ? [] : [cost];
}
