// Messages of an agent to its run and to the limiter of its queue. A run that is gone ends the
// agent; a limiter that is gone grants nothing.
import {
  ApplicationFailure,
  getExternalWorkflowHandle,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { Holder, WantedLease } from '../../protocol/leases.js';
import * as messages from '../messages.js';
import { delivered } from '../run/to-agents.js';

/** How an agent sends messages to its run. */
export class RunChannel {
  constructor(private readonly runId: string) {}

  /** Sends a message. Fails with `RunGone` when the run is closed: that ends the agent. */
  async send<T>(signal: SignalDefinition<[T]>, message: T): Promise<void> {
    if (await this.isOpenFor(signal, message)) return;
    const why = `the run ${this.runId} is no longer open, so the agent ends`;
    throw ApplicationFailure.create({ type: 'RunGone', nonRetryable: true, message: why });
  }

  /** Sends a message of an agent that ends. A run that is closed needs none. */
  async sendLast<T>(signal: SignalDefinition<[T]>, message: T): Promise<void> {
    await this.isOpenFor(signal, message);
  }

  private async isOpenFor<T>(signal: SignalDefinition<[T]>, message: T): Promise<boolean> {
    return await delivered(() => getExternalWorkflowHandle(this.runId).signal(signal, message));
  }
}

/** Asks the limiter for a lease; false when there is no limiter. */
export async function askForLease({ limiter, requestId, keys }: WantedLease, priority: number): Promise<boolean> {
  const request = { holder: self(), requestId, keys, priority };
  return await delivered(() => getExternalWorkflowHandle(limiter).signal(messages.wantSignal, request));
}

/** Releases a lease. A limiter that is gone has forgotten it. */
export async function releaseLease({ limiter, requestId }: WantedLease): Promise<void> {
  const lease = { holder: self(), requestId };
  await delivered(() => getExternalWorkflowHandle(limiter).signal(messages.releaseSignal, lease));
}

function self(): Holder {
  const { workflowId, runId } = workflowInfo();
  return { workflowId, runId };
}
