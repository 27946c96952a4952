// The orders of people to an open run: who, when and what, read from the histories of the run and its agents. Messages
// between workflows are in them, too, but are not orders; nor is a message that a worker rejected because it was not
// signed.
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { fromPayload, type Payloads } from '../../codec/converter.js';
import { PayloadRefused } from '../../codec/mac.js';
import { eventsOf, executionsOf, msOf, type HistoryEvent } from '../../history/events.js';
import type { AgentName } from '../../history/turns.js';
import type { OperatorNote } from '../../protocol/machine/agent.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined, nonEmpty, type Value } from '../../protocol/text.js';
import type { Answer } from '../../protocol/machine/wait.js';
import type { Move, Revival, RunInput } from '../../contract/runs.js';

/** The order. A budget without `usd` removes the limit; a note to an agent may be in the artifact store. */
type OrderContent =
  | { readonly kind: 'pause' | 'resume' | 'retry' | 'cancel' | 'withdraw' }
  | { readonly kind: 'goto'; readonly target: string }
  | { readonly kind: 'budget'; readonly usd?: number }
  | { readonly kind: 'tell'; readonly text: Value }
  | { readonly kind: 'answer'; readonly askId: string; readonly text: Value; readonly files?: Answer['files'] };

/** The agent, unless the order is to the whole run; and the sender, if the message names one. */
interface Party {
  readonly agentId?: string;
  readonly by?: string;
}

/**
 * A person's order, as Temporal has recorded it; without `agentId` to the whole run. `by` is `user@host`, or the name
 * of another client.
 */
export type Order = OrderContent & Party & { readonly at: Date; readonly by: string };

/** The orders in the histories of a run itself, the oldest first. Throws `KeyError`, `ArtifactMissing`. */
export async function ordersOfRun(client: Client, runId: string): Promise<readonly Order[]> {
  const orders = new OrderReader(client, { workflowId: runId, ofRun: true });
  for (const executionId of await executionsOf(client, runId))
    for await (const event of eventsOf(client, { workflowId: runId, executionId })) await orders.read(event);
  return orders.orders;
}

/** Finds the orders to an agent in its events, which another reader reads. */
export function agentOrders(client: Client, { runId, agentId }: AgentName): OrderReader {
  return new OrderReader(client, { workflowId: agentWorkflowId(runId, agentId), ofRun: false, agentId });
}

/** Finds the orders in the events of one workflow. */
class OrderReader {
  /** In the order of the events. */
  readonly orders: Order[] = [];
  /** The budget of the run, as of the events so far. */
  private budgetUsd: number | undefined;
  private readonly converter: Payloads;
  private readonly namespace: string;

  constructor(
    { options: { loadedDataConverter, namespace } }: Client,
    private readonly to: { readonly workflowId: string; readonly ofRun: boolean; readonly agentId?: string },
  ) {
    this.converter = loadedDataConverter;
    this.namespace = namespace;
  }

  /** Reads the next event; returns the order in it. Throws `KeyError`, `ArtifactMissing`. */
  readonly read = async (event: HistoryEvent): Promise<Order | undefined> => {
    const found = await this.orderIn(event);
    if (found === undefined) return undefined;
    const { agentId } = this.to;
    const at = new Date(msOf(event.eventTime));
    const order = { ...found, at, by: found.by ?? identityIn(event), ...defined({ agentId }) };
    this.orders.push(order);
    return order;
  };

  private async orderIn(event: HistoryEvent): Promise<(OrderContent & Party) | undefined> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) {
      if (signal.externalWorkflowExecution) return undefined;
      return await this.signalOrder(signal.signalName ?? '', signal.input?.payloads?.[0]);
    }
    const cancel = event.workflowExecutionCancelRequestedEventAttributes;
    if (cancel) return cancel.externalWorkflowExecution ? undefined : { kind: 'cancel' };
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
    if (update) {
      const answer = await this.decode<Answer>(update.input?.args?.payloads?.[0]);
      if (answer === undefined) return undefined;
      const { askId, text, files } = answer;
      return { kind: 'answer', askId, text, ...nonEmpty({ files }) };
    }
    const started = event.workflowExecutionStartedEventAttributes;
    return started && this.to.ofRun ? await this.restartOrder(started.input?.payloads?.[0]) : undefined;
  }

  private async signalOrder(name: string, payload: Payload | undefined): Promise<(OrderContent & Party) | undefined> {
    switch (name) {
      case 'pause':
        // An agent gets a copy of its run's.
        return this.to.ofRun ? ofParty({ kind: 'pause' }, await this.decode<Party>(payload)) : undefined;
      case 'resume': {
        const order = await this.decode<Party>(payload);
        if (this.to.ofRun) return ofParty({ kind: 'resume' }, order);
        // Without a name it is a copy of its run's.
        return order?.by === undefined ? undefined : ofParty({ kind: 'retry' }, order);
      }
      case 'tell': {
        const note = await this.decode<OperatorNote>(payload);
        return note && ofParty({ kind: 'tell', text: note.text }, note);
      }
      case 'withdraw':
        return ofParty({ kind: 'withdraw' }, await this.decode<Party>(payload));
      case 'budget': {
        const limit = await this.decode<{ readonly usd?: number }>(payload);
        if (limit === undefined) return undefined;
        this.budgetUsd = limit.usd;
        return { kind: 'budget', ...defined({ usd: limit.usd }) };
      }
      case 'move': {
        const move = await this.decode<Move>(payload);
        return move && ofParty({ kind: 'goto', target: move.target }, move);
      }
      case 'revive':
        return revivalOf(await this.decode<Revival>(payload));
      default:
        return undefined;
    }
  }

  /** `resume` starts a closed run again, `retry` and `goto` for one agent, and `budget` with another limit. */
  private async restartOrder(payload: Payload | undefined): Promise<(OrderContent & Party) | undefined> {
    const input = await this.decode<RunInput>(payload);
    if (input === undefined) return undefined;
    const { budgetUsd: usd } = input.settings;
    const isSame = usd === this.budgetUsd;
    this.budgetUsd = usd;
    if (input.restart !== true) return undefined;
    if (input.only !== undefined) return revivalOf(input.only);
    return isSame ? { kind: 'resume' } : { kind: 'budget', ...defined({ usd }) };
  }

  /** Undefined for a value without effect. */
  private async decode<T>(payload: Payload | null | undefined): Promise<T | undefined> {
    if (!payload) return undefined;
    const { workflowId } = this.to;
    try {
      const context = { type: 'workflow', namespace: this.namespace, workflowId } as const;
      return (await fromPayload(this.converter, payload, context)) as T;
    } catch (error) {
      if (error instanceof PayloadRefused) return undefined;
      throw error;
    }
  }
}

/** Undefined for a message without effect. */
function ofParty(order: OrderContent, message: Party | undefined): (OrderContent & Party) | undefined {
  return message && { ...order, ...defined({ by: message.by }) };
}

function revivalOf(revival: Revival | undefined): (OrderContent & Party) | undefined {
  if (revival === undefined) return undefined;
  const { agentId, by, move } = revival;
  return { ...(move === undefined ? { kind: 'retry' } : { kind: 'goto', target: move.target }), agentId, by };
}

function identityIn(event: HistoryEvent): string {
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.meta;
  const attributes =
    update ??
    event.workflowExecutionSignaledEventAttributes ??
    event.workflowExecutionCancelRequestedEventAttributes ??
    event.workflowExecutionStartedEventAttributes;
  return attributes?.identity ?? '';
}
