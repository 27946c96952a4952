// Who ordered what for a run, and when, as Temporal recorded it.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { useResource } from '../resource.js';
import { usd, when } from '../words.js';
import { Empty, Loading, ProblemNote } from './bits.js';
import type { Orders as OrderList } from '../../serve/types.js';

type Order = OrderList['orders'][number];

/** The list. */
export function Orders({ run }: { readonly run: string }): JSX.Element {
  const { data, problem } = useResource<OrderList>({
    key: `orders ${run}`,
    load: () => api.orders(run),
    when: (event) => event.type === 'run' && event.runId === run,
    everyMs: 1500,
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="what was asked" /> : <ProblemNote problem={problem} />;
  if (data.orders.length === 0) return <Empty>No orders since the run was started.</Empty>;
  return (
    <ol class="plain orders">
      {data.orders.map((order, index) => (
        <li key={index}>
          <span class="number muted">{when(order.at)}</span> <strong>{order.by}</strong> {wordsOf(order)}
          {order.agentId !== undefined && <span class="muted"> ({order.agentId})</span>}
        </li>
      ))}
    </ol>
  );
}

function wordsOf(order: Order): string {
  switch (order.kind) {
    case 'pause':
      return 'let it pause';
    case 'resume':
      return 'resumed it';
    case 'retry':
      return 'let an agent try again';
    case 'cancel':
      return 'cancelled';
    case 'goto':
      return `sent an agent to ${order.target}`;
    case 'budget':
      return order.usd === undefined ? 'took the budget away' : `set the budget to ${usd(order.usd)}`;
    case 'tell':
      return `sent a note to an agent: ${typeof order.text === 'string' ? order.text : '(a long text)'}`;
    case 'answer':
      return `answered ${order.askId}`;
  }
}
