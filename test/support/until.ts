// Waiting for a condition in tests: polls instead of sleeping a guessed time. Must not be used to hide a race in src/.
import { setTimeout as delay } from 'node:timers/promises';

/** Polls `probe` until it gives something truthy and returns that; fails with `what` after `timeoutMs` (default 60 s). */
export async function until<T>(
  probe: () => T | Promise<T>,
  {
    what = 'the condition',
    timeoutMs = 60_000,
    everyMs = 25,
  }: { what?: string; timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come true within ${timeoutMs} ms`);
    await delay(everyMs);
  }
}
