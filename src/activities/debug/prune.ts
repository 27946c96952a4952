// Keeping a debug folder small: of every state of an agent only the last turns are kept.
// Must not look into the folder at every turn: the more there is in it, the more seldom.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { turnOf } from './names.js';

/** How many turns of a state are kept. */
export const KEPT_TURNS = 1000;

/** Turns between two looks at a small folder. */
const SHORTEST_PAUSE = 100;

/** Removes old files of a folder every now and then. */
export class Pruner {
  private pause = 0;
  private pruning = false;

  constructor(
    private readonly folder: string,
    private readonly kept = KEPT_TURNS,
  ) {}

  /** Counts a turn; looks when it is time. Rejects when the folder cannot be read. */
  async turn(): Promise<void> {
    this.pause -= 1;
    if (this.pause >= 0 || this.pruning) return;
    this.pruning = true;
    try {
      const names = await readdir(this.folder);
      this.pause = Math.max(SHORTEST_PAUSE, Math.floor(names.length / 20));
      for (const name of outdated(names, this.kept)) await rm(join(this.folder, name), { force: true });
    } finally {
      this.pruning = false;
    }
  }
}

/** The files of turns that are older than the last `kept` of their state. */
export function outdated(names: readonly string[], kept: number): readonly string[] {
  const states = new Map<string, Map<number, string[]>>();
  for (const name of names) {
    const of = turnOf(name);
    if (of === undefined) continue;
    const turns = entry(states, of.state, () => new Map<number, string[]>());
    entry(turns, of.turn, () => []).push(name);
  }
  return [...states.values()].flatMap((turns) => {
    const old = [...turns.keys()].sort((a, b) => b - a).slice(kept);
    return old.flatMap((turn) => turns.get(turn) ?? []);
  });
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
