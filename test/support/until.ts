// Waiting for a condition in tests: polls instead of sleeping a guessed time. Must not be used to hide a race in src/.
import { setTimeout as delay } from 'node:timers/promises';

/** No pause between two probes is longer, but for a caller that names a longer one: what is to be seen may not last. */
const LONGEST_PAUSE_MS = 250;

/**
 * Polls `probe` until it gives something truthy and returns that; fails with `what` after `timeoutMs` (default 60 s). The longer it has taken, the
 * more seldom it asks: most probes ask a server, and processors that are busy with answers are missed by what is waited for.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  {
    what = 'the condition',
    timeoutMs = 60_000,
    everyMs = 50,
  }: { what?: string; timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const begun = Date.now();
  for (;;) {
    const asked = Date.now();
    const value = await probe();
    if (value) return value;
    const now = Date.now();
    if (now - begun > timeoutMs) throw new Error(`${what} did not come true within ${timeoutMs} ms`);
    const pause = Math.max((now - begun) / 5, 3 * (now - asked));
    await delay(Math.max(everyMs, Math.min(pause, LONGEST_PAUSE_MS)));
  }
}
