// The order in which turns get slots: by priority, then by the shares of account, workflow and run.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FairLine, type Waiter } from '../../../src/activities/slots/fair-line.js';

interface Name {
  readonly run?: string;
  readonly flow?: string;
  readonly priority?: number;
  readonly account?: string;
  readonly weight?: number;
}

function waiterOf({ run = 'r', flow = 'f', priority = 3, account, weight = 1 }: Name): Waiter {
  const spends = account === undefined ? {} : { account: { name: account, weight } };
  return { priority, workflow: flow, runId: run, ...spends };
}

/** A line of so many claims of each kind, in this order. */
function lineOf(...kinds: readonly (readonly [count: number, name: Name])[]): FairLine {
  const line = new FairLine();
  for (const [count, name] of kinds) for (let made = 0; made < count; made += 1) line.add(waiterOf(name));
  return line;
}

const runs = (claims: readonly Waiter[]): string => claims.map(({ runId }) => runId).join('');

/** Serves one at a time, each to its end, so that nobody has more slots than anybody else when the next is chosen. */
function oneByOne(line: FairLine, count: number): readonly Waiter[] {
  return Array.from({ length: count }, () => {
    const served = line.next();
    if (served === undefined) throw new Error('nobody waits');
    line.release(served);
    return served;
  });
}

describe('the order', () => {
  test.each<[string, readonly (readonly [number, Name])[], string]>([
    ['of one run is that of arrival', [[3, { run: 'a' }]], 'aaa'],
    ['of two runs alternates', [[4, { run: 'a' }], [2, { run: 'b' }]], 'ababaa'], // prettier-ignore
    ['of three runs goes round', [[2, { run: 'a' }], [2, { run: 'b' }], [2, { run: 'c' }]], 'abcabc'], // prettier-ignore
    ['begins with the most urgent', [[2, { run: 'a' }], [2, { run: 'b', priority: 1 }]], 'bbaa'], // prettier-ignore
    [
      'shares between workflows, not between the many runs of one',
      [
        [1, { run: 'a' }],
        [1, { run: 'b' }],
        [1, { run: 'c' }],
        [3, { run: 'x', flow: 'g' }],
      ],
      'axbxcx',
    ],
    [
      'shares between accounts before workflows',
      [
        [2, { run: 'a', account: 'one' }],
        [2, { run: 'b', account: 'one', flow: 'g' }],
        [4, { run: 'x', account: 'two' }],
      ],
      'axbxaxbx',
    ],
  ])('%s', (_what, kinds, expected) => {
    const line = lineOf(...kinds);
    expect(runs(line.order())).toBe(expected);
    expect(runs(oneByOne(line, expected.length))).toBe(expected);
    expect(line.next()).toBeUndefined();
  });

  test('gives an account as much as its weight says, however many slots there are', () => {
    const line = lineOf([40, { run: 'a', account: 'one', weight: 3 }], [40, { run: 'b', account: 'two' }]);
    expect(runs(oneByOne(line, 8)).replaceAll('b', '')).toHaveLength(6);
    const held = Array.from({ length: 8 }, () => line.next());
    expect(held.filter((served) => served?.runId === 'a')).toHaveLength(6);
  });

  test('prefers who has fewer slots to who was served longer ago', () => {
    const line = lineOf([3, { run: 'a' }]);
    const [first] = [line.next(), line.next()];
    line.add(waiterOf({ run: 'b' }));
    expect(line.next()?.runId).toBe('b');
    if (first !== undefined) line.release(first);
    line.add(waiterOf({ run: 'b' }));
    expect(line.next()?.runId).toBe('a');
  });

  test('who comes one by one gets no more than who waits all the time', () => {
    const line = lineOf([30, { run: 'b' }], [30, { run: 'c' }]);
    const served: Waiter[] = [];
    for (let n = 0; n < 30; n += 1) {
      if (served.at(-1)?.runId !== 'a') line.add(waiterOf({ run: 'a' }));
      served.push(...oneByOne(line, 1));
    }
    const count = (run: string): number => served.filter(({ runId }) => runId === run).length;
    expect(Math.abs(count('b') - count('c'))).toBeLessThanOrEqual(1);
    expect(count('a')).toBeLessThanOrEqual(count('b') + 2);
  });
});

test('looking at the order changes nothing', () => {
  const line = lineOf([5, { run: 'a' }], [3, { run: 'b' }]);
  const before = line.order();
  expect(line.order()).toEqual(before);
  expect(oneByOne(line, 8)).toEqual(before);
});

test('whatever comes, leaves and is served: everybody is served once or has left, and the count is right', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'take', 'release', 'remove'),
    run: fc.constantFrom('a', 'b', 'c'),
    account: fc.constantFrom(undefined, 'one', 'two'),
    priority: fc.integer({ min: 1, max: 5 }),
    which: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const line = new FairLine();
      const waiting = new Set<Waiter>();
      const held: Waiter[] = [];
      for (const { what, which, run, account, priority } of steps) {
        const made = waiterOf({ run, priority, ...(account === undefined ? {} : { account }) });
        const other = [...waiting][which % Math.max(1, waiting.size)];
        if (what === 'add') {
          line.add(made);
          waiting.add(made);
        } else if (what === 'remove' && other !== undefined) {
          line.remove(other);
          waiting.delete(other);
        } else if (what === 'release') held.splice(0, 1).forEach((one) => line.release(one));
        else if (what === 'take') {
          const urgent = Math.min(...[...waiting].map((one) => one.priority));
          const served = line.next();
          expect(served?.priority ?? Infinity).toBe(urgent);
          if (served === undefined) continue;
          expect(waiting.delete(served)).toBe(true);
          held.push(served);
        }
        expect(line.length).toBe(waiting.size);
        expect(new Set(line.order())).toEqual(waiting);
      }
    }),
    { numRuns: 200 },
  );
});
