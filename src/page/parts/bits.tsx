// Small parts of many views: a status, money with its budget, running times, problems, and
// placeholders.
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import type { ApiProblem } from '../api.js';
import { isCutOff } from '../live.js';
import {
  ago,
  duration,
  exactly,
  seconds,
  SIGNS,
  TONES,
  when,
  type AgentStatus as AgentStatusName,
  type RunStatus,
} from '../words.js';
import type { ListedRun } from '../../serve/types.js';

/** A status: its symbol, its word, its colour. */
export function Status({ of }: { readonly of: AgentStatusName | RunStatus }): JSX.Element {
  return (
    <span class={`status ${TONES[of]}`}>
      <span aria-hidden="true">{SIGNS[of]}</span> {of.replace('-', ' ')}
    </span>
  );
}

/** The status of an agent; what a run's budget has stopped was not cancelled by a person. */
export function AgentStatus({
  of,
  run,
}: {
  readonly of: AgentStatusName;
  readonly run: { readonly status: RunStatus };
}): JSX.Element {
  if (of !== 'cancelled' || run.status !== 'over-budget') return <Status of={of} />;
  return (
    <span class="status wait">
      <span aria-hidden="true">–</span> stopped by the budget
    </span>
  );
}

/** The cost, and the budget if there is one. */
export function Money({
  costUsd,
  budgetUsd,
}: {
  readonly costUsd: number;
  readonly budgetUsd?: number | undefined;
}): JSX.Element {
  if (budgetUsd === undefined) return <span class="number">{dollars(costUsd)}</span>;
  const share = Math.min(costUsd / Math.max(budgetUsd, 1e-9), 1);
  return (
    <span class="money">
      <span class="number">
        {dollars(costUsd)} of {dollars(budgetUsd)}
      </span>
      <meter min={0} max={1} high={0.8} optimum={0} value={share} aria-label="share of the budget that is spent" />
    </span>
  );
}

const now = signal(Date.now());
setInterval(() => {
  // Without a connection it is not known whether a run continues.
  if (!isCutOff.value) now.value = Date.now();
}, 1000);

/** A duration, which grows while it has no end. */
export function Elapsed({
  since,
  until,
}: {
  readonly since: string;
  readonly until?: string | undefined;
}): JSX.Element {
  const start = Date.parse(since);
  return (
    <time class="number" dateTime={since} title={exactly(since)}>
      {until === undefined ? seconds(now.value - start) : duration(Date.parse(until) - start)}
    </time>
  );
}

/** The cells of a run's cost, time and start in a row of a table. */
export function RunFigures({ run }: { readonly run: ListedRun }): JSX.Element {
  const { costUsd, startedAt, endedAt } = run;
  return (
    <>
      <td class="number" data-label="Cost">
        {costUsd === undefined ? '' : dollars(costUsd)}
      </td>
      <td class="number" data-label="Took">
        <Elapsed since={startedAt} until={endedAt} />
      </td>
      <td data-label="Started">
        <Moment time={startedAt} />
      </td>
    </>
  );
}

/** A moment, shorter for today; with its zone when pointed at. */
export function Moment({ time }: { readonly time: string }): JSX.Element {
  return (
    <time class="number" dateTime={time} title={exactly(time)}>
      {when(time)}
    </time>
  );
}

/** How long ago a moment was. */
export function Ago({ time }: { readonly time: string }): JSX.Element {
  return (
    <time dateTime={time} title={exactly(time)}>
      {ago(time, now.value)}
    </time>
  );
}

/** The time until a moment; `warns` = the last minute is red. */
export function Until({ time, warns = false }: { readonly time: string; readonly warns?: boolean }): JSX.Element {
  const left = Date.parse(time) - now.value;
  return (
    <time dateTime={time} title={exactly(time)} class={warns && left < 60_000 ? 'bad' : ''}>
      {left <= 0 ? 'now' : `in ${duration(left)}`} ({when(time)})
    </time>
  );
}

/** An error, for screen readers as well. */
export function ProblemNote({ problem }: { readonly problem: ApiProblem | undefined }): JSX.Element | null {
  if (problem === undefined) return null;
  return (
    <p class="problem" role="alert">
      {problem.message}
    </p>
  );
}

/** A placeholder while data is loading. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="muted loading" role="status">
      Reading {what} …
    </p>
  );
}

/** A placeholder when there is no data. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

/** The heading of a view, which gets the focus when the view opens. */
export function Heading({
  children,
  more,
}: {
  readonly children: ComponentChildren;
  readonly more?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{children}</h1>
      {more}
    </div>
  );
}

/** Named facts; unknown ones are omitted. */
export function Facts({
  of,
}: {
  readonly of: readonly (readonly [name: string, what: ComponentChildren])[];
}): JSX.Element {
  const known = of.filter(([, what]) => what !== undefined && what !== '');
  return (
    <dl class="facts">
      {known.map(([name, what]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A fold whose content is read when it is opened; `look` = its class. */
export function Fold({
  title,
  look,
  children,
}: {
  readonly title: string;
  readonly look?: string;
  readonly children: () => JSX.Element;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class={look} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** A column that sorts its table. */
export interface Column {
  readonly name: string;
  readonly isSorted: boolean;
  readonly sort: () => void;
}

/**
 * A table that scrolls on its own in a narrow window. `of` = its content, for screen readers;
 * `look` = its class; `card` = it is one of several cards.
 */
export function Table({
  of,
  look,
  card = false,
  columns,
  children,
}: {
  readonly of: string;
  readonly look?: string;
  readonly card?: boolean;
  readonly columns: readonly (string | Column)[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={card ? 'card scroll' : 'scroll rows'} tabIndex={0} role="region" aria-label={of}>
      <table class={look}>
        <thead>
          <tr>
            {columns.map((one) =>
              typeof one === 'string' ? (
                <th key={one} scope="col">
                  {one}
                </th>
              ) : (
                <th key={one.name} scope="col" aria-sort={one.isSorted ? 'descending' : undefined}>
                  <button type="button" class="quiet" title={`Sort by ${one.name.toLowerCase()}`} onClick={one.sort}>
                    {one.name}
                    {one.isSorted && <span aria-hidden="true"> ↓</span>}
                  </button>
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
