// The output of a turn: when an event reports more, it is read from the last position.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, ApiProblem, type TurnName } from '../api.js';
import { useResource } from '../resource.js';
import { Tick } from './action.js';
import { Loading, ProblemNote } from './bits.js';
import { TerminalText } from './terminal-text.js';

interface Read {
  readonly text: string;
  readonly next: number;
  readonly done: boolean;
  readonly isCut: boolean;
}

const NOTHING: Read = { text: '', next: 0, done: false, isCut: false };

/** The output with a switch that keeps its end in view. */
export function LiveOutput({ turn }: { readonly turn: TurnName }): JSX.Element {
  const { run, agent, turn: number } = turn;
  const [follow, setFollow] = useState(true);
  const { data, problem } = useResource<Read>({
    key: `output ${run} ${agent} ${number}`,
    load: (before = NOTHING) => (before.done ? Promise.resolve(before) : more(turn, before)),
    when: (event) => 'turn' in event && event.runId === run && event.agentId === agent && event.turn === number,
    everyMs: 300,
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the output" /> : <ProblemNote problem={problem} />;
  return (
    <>
      {data.isCut && (
        <p class="muted">The beginning is not kept while the turn runs; all of it is here when it has ended.</p>
      )}
      {data.text === '' ? (
        <p class="muted">{data.done ? 'It printed nothing.' : 'It has printed nothing here yet.'}</p>
      ) : (
        <TerminalText text={data.text} follow={follow && !data.done} label={`Output of ${agent}, turn ${number}`} />
      )}
      {!data.done && <Tick label="Follow the output" value={follow} set={setFollow} />}
    </>
  );
}

async function more(turn: TurnName, before: Read): Promise<Read> {
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
