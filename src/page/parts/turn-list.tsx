// Recorded turns as a table, newest first, a page at a time: there may be thousands.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import { hrefOf } from '../router.js';
import { earlierTries } from '../turn-groups.js';
import { counted, duration, endOf, type Turn } from '../words.js';
import { Moment, Table } from './bits.js';

const PAGE = 50;

/** The turns of a run or of an agent, perhaps only those of one state. */
export function TurnList({
  run,
  turns: all,
  state,
  isOfOne = false,
}: {
  readonly run: string;
  readonly turns: readonly Turn[];
  readonly state?: string;
  readonly isOfOne?: boolean;
}): JSX.Element {
  const [shown, setShown] = useState(PAGE);
  const tries = useMemo(() => earlierTries(all), [all]);
  const turns = state === undefined ? all : all.filter((turn) => turn.state === state);
  const rows = turns.slice(Math.max(turns.length - shown, 0)).toReversed();
  return (
    <>
      <p class="muted" role="status">
        {counted(turns.length, 'recorded turn')}
      </p>
      {turns.length > 0 && (
        <Table of="Recorded turns" columns={['Turn', 'State', 'Outcome', 'Took', 'Cost', 'Ended']}>
          {rows.map((turn) => (
            <TurnRow
              key={`${turn.agentId}/${turn.number}/${turn.endedAt}`}
              run={run}
              turn={turn}
              nth={tries.get(turn)}
              isOfOne={isOfOne}
            />
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
  nth,
  isOfOne,
}: {
  readonly run: string;
  readonly turn: Turn;
  readonly nth: number | undefined;
  readonly isOfOne: boolean;
}): JSX.Element {
  const { agentId, number, state, attempts, durationMs, costUsd, endedAt, reminder } = turn;
  const end = endOf(turn);
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf({ view: 'turn', run, agent: agentId, turn: number, ...(nth === undefined ? {} : { nth }) })}>
          {isOfOne ? `Turn ${number}` : `${agentId} ${number}`}
          {nth !== undefined && `, try ${nth}`}
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
      <td class="number">{dollars(costUsd)}</td>
      <td>
        <Moment time={endedAt} />
      </td>
    </tr>
  );
}
