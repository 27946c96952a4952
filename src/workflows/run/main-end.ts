// The end of `main`. Its run learns it from the child workflow's result: `main` then sends no last message and waits
// for no reply, which saves two workflow tasks a run. An execution gets the results only of the children that it
// started itself, so before the run continues as new, `main` must send its end as a message.
import { MAIN_AGENT } from '../../protocol/ids.js';
import type { AgentResult } from '../../contract/runs.js';
import { askForEnd, type AgentHandle } from './to-agents.js';

/** What the run does when `main` has ended. */
interface Listener {
  readonly onCompleted: (end: AgentResult) => void;
  /** It ended in another way, which it has reported unless an operator ended it in Temporal. */
  readonly onFailed: () => unknown;
}

/** Whether the run waits for the result of `main`. */
export class MainEnd {
  private isAwaited = false;

  constructor(
    private readonly runId: string,
    private readonly listener: Listener,
  ) {}

  /** `main` ends by its result. */
  watch(main: AgentHandle): void {
    this.isAwaited = true;
    void main.result().then(
      (end) => {
        this.isAwaited = false;
        if (typeof end === 'object' && 'state' in end) this.listener.onCompleted(end);
      },
      () => {
        this.isAwaited = false;
        this.listener.onFailed();
      },
    );
  }

  /** The run knows how `main` ended, so it need not wait for the result. */
  forget(): void {
    this.isAwaited = false;
  }

  /** `main` sends its end from now on; false when it has ended. */
  async request(): Promise<boolean> {
    return await askForEnd(this.runId, MAIN_AGENT);
  }

  /** `main` sends its end from now on; false when it has ended, and its result is about to arrive. */
  async release(): Promise<boolean> {
    if (this.isAwaited && (await this.request())) this.isAwaited = false;
    return !this.isAwaited;
  }
}
