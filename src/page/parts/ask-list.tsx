// Open questions in the order in which they need an answer. A question that ends while a user has
// typed an answer stays, greyed, with the typed text, until it is dismissed.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../api.js';
import { draftKeys, dropDraft, storedDraft } from '../drafts.js';
import { AskCard, draftOf } from './ask.js';
import { Copy } from './copy.js';
import { when } from '../words.js';
import type { OpenAsk } from '../../serve/types.js';

interface AskListProps {
  readonly asks: readonly OpenAsk[];
  /** Whether the list has been read: until then nothing has ended. */
  readonly isRead: boolean;
  readonly changed: () => void;
  /** It has the questions of all runs. */
  readonly isAll?: boolean;
}

/** The questions as cards. */
export function AskList(props: AskListProps): JSX.Element {
  const { asks, changed } = props;
  const { ended, dismiss } = useEnded(props);
  return (
    <>
      {ended.map((ask) => (
        <EndedCard key={nameOf(ask)} ask={ask} dismiss={() => dismiss(ask)} />
      ))}
      {asks.toSorted(byUrgency).map((ask, index) => (
        <AskCard key={nameOf(ask)} ask={ask} changed={changed} isOpen={index === 0 || asks.length <= 2} />
      ))}
    </>
  );
}

function nameOf({ runId, askId }: EndedAsk): string {
  return `${runId}/${askId}`;
}

/** Deadlines first; the others as the server lists them, the one that has waited longest first. */
function byUrgency(one: OpenAsk, other: OpenAsk): number {
  const [a, b] = [one.until, other.until].map((until) => (until === undefined ? Infinity : Date.parse(until)));
  return a === b ? 0 : (a ?? 0) - (b ?? 0);
}

/** A question that is no longer open, and to which an answer was typed. */
type EndedAsk = Pick<OpenAsk, 'runId' | 'askId' | 'agentId'> & Partial<OpenAsk>;

/** Those that ended while the list was shown; `isAll` = also those of earlier visits. */
function useEnded({ asks, isRead, isAll = false }: AskListProps): {
  readonly ended: readonly EndedAsk[];
  readonly dismiss: (ask: EndedAsk) => void;
} {
  const [seen, setSeen] = useState<ReadonlyMap<string, EndedAsk>>(() => new Map(isAll ? typed() : []));
  useEffect(() => {
    setSeen((before) => new Map([...before, ...asks.map((ask) => [nameOf(ask), ask] as const)]));
  }, [asks]);
  const open = new Set(asks.map(nameOf));
  const ended = isRead
    ? [...seen.values()].filter((ask) => !open.has(nameOf(ask)) && storedDraft(draftOf(ask)) !== undefined)
    : [];
  const dismiss = (ask: EndedAsk): void => {
    dropDraft(draftOf(ask));
    setSeen(new Map([...seen].filter(([name]) => name !== nameOf(ask))));
  };
  return { ended, dismiss };
}

/** The questions to which this browser keeps an answer that was not sent. */
function typed(): readonly (readonly [name: string, ask: EndedAsk])[] {
  return draftKeys('answer:').flatMap((key) => {
    const [, runId, askId, agentId] = /^answer:(.+)\/(ask_(.+)_\d+)$/.exec(key) ?? [];
    if (runId === undefined || askId === undefined || agentId === undefined) return [];
    return [[`${runId}/${askId}`, { runId, askId, agentId }] as const];
  });
}

function EndedCard({ ask, dismiss }: { readonly ask: EndedAsk; readonly dismiss: () => void }): JSX.Element {
  const [reason, setReason] = useState('This question is no longer open.');
  const text = storedDraft(draftOf(ask)) ?? '';
  useEffect(() => {
    void reasonOf(ask).then(setReason, () => undefined);
  }, [nameOf(ask)]);
  return (
    <article class="card ask ended" aria-label={`Ended question of ${ask.agentId} in ${ask.runId}`}>
      <p role="status">
        <strong>{reason}</strong>
      </p>
      <p class="muted">
        {ask.runId}, {ask.agentId}
        {ask.state !== undefined && ` at ${ask.state}`}. Your answer was not sent:
      </p>
      <pre class="text">{text}</pre>
      <div class="row end">
        <Copy text={text} what="your answer" />
        <button type="button" onClick={dismiss}>
          Dismiss
        </button>
      </div>
    </article>
  );
}

/** How the question ended. */
async function reasonOf({ runId, askId, until }: EndedAsk): Promise<string> {
  const { orders } = await api.orders(runId);
  const answer = orders.findLast((order) => order.kind === 'answer' && order.askId === askId);
  if (answer !== undefined) return `${answer.by} answered this question at ${when(answer.at)}.`;
  if (until !== undefined && Date.parse(until) <= Date.now() + 2000)
    return `This question timed out at ${when(until)}; the run continued without an answer.`;
  return 'This question is no longer open: its run was stopped or sent to another state.';
}
