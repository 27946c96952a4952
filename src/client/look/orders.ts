// What people have asked of a run while it went on: who, when and what, read from the histories of the run and its agents. What the
// workflows tell each other stands there, too, and is no order; nor is what a worker refused, because it was not marked.
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { fromPayload, type Payloads } from '../../codec/converter.js';
import { PayloadRefused } from '../../codec/mac.js';
import { eventsOf, executionsOf, msOf, type HistoryEvent } from '../../history/events.js';
import type { AgentName } from '../../history/turns.js';
import type { OperatorNote } from '../../protocol/machine/agent.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined, type Value } from '../../protocol/text.js';
import type { Answer } from '../../protocol/machine/wait.js';
import type { Move, Revival, RunInput } from '../../workflows/contract.js';

/** What was asked for. A budget without `usd` is none; words to an agent may lie in the artifact store. */
type Wish =
  | { readonly kind: 'pause' | 'resume' | 'retry' | 'cancel' }
  | { readonly kind: 'goto'; readonly target: string }
  | { readonly kind: 'budget'; readonly usd?: number }
  | { readonly kind: 'tell'; readonly text: Value }
  | { readonly kind: 'answer'; readonly askId: string };

/** To whom, when the whole run is not meant, and by whom, when the message itself says it. */
interface Party {
  readonly agentId?: string;
  readonly by?: string;
}

/** A person's order, as Temporal has recorded it; without `agentId` to the whole run. `by` is `user@host`, or what another client calls itself. */
export type Order = Wish & Party & { readonly at: Date; readonly by: string };

/** The orders in the histories of a run itself, the oldest first. Throws `KeyError`, `ArtifactMissing`. */
export async function ordersOfRun(client: Client, runId: string): Promise<readonly Order[]> {
  const orders = new OrderReader(client, { workflowId: runId, ofRun: true });
  for (const executionId of await executionsOf(client, runId))
    for await (const event of eventsOf(client, { workflowId: runId, executionId })) await orders.hear(event);
  return orders.found;
}

/** Finds the orders to an agent in its events, which somebody else reads. */
export function agentOrders(client: Client, { runId, agentId }: AgentName): OrderReader {
  return new OrderReader(client, { workflowId: agentWorkflowId(runId, agentId), ofRun: false, agentId });
}

/** Finds the orders in the events of one workflow. */
class OrderReader {
  /** In the order of the events. */
  readonly found: Order[] = [];
  /** What the run may cost, as of the events that were read. */
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

  /** Takes the next event. Throws `KeyError`, `ArtifactMissing`. */
  readonly hear = async (event: HistoryEvent): Promise<void> => {
    const wish = await this.wishIn(event);
    if (wish === undefined) return;
    const { agentId } = this.to;
    const at = new Date(msOf(event.eventTime));
    this.found.push({ ...wish, at, by: wish.by ?? identityIn(event), ...defined({ agentId }) });
  };

  private async wishIn(event: HistoryEvent): Promise<(Wish & Party) | undefined> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) {
      if (signal.externalWorkflowExecution) return undefined;
      return await this.signalled(signal.signalName ?? '', signal.input?.payloads?.[0]);
    }
    const cancel = event.workflowExecutionCancelRequestedEventAttributes;
    if (cancel) return cancel.externalWorkflowExecution ? undefined : { kind: 'cancel' };
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
    if (update) {
      const answer = await this.read<Answer>(update.input?.args?.payloads?.[0]);
      return answer === undefined ? undefined : { kind: 'answer', askId: answer.askId };
    }
    const begun = event.workflowExecutionStartedEventAttributes;
    return begun && this.to.ofRun ? await this.begun(begun.input?.payloads?.[0]) : undefined;
  }

  private async signalled(name: string, payload: Payload | undefined): Promise<(Wish & Party) | undefined> {
    switch (name) {
      case 'pause':
        return ofParty({ kind: 'pause' }, await this.read<Party>(payload));
      case 'resume':
        return ofParty({ kind: this.to.ofRun ? 'resume' : 'retry' }, await this.read<Party>(payload));
      case 'tell': {
        const told = await this.read<OperatorNote>(payload);
        return told && ofParty({ kind: 'tell', text: told.text }, told);
      }
      case 'budget': {
        const limit = await this.read<{ readonly usd?: number }>(payload);
        if (limit === undefined) return undefined;
        this.budgetUsd = limit.usd;
        return { kind: 'budget', ...defined({ usd: limit.usd }) };
      }
      case 'move': {
        const move = await this.read<Move>(payload);
        return move && ofParty({ kind: 'goto', target: move.target }, move);
      }
      case 'revive':
        return revivalOf(await this.read<Revival>(payload));
      default:
        return undefined;
    }
  }

  /** A closed run is started again by `resume`, for one agent by `retry` and `goto`, and by `budget` with another limit. */
  private async begun(payload: Payload | undefined): Promise<(Wish & Party) | undefined> {
    const input = await this.read<RunInput>(payload);
    if (input === undefined) return undefined;
    const { budgetUsd: usd } = input.settings;
    const isSame = usd === this.budgetUsd;
    this.budgetUsd = usd;
    if (input.restart !== true) return undefined;
    if (input.only !== undefined) return revivalOf(input.only);
    return isSame ? { kind: 'resume' } : { kind: 'budget', ...defined({ usd }) };
  }

  /** Undefined for a value that counts for nobody. */
  private async read<T>(payload: Payload | null | undefined): Promise<T | undefined> {
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

/** Undefined for a message that counts for nobody. */
function ofParty(wish: Wish, message: Party | undefined): (Wish & Party) | undefined {
  return message && { ...wish, ...defined({ by: message.by }) };
}

function revivalOf(revival: Revival | undefined): (Wish & Party) | undefined {
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
