// Answers that many ask for at one moment: asked for once, given again for a moment, and never what was true before something happened.
import { describe, expect, test } from '@jest/globals';
import { Flights } from '../../src/serve/flights.js';

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
    const flights = new Flights(() => 0);
    const { ask, arrive, asked } = source();
    const first = flights.share('a', ask);
    const others = [flights.share('a', ask), flights.share('a', ask)];
    arrive();
    await settle();
    arrive();
    expect([await first, ...(await Promise.all(others))]).toEqual([1, 2, 2]);
    expect(asked()).toBe(2);
  });

  test('is given again a moment later, and anew when somebody has changed something or was told of an event', async () => {
    let told = 0;
    const flights = new Flights(() => told);
    let asked = 0;
    const ask = (): Promise<number> => Promise.resolve(++asked);
    expect([await flights.share('a', ask), await flights.share('a', ask), await flights.share('b', ask)]).toEqual([
      1, 1, 2,
    ]);
    flights.changed();
    expect(await flights.share('a', ask)).toBe(3);
    told += 1;
    expect(await flights.share('a', ask)).toBe(4);
    expect(await flights.share('a', ask)).toBe(4);
  });

  test('is not given again when something has happened while it was on its way', async () => {
    const flights = new Flights(() => 0);
    const { ask, arrive } = source();
    const first = flights.share('a', ask);
    flights.changed();
    arrive();
    expect(await first).toBe(1);
    const second = flights.share('a', ask);
    arrive();
    expect(await second).toBe(2);
  });

  test('that failed is asked for again', async () => {
    const flights = new Flights(() => 0);
    await expect(flights.share('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await flights.share('a', () => Promise.resolve('there'))).toBe('there');
  });
});
