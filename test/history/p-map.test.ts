// What the reading of histories relies on in p-map: the order of the items, the bound, and where a failure is thrown.
import { expect, test } from '@jest/globals';
import { pMapIterable } from 'p-map';

test('keeps the order of the items, and to the bound', async () => {
  let [active, most] = [0, 0];
  const work = async (item: number): Promise<number> => {
    most = Math.max(most, ++active);
    for (let wait = 5 - (item % 5); wait > 0; wait--) await Promise.resolve();
    active -= 1;
    return item;
  };
  const found: number[] = [];
  for await (const one of pMapIterable([1, 2, 3, 4, 5, 6, 7, 8, 9], work, { concurrency: 3 })) found.push(one);
  expect({ found, most }).toEqual({ found: [1, 2, 3, 4, 5, 6, 7, 8, 9], most: 3 });
});

test('throws what fails where it is taken, after what comes before it', async () => {
  const work = (item: number): Promise<number> =>
    item === 2 ? Promise.reject(new Error('two')) : Promise.resolve(item);
  const taking = pMapIterable([1, 2, 3], work, { concurrency: 3 })[Symbol.asyncIterator]();
  await expect(taking.next()).resolves.toMatchObject({ value: 1 });
  await expect(taking.next()).rejects.toThrow('two');
});
