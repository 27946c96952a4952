// The leash by time: counts how long the worker has not confirmed while turns run. Ends nothing itself.

const TICKS = 10;

/** Calls `expired` when turns run and nothing was confirmed for `timeoutMs`. */
export class Leash {
  #silentTicks = 0;

  constructor({ timeoutMs, isBusy, expired }: { timeoutMs: number; isBusy: () => boolean; expired: () => void }) {
    // Ticks are counted, not clock time: after this host slept or was stopped, a waiting confirmation is read first.
    setInterval(() => {
      this.#silentTicks = isBusy() ? this.#silentTicks + 1 : 0;
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
