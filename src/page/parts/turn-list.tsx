// Recorded turns as a table, newest first, a page at a time: there may be thousands.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { hrefOf } from '../router.js';
import { counted, duration, endOf, usd, type Turn } from '../words.js';
import { Moment, Table } from './bits.js';

const PAGE = 50;

/** The turns of a run or of an agent. */
export function TurnList({
  run,
  turns,
  isOfOne = false,
}: {
  readonly run: string;
  readonly turns: readonly Turn[];
  readonly isOfOne?: boolean;
}): JSX.Element {
  const [shown, setShown] = useState(PAGE);
  const rows = turns.slice(Math.max(turns.length - shown, 0)).toReversed();
  return (
    <>
      <p class="muted" role="status">
        {counted(turns.length, 'recorded turn')}
      </p>
      {turns.length > 0 && (
        <Table of="Recorded turns" columns={['Turn', 'State', 'Outcome', 'Took', 'Cost', 'Ended']}>
          {rows.map((turn) => (
            <TurnRow key={`${turn.agentId}/${turn.number}/${turn.endedAt}`} run={run} turn={turn} isOfOne={isOfOne} />
          ))}
        </Table>
      )}
      {turns.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + 4 * PAGE)}>
          Show earlier turns
        </button>
      )}
    </>
  );
}

function TurnRow({
  run,
  turn,
  isOfOne,
}: {
  readonly run: string;
  readonly turn: Turn;
  readonly isOfOne: boolean;
}): JSX.Element {
  const { agentId, number, state, attempts, durationMs, costUsd, endedAt, reminder } = turn;
  const end = endOf(turn);
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf({ view: 'turn', run, agent: agentId, turn: number })}>
          {isOfOne ? `Turn ${number}` : `${agentId} ${number}`}
        </a>
      </th>
      <td>
        {state}
        {reminder !== undefined && <span class="warn"> reminder {reminder}</span>}
      </td>
      <td class={`end ${end.tone}`}>{end.text}</td>
      <td class="number">
        {duration(durationMs)}
        {attempts > 1 && <span class="warn"> {attempts} attempts</span>}
      </td>
      <td class="number">{usd(costUsd)}</td>
      <td>
        <Moment time={endedAt} />
      </td>
    </tr>
  );
}
