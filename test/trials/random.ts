// Chance that can be repeated: the same seed gives the same numbers. Must not be used for anything but tests.

/** A source of numbers; `int` is below its argument, `pick` gives one of the list, `shuffle` all of it. */
export interface Chance {
  readonly int: (below: number) => number;
  readonly between: (least: number, most: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly shuffle: <T>(list: readonly T[]) => T[];
  readonly is: (probability: number) => boolean;
}

/** The chance of a seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    between: (least, most) => least + int(most - least + 1),
    pick: (list) => list[int(list.length)]!,
    shuffle: (list) =>
      list
        .map((item) => ({ item, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
    is: (probability) => next() < probability,
  };
}
