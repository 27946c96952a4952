import { expect, test } from '@jest/globals';
import { openAfter } from '../trials/orders.js';
import { chanceOf } from '../trials/random.js';
import { FAULTS, ordersFor, type Fault } from './faults.js';

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

test('every kind of fault is ordered before any comes a third time, and the same again for the same seed', () => {
  for (const seed of SEEDS) {
    const orders = ordersFor(chanceOf(seed), Object.keys(FAULTS).length + 2);
    expect(new Set(orders.map(({ fault }) => fault))).toEqual(new Set(Object.keys(FAULTS)));
    expect(ordersFor(chanceOf(seed), orders.length)).toEqual(orders);
  }
});

test('of two faults at once neither the server nor the bucket gets both', () => {
  const pairs = SEEDS.flatMap((seed) => ordersFor(chanceOf(seed), 20)).flatMap(({ fault, beside }) =>
    beside === undefined ? [] : [[FAULTS[fault].target, FAULTS[beside].target]],
  );
  expect(pairs.length).toBeGreaterThan(0);
  expect(pairs.filter(([one, other]) => one === other && one !== 'host')).toEqual([]);
});

test('what did not strike remains, last what was tried in vain', () => {
  const [one, two, three]: readonly Fault[] = ['cut', 'full disk', 'power off'];
  const tried = [
    { order: one, struck: false },
    { order: two, struck: true },
  ];
  expect(openAfter(tried, [one, two, three])).toEqual([three, one]);
});
