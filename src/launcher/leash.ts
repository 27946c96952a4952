// The leash by time: counts how long the worker has not confirmed that it is connected. Ends nothing itself.

const TICKS = 10;

/** Calls `expired` whenever nothing was confirmed for `timeoutMs`. */
export class Leash {
  #silentTicks = 0;

  constructor({ timeoutMs, expired }: { timeoutMs: number; expired: () => void }) {
    // Ticks are counted, not clock time: after this host slept or was stopped, a waiting confirmation is read first.
    setInterval(() => {
      this.#silentTicks += 1;
      if (this.#silentTicks <= TICKS) return;
      this.#silentTicks = 0;
      expired();
    }, timeoutMs / TICKS);
  }

  /** The worker is alive and connected. */
  confirm(): void {
    this.#silentTicks = 0;
  }
}
