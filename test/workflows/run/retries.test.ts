// Small activities of the run: tried again later, shown meanwhile, and given up only where that is said.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { Retries } from '../../../src/workflows/run/retries.js';

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

const what = 'open the archive';
const failing = (type: string): (() => Promise<never>) => {
  const cause = ApplicationFailure.create({ type, message: 'no answer' });
  const failure = new ActivityFailure('failed', 'a', '1', RetryState.MAXIMUM_ATTEMPTS_REACHED, 'w', cause);
  return jest.fn(() => Promise.reject(failure));
};
const away = failing('StoreUnreachable');
const done = (): Promise<string> => Promise.resolve('value');
const patient = (isHurried = false): Retries => new Retries(() => isHurried);

test('what is done shows nothing', async () => {
  const one = patient();
  expect(await one.attempt({ what, call: done })).toEqual({ kind: 'done', value: 'value' });
  expect([one.trouble, one.wakeAt(0)]).toEqual([undefined, Infinity]);
});

test('what has failed is shown, and tried again later and later until it is done', async () => {
  const one = patient();
  const waits: number[] = [];
  for (let tries = 0; tries < 9; tries += 1) {
    expect(await one.attempt({ what, call: away })).toEqual({ kind: 'later' });
    waits.push((one.wakeAt(Date.now()) - Date.now()) / 1000);
    jest.setSystemTime(one.wakeAt(Date.now()));
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  expect(one.trouble).toEqual({ type: 'StoreUnreachable', message: 'cannot open the archive: no answer' });
  expect(await one.attempt({ what, call: done })).toMatchObject({ kind: 'done' });
  expect(one.trouble).toBeUndefined();
});

test('nothing is tried before its time', async () => {
  const one = patient();
  const call = failing('StoreUnreachable');
  await one.attempt({ what, call });
  expect(await one.attempt({ what, call })).toEqual({ kind: 'later' });
  expect(call).toHaveBeenCalledTimes(1);
  expect(one.retryAt(what)).toBe(5000);
});

test('the run wakes up for a call, once more when it was not made, and not again', async () => {
  const one = patient();
  await one.attempt({ what, call: away });
  expect([0, 7000, 7000].map((now) => one.wakeAt(now))).toEqual([5000, 5000, Infinity]);
});

describe('nothing will come of', () => {
  test('what the store does not have', async () => {
    expect(await patient().attempt({ what, call: failing('ArtifactMissing') })).toEqual({ kind: 'never' });
  });

  test('what has been tried often enough', async () => {
    const one = patient();
    expect(await one.attempt({ what, call: away, tries: 2 })).toEqual({ kind: 'later' });
    jest.setSystemTime(5000);
    expect(await one.attempt({ what, call: away, tries: 2 })).toEqual({ kind: 'never' });
    expect(one.trouble).toBeDefined();
  });

  test('what fails while the run is being cancelled, which waits for nothing', async () => {
    let isHurried = false;
    const one = new Retries(() => isHurried);
    await one.attempt({ what, call: away });
    isHurried = true;
    expect(await one.attempt({ what, call: away })).toEqual({ kind: 'never' });
    expect(await one.attempt({ what, call: done })).toMatchObject({ kind: 'done' });
  });
});

test('what nobody needs any more is not shown', async () => {
  const one = patient();
  await one.attempt({ what, call: away });
  one.forget(what);
  expect(one.trouble).toBeUndefined();
});

test('a mistake of our own is no failure of the world', async () => {
  await expect(patient().attempt({ what, call: () => Promise.reject(new TypeError('oh')) })).rejects.toThrow('oh');
});
