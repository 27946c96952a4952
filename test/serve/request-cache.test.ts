// Answers that many ask for at one moment: asked for once, given again for a moment, and never what was true before something happened.
import { describe, expect, test } from '@jest/globals';
import { RequestCache } from '../../src/serve/request-cache.js';

/** Something that can be asked, and is answered when the test says so. */
function source(): { readonly ask: () => Promise<number>; readonly arrive: () => void; readonly asked: () => number } {
  const waiting: (() => void)[] = [];
  let asked = 0;
  return {
    ask: () => {
      const number = ++asked;
      return new Promise((resolve) => waiting.push(() => resolve(number)));
    },
    arrive: () => waiting.shift()?.(),
    asked: () => asked,
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an answer that many ask for', () => {
  test('is not given to those who came while it was on its way: they share the next one', async () => {
    const cache = new RequestCache(() => 0);
    const { ask, arrive, asked } = source();
    const first = cache.share('a', ask);
    const others = [cache.share('a', ask), cache.share('a', ask)];
    arrive();
    await settle();
    arrive();
    expect([await first, ...(await Promise.all(others))]).toEqual([1, 2, 2]);
    expect(asked()).toBe(2);
  });

  test('is given again a moment later, and again when a user has changed something or received an event', async () => {
    let told = 0;
    const cache = new RequestCache(() => told);
    let asked = 0;
    const ask = (): Promise<number> => Promise.resolve(++asked);
    expect([await cache.share('a', ask), await cache.share('a', ask), await cache.share('b', ask)]).toEqual([1, 1, 2]);
    cache.changed();
    expect(await cache.share('a', ask)).toBe(3);
    told += 1;
    expect(await cache.share('a', ask)).toBe(4);
    expect(await cache.share('a', ask)).toBe(4);
  });

  test('is not given again when something has happened while it was on its way', async () => {
    const cache = new RequestCache(() => 0);
    const { ask, arrive } = source();
    const first = cache.share('a', ask);
    cache.changed();
    arrive();
    expect(await first).toBe(1);
    const second = cache.share('a', ask);
    arrive();
    expect(await second).toBe(2);
  });

  test('that failed is asked for again', async () => {
    const cache = new RequestCache(() => 0);
    await expect(cache.share('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.share('a', () => Promise.resolve('there'))).toBe('there');
  });
});
