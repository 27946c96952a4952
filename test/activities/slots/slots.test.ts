// A bounded number of turns at once: order, leaving the line, and no slot ever lost.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Waiter } from '../../../src/activities/slots/fair-line.js';
import { Slots } from '../../../src/activities/slots/slots.js';

const waiterIn = (runId = 'run'): Waiter => ({ priority: 3, workflow: 'flow', runId });
const never = { waiter: waiterIn(), signal: new AbortController().signal };

/** Work that ends when it is told, and notes when it starts. */
class Job {
  readonly abort = new AbortController();
  started = false;
  end: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;
  readonly done: Promise<string>;

  constructor(
    slots: Slots,
    readonly waiter: Waiter = waiterIn(),
  ) {
    const work = new Promise<string>((resolve, reject) => {
      this.end = () => resolve('worked');
      this.fail = reject;
    });
    // A job may fail while it still waits for its slot: nobody listens then.
    work.catch(() => undefined);
    this.done = slots
      .use({ waiter, signal: this.abort.signal }, async () => {
        this.started = true;
        return await work;
      })
      .catch((error: unknown) => `rejected: ${(error as Error).message}`);
  }
}

/** Lets everything happen that can happen now. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  test('run so many at once, the others in their order', async () => {
    const slots = new Slots(2);
    const jobs = Array.from({ length: 5 }, () => new Job(slots));
    const started = (): readonly boolean[] => jobs.map((job) => job.started);
    await settle();
    expect(started()).toEqual([true, true, false, false, false]);
    jobs[1]?.end();
    await settle();
    expect(started()).toEqual([true, true, true, false, false]);
    jobs[0]?.end();
    jobs[2]?.end();
    await settle();
    expect(started()).toEqual([true, true, true, true, true]);
  });

  test('pass on what the work gives or throws, and are free again either way', async () => {
    const slots = new Slots(1);
    expect(await slots.use(never, () => Promise.resolve(7))).toBe(7);
    await expect(slots.use(never, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
    expect(await slots.use(never, () => Promise.resolve(8))).toBe(8);
  });

  test('tell how many turns have one and how many wait, now and whenever that changes', async () => {
    const slots = new Slots(1);
    const told: string[] = [];
    slots.watch(({ size, used, waiting }) => told.push(`${used} of ${size}, ${waiting} waiting`));
    expect(told).toEqual(['0 of 1, 0 waiting']);
    const [first, second, third] = [new Job(slots), new Job(slots), new Job(slots)];
    await settle();
    expect(told.at(-1)).toBe('1 of 1, 2 waiting');
    third.abort.abort();
    first.end();
    await settle();
    expect(told.at(-1)).toBe('1 of 1, 0 waiting');
    second.end();
    await settle();
    expect(told.at(-1)).toBe('0 of 1, 0 waiting');
  });

  test('a turn that is cancelled while it waits leaves the line with the reason, and never starts', async () => {
    const slots = new Slots(1);
    const [first, second, third] = [new Job(slots), new Job(slots), new Job(slots)];
    await settle();
    second.abort.abort(new Error('cancelled'));
    expect(await second.done).toBe('rejected: cancelled');
    first.end();
    await settle();
    expect([second.started, third.started]).toEqual([false, true]);
  });

  test('a turn that is cancelled before it comes does not take a slot', async () => {
    const slots = new Slots(1);
    await expect(
      slots.use({ ...never, signal: AbortSignal.abort(new Error('too late')) }, () => Promise.resolve()),
    ).rejects.toThrow('too late');
    expect(await slots.use(never, () => Promise.resolve('free'))).toBe('free');
  });

  test('who waits in the line can be sent away, and never starts; what runs continues', async () => {
    const slots = new Slots(1);
    const [first, second] = [new Job(slots), new Job(slots)];
    await settle();
    slots.close(new Error('closing'));
    expect(await second.done).toBe('rejected: closing');
    first.end();
    expect(await first.done).toBe('worked');
    expect(second.started).toBe(false);
    expect(await slots.use(never, () => Promise.resolve('free'))).toBe('free');
  });

  test('tell a turn its place in the line, and that those in front of it are gone', async () => {
    const slots = new Slots(1);
    const [first, second, third] = [new Job(slots), new Job(slots), new Job(slots)];
    await settle();
    expect(slots.positionOf(first.waiter)).toBeUndefined();
    expect(slots.positionOf(second.waiter)).toEqual({ position: 1, of: 2 });
    expect(slots.positionOf(third.waiter)).toEqual({ position: 2, of: 2 });
    second.abort.abort();
    expect(slots.positionOf(third.waiter)).toEqual({ position: 1, of: 1 });
  });

  test('a person with one turn does not wait for a crowd that came before', async () => {
    const slots = new Slots(2);
    const crowd = Array.from({ length: 500 }, () => new Job(slots, waiterIn('crowd')));
    const person = new Job(slots, waiterIn('person'));
    await settle();
    expect(slots.positionOf(person.waiter)).toEqual({ position: 1, of: 499 });
    crowd[0]?.end();
    await settle();
    expect(person.started).toBe(true);
    expect(crowd.filter(({ started }) => started)).toHaveLength(2);
  });

  test('a cancel of work that runs is its own affair', async () => {
    const slots = new Slots(1);
    const job = new Job(slots);
    await settle();
    job.abort.abort(new Error('ignored'));
    job.end();
    expect(await job.done).toBe('worked');
  });

  test('whatever ends, fails and is cancelled in whatever order: never too many at once, and all are free in the end', async () => {
    const step = fc.record({ what: fc.constantFrom('come', 'end', 'fail', 'cancel'), which: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (size, steps) => {
        const slots = new Slots(size);
        const jobs: Job[] = [];
        const over = new Set<Job>();
        for (const { what, which } of steps) {
          const job = jobs[which % jobs.length];
          if (what === 'come') {
            const come = new Job(slots);
            void come.done.then(() => over.add(come));
            jobs.push(come);
          } else if (what === 'end') job?.end();
          else if (what === 'fail') job?.fail(new Error('broke'));
          else job?.abort.abort(new Error('cancelled'));
          await settle();
          expect(jobs.filter((one) => one.started && !over.has(one)).length).toBeLessThanOrEqual(size);
        }
        for (const job of jobs) job.end();
        await Promise.all(jobs.map(({ done }) => done));
        const last = Array.from({ length: size }, () => new Job(slots));
        await settle();
        expect(last.every(({ started }) => started)).toBe(true);
        for (const job of last) job.end();
      }),
      { numRuns: 40 },
    );
  });
});
