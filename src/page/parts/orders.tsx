// Who ordered what for a run, and when, as Temporal recorded it.
import type { JSX } from 'preact';
import { dollars } from '../../protocol/text.js';
import { api } from '../api.js';
import { hrefOf } from '../router.js';
import { useResource } from '../resource.js';
import { byAgent } from '../turn-groups.js';
import { useTurns } from '../turns.js';
import { counted, type Turn } from '../words.js';
import { Empty, Fold, Loading, Moment, ProblemNote } from './bits.js';
import { Markdown } from './markdown.js';
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
  const turns = useTurns(run).data ?? [];
  if (data === undefined)
    return problem === undefined ? <Loading what="the activity" /> : <ProblemNote problem={problem} />;
  if (data.orders.length === 0) return <Empty>No orders since the run was started.</Empty>;
  return (
    <ol class="plain orders">
      {data.orders.map((order, index) => (
        <li key={index}>
          <span class="muted">
            <Moment time={order.at} />
          </span>{' '}
          <strong>{order.by}</strong> {retriedBy(data.orders, index, turns) ?? wordsOf(order)}
          {order.agentId !== undefined && <span class="muted"> ({order.agentId})</span>}
          {order.kind === 'answer' && (
            <Fold title={`Question and answer ${order.askId}`}>
              {() => <QuestionAndAnswer run={run} askId={order.askId} />}
            </Fold>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The question is what the asking turn ended with, the answer what the turn after it was given. */
function QuestionAndAnswer({ run, askId }: { readonly run: string; readonly askId: string }): JSX.Element {
  const [, agent = '', number = '0'] = /^ask_(.+)_(\d+)$/.exec(askId) ?? [];
  const turn = Number(number);
  const { data, problem } = useResource({
    key: `question ${run} ${askId}`,
    load: async () => {
      const [{ end }, after, files] = await Promise.all([
        api.turn({ run, agent, turn }),
        api.turn({ run, agent, turn: turn + 1 }).catch(() => undefined),
        api.askFiles(run, askId),
      ]);
      const prompt = end.kind === 'transition' ? end.transition.prompt : undefined;
      return { question: textOf(prompt), answer: textOf(after?.input), ...files };
    },
    when: (event) => event.type === 'turn.ended' && event.runId === run && event.agentId === agent,
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the question" /> : <ProblemNote problem={problem} />;
  return (
    <div class="card">
      <h3>Question</h3>
      <Markdown text={data.question} />
      <FileLinks run={run} ask={askId} names={data.shown.map(({ name }) => name)} />
      <h3>Answer</h3>
      <pre class="text" tabIndex={0} role="region" aria-label={`Answer to ${askId}`}>
        {data.answer}
      </pre>
      <FileLinks run={run} ask={askId} names={data.sent.map(({ name }) => name)} />
      <a href={hrefOf({ view: 'turn', run, agent, turn })}>Open turn {turn}</a>
    </div>
  );
}

/** Links to the files of a question or its answer. */
function FileLinks({
  run,
  ask,
  names,
}: {
  readonly run: string;
  readonly ask: string;
  readonly names: readonly string[];
}): JSX.Element | null {
  if (names.length === 0) return null;
  return (
    <p>
      Files:{' '}
      {names.map((name, index) => (
        <>
          {index > 0 && ', '}
          <a href={api.askFile({ run, ask, name })} download={name}>
            {name}
          </a>
        </>
      ))}
    </p>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '(not recorded yet)';
}

/** To resume a run that has ended by failures runs the last turns of the agents again. */
function retriedBy(orders: readonly Order[], index: number, turns: readonly Turn[]): string | undefined {
  const [order, before] = [orders[index], orders.slice(0, index).findLast(({ agentId }) => agentId === undefined)];
  if (order?.kind !== 'resume' || before?.kind === 'pause') return undefined;
  const lasts = [...byAgent(turns).values()].map((its) => its.findLast(({ endedAt }) => endedAt < order.at));
  const count = lasts.filter((last) => last?.end.kind === 'failed').length;
  return count === 0 ? undefined : `retried ${counted(count, 'agent')}`;
}

function wordsOf(order: Order): string {
  switch (order.kind) {
    case 'pause':
      return 'paused the run';
    case 'resume':
      return 'resumed the run';
    case 'retry':
      return 'retried an agent';
    case 'cancel':
      return order.agentId === undefined ? 'cancelled the run' : 'stopped an agent';
    case 'goto':
      return `sent an agent to ${order.target}`;
    case 'budget':
      return order.usd === undefined ? 'removed the budget' : `set the budget to ${dollars(order.usd)}`;
    case 'tell':
      return `sent a message to an agent: ${typeof order.text === 'string' ? order.text : '(a long text)'}`;
    case 'withdraw':
      return 'removed messages to an agent';
    case 'answer':
      return `answered ${order.askId}`;
  }
}
