// Recorded turns by agent. An agent without a new turn keeps its array, so that what was made of it can be kept, too: a
// run of 1,000 agents is drawn again several times a second.
import type { Turn } from './words.js';

type Groups = ReadonlyMap<string, readonly Turn[]>;

const known = new WeakMap<readonly Turn[], Groups>();

/** The turns of each agent. */
export function byAgent(turns: readonly Turn[]): Groups {
  const groups = known.get(turns) ?? grouped(new Map(), turns);
  known.set(turns, groups);
  return groups;
}

/** The turns and later ones. */
export function withLater(turns: readonly Turn[], later: readonly Turn[]): readonly Turn[] {
  const all = [...turns, ...later];
  known.set(all, grouped(byAgent(turns), later));
  return all;
}

/** Which try of its turn each is: a turn that failed and was run again has several. The last one has none. */
export function earlierTries(turns: readonly Turn[]): ReadonlyMap<Turn, number> {
  const earlier = new Map<Turn, number>();
  for (const its of byAgent(turns).values())
    its.forEach((turn, index) => {
      if (its[index + 1]?.number !== turn.number) return;
      const before = its[index - 1];
      earlier.set(turn, before?.number === turn.number ? (earlier.get(before) ?? 0) + 1 : 1);
    });
  return earlier;
}

function grouped(before: Groups, later: readonly Turn[]): Groups {
  const groups = new Map(before);
  const grown = new Map<string, Turn[]>();
  for (const turn of later) {
    const its = grown.get(turn.agentId) ?? [...(before.get(turn.agentId) ?? [])];
    its.push(turn);
    grown.set(turn.agentId, its);
    groups.set(turn.agentId, its);
  }
  return groups;
}
