// The output of a turn: when an event reports more, it is read from the last position.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, ApiProblem, type TurnName } from '../api.js';
import { useResource, type Resource } from '../resource.js';
import { Tick } from './action.js';
import { Loading, ProblemNote } from './bits.js';
import { LiveConversation } from './conversation.js';
import { TerminalText } from './terminal-text.js';

/** What has been read. */
export interface OutputSoFar {
  readonly text: string;
  readonly next: number;
  readonly done: boolean;
  readonly isCut: boolean;
}

const NOTHING: OutputSoFar = { text: '', next: 0, done: false, isCut: false };

/** Reads the output while the component is mounted. */
export function useOutput(turn: TurnName): Resource<OutputSoFar> {
  const { run, agent, turn: number } = turn;
  return useResource<OutputSoFar>({
    key: `output ${run} ${agent} ${number}`,
    load: (before = NOTHING) => (before.done ? Promise.resolve(before) : more(turn, before)),
    when: (event) => 'turn' in event && event.runId === run && event.agentId === agent && event.turn === number,
    everyMs: 300,
  });
}

/** The output with a switch that keeps its end in view; `kind` prompt = as a conversation. */
export function LiveOutput({
  turn,
  kind = 'script',
}: {
  readonly turn: TurnName;
  readonly kind?: 'prompt' | 'script';
}): JSX.Element {
  const { run, agent, turn: number } = turn;
  const [follow, setFollow] = useState(true);
  const { data, problem } = useOutput(turn);
  if (data === undefined)
    return problem === undefined ? <Loading what="the output" /> : <ProblemNote problem={problem} />;
  const { text, done, isCut } = data;
  const label = `Output of ${agent}, turn ${number}`;
  return (
    <>
      {isCut && (
        <p class="muted">
          The beginning is not kept while the turn runs. The whole output is here when the turn has ended.
        </p>
      )}
      {text === '' ? (
        <p class="muted">{done ? 'No output.' : 'No output yet.'}</p>
      ) : kind === 'prompt' ? (
        <LiveConversation text={text} />
      ) : (
        <TerminalText text={text} follow={follow && !done} label={label} file={`${run}-${agent}-${number}.log`} />
      )}
      {!done && kind === 'script' && <Tick label="Auto-scroll" value={follow} set={setFollow} />}
    </>
  );
}

async function more(turn: TurnName, before: OutputSoFar): Promise<OutputSoFar> {
  const { text, next, done, offset, cut } = await api.output(turn, before.next).catch((error: unknown) => {
    // The output of a turn in another process is known when the turn has ended.
    if (error instanceof ApiProblem && error.code === 'NoSuchTurn')
      return { text: '', next: before.next, done: false, offset: before.next, cut: false };
    throw error;
  });
  // A finished turn's recorded output is complete, its live output is not: start again.
  if (done && before.next > 0 && !before.done) return await more(turn, { ...NOTHING, done: true });
  const isAll = offset === before.next;
  return { text: isAll ? before.text + text : text, next, done, isCut: before.isCut || cut === true };
}
