// The record of a run: its turns and the orders to it, in order of time. It can be read from the beginning while the
// histories of the agents are still being read.
import { agentsKnown, recordedAgents } from '../../history/recorded-run.js';
import type { RecordSources } from '../../history/chapters.js';
import type { RecordedTurn } from '../../history/turns.js';
import { defined } from '../../protocol/text.js';
import { agentOrders, ordersOfRun, type Order } from './orders.js';

/** A turn, at its end, or an order. */
export type RecordEntry = { readonly at: Date } & (
  { readonly kind: 'turn'; readonly turn: RecordedTurn } | { readonly kind: 'order'; readonly order: Order }
);

/** What to read of a run. */
interface RecordOptions {
  readonly runId: string;
  /** Absent = all. */
  readonly agentId?: string;
  /** Skips agents that ended before this time (epoch milliseconds). */
  readonly since?: number;
  readonly withOrders?: boolean;
}

/** The entries, in batches as soon as their order is certain. Throws `KeyError`, `ArtifactMissing`, `StoreDamaged`. */
export async function* recordOf(
  sources: RecordSources,
  { runId, agentId, since, withOrders = false }: RecordOptions,
): AsyncGenerator<readonly RecordEntry[]> {
  const { client } = sources;
  const [orders, agents] = await Promise.all([
    withOrders ? ordersOfRun(client, runId) : [],
    agentsKnown(sources, { runId, ...defined({ agentId, since }) }),
  ]);
  let waiting = orderEntries(orders, agentId);
  const readers = new Map<string, ReturnType<typeof agentOrders>>();
  const readerFor = (id: string): ReturnType<typeof agentOrders>['read'] => {
    const reader = agentOrders(client, { runId, agentId: id });
    readers.set(id, reader);
    return reader.read;
  };
  const wanted = { runId, agents, ...(withOrders && { readerFor }) };
  for await (const { agentId: id, turns, nextFrom } of recordedAgents(sources, wanted)) {
    waiting.push(...turns.map((turn) => ({ kind: 'turn' as const, at: turn.endedAt, turn })));
    waiting.push(...orderEntries(readers.get(id)?.orders ?? []));
    readers.delete(id);
    waiting.sort((one, other) => one.at.getTime() - other.at.getTime());
    const later = waiting.findIndex(({ at }) => at.getTime() >= nextFrom);
    const known = later < 0 ? waiting.length : later;
    if (known > 0) yield waiting.slice(0, known);
    waiting = waiting.slice(known);
  }
  if (waiting.length > 0) yield waiting;
}

function orderEntries(orders: readonly Order[], agentId?: string): RecordEntry[] {
  const wanted = orders.filter((order) => agentId === undefined || order.agentId === agentId);
  return wanted.map((order) => ({ kind: 'order', at: order.at, order }));
}
