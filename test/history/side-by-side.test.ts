// Several pieces of work at once, with what comes of them in the order of the items.
import { expect, test } from '@jest/globals';
import { sideBySide } from '../../src/history/side-by-side.js';

test('keeps the order of the items, and to the bound', async () => {
  let [active, most] = [0, 0];
  const work = async (item: number): Promise<number> => {
    most = Math.max(most, ++active);
    for (let wait = 5 - (item % 5); wait > 0; wait--) await Promise.resolve();
    active -= 1;
    return item;
  };
  const found: number[] = [];
  for await (const one of sideBySide([1, 2, 3, 4, 5, 6, 7, 8, 9], { atOnce: 3, work })) found.push(one);
  expect({ found, most }).toEqual({ found: [1, 2, 3, 4, 5, 6, 7, 8, 9], most: 3 });
});

test('throws what fails where it is taken, after what comes before it', async () => {
  const work = (item: number): Promise<number> =>
    item === 2 ? Promise.reject(new Error('two')) : Promise.resolve(item);
  const taking = sideBySide([1, 2, 3], { atOnce: 3, work });
  await expect(taking.next()).resolves.toMatchObject({ value: 1 });
  await expect(taking.next()).rejects.toThrow('two');
});
