// How an agent speaks to its run and to the limiter of its queue. A run that is gone ends the agent; a limiter that is gone grants nothing.
import {
  ApplicationFailure,
  getExternalWorkflowHandle,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { AgentState } from '../../protocol/machine/agent.js';
import type { Report } from '../../protocol/machine/report.js';
import type { Holder, WantedLease } from '../../protocol/leases.js';
import { defined } from '../../protocol/text.js';
import * as messages from '../messages.js';
import type { AgentStatus, RefusedOrder, Revival } from '../contract.js';
import { reached } from '../run/to-agents.js';

/** The agent's line to its run. Every method fails with `RunGone` when the run is closed. */
export class RunChannel {
  constructor(private readonly runId: string) {}

  /** Reports money and status. */
  async report(agentId: string, { status, state, costUsd, asks, standing }: Report): Promise<void> {
    const report = { agentId, state, costUsd, status, ...defined({ asks, standing }) };
    await this.send(messages.reportSignal, report);
  }

  /** Asks whether a prompt turn may start. */
  async askMoney({ id, state }: AgentState, turnId: string): Promise<void> {
    await this.send(messages.allowanceSignal, { agentId: id, turnId, state });
  }

  /** Asks where the agent's workspace is. */
  async askPlace(ask: messages.PlaceAsk): Promise<void> {
    await this.send(messages.placeSignal, ask);
  }

  /** Reports the files that a turn has left. */
  async saved({ id, workspace }: AgentState): Promise<void> {
    if (workspace !== undefined) await this.send(messages.savedSignal, { agentId: id, workspace });
  }

  /** Says that nothing is done for the agent in its workspace, and with which files. */
  async quiet({ id, workspace }: AgentState): Promise<void> {
    if (workspace !== undefined) await this.send(messages.quietSignal, { agentId: id, workspace });
  }

  /** Announces agents that are about to start. */
  async starting(agents: readonly messages.Starting[]): Promise<void> {
    await this.send(messages.startingSignal, agents);
  }

  /** Takes an announcement back. */
  async notStarted(agentId: string, parent: string): Promise<void> {
    await this.send(messages.notStartedSignal, { agentId, parent });
  }

  /** Says that the agent cannot do what an operator asked of it. */
  async refuse(order: RefusedOrder): Promise<void> {
    await this.send(messages.refusedSignal, order);
  }

  /** Hands on an order that reached the agent while it ended. */
  async revive(revival: Revival): Promise<void> {
    await this.send(messages.reviveSignal, revival);
  }

  /** The last word of an agent. A run that is gone needs none. */
  async ended({ id, state }: AgentState, status: AgentStatus): Promise<void> {
    try {
      await this.send(messages.endedSignal, { agentId: id, state, status });
    } catch (error) {
      if (!isRunGone(error)) throw error;
    }
  }

  private async send<T>(signal: SignalDefinition<[T]>, message: T): Promise<void> {
    if (await reached(() => getExternalWorkflowHandle(this.runId).signal(signal, message))) return;
    const why = `the run ${this.runId} is no longer open; the agent ends itself`;
    throw ApplicationFailure.create({ type: 'RunGone', nonRetryable: true, message: why });
  }
}

/** True for the failure of an agent whose run is closed. */
export function isRunGone(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === 'RunGone';
}

/** Asks the limiter for a lease; false when there is no limiter. */
export async function askForLease({ limiter, requestId, keys }: WantedLease, priority: number): Promise<boolean> {
  const request = { holder: self(), requestId, keys, priority };
  return await reached(() => getExternalWorkflowHandle(limiter).signal(messages.wantSignal, request));
}

/** Gives a lease back. A limiter that is gone has forgotten it. */
export async function releaseLease({ limiter, requestId }: WantedLease): Promise<void> {
  const lease = { holder: self(), requestId };
  await reached(() => getExternalWorkflowHandle(limiter).signal(messages.releaseSignal, lease));
}

function self(): Holder {
  const { workflowId, runId } = workflowInfo();
  return { workflowId, runId };
}
