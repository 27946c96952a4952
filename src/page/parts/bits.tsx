// Small pieces that many views have: a status, money with its budget, times that go on, problems, and what stands where nothing is yet.
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { ApiProblem } from '../api.js';
import { duration, SIGNS, TONES, usd, when, type AgentStatus, type RunStatus } from '../words.js';

/** A status: its sign, its word, its colour. */
export function Status({ of }: { readonly of: AgentStatus | RunStatus }): JSX.Element {
  return (
    <span class={`status ${TONES[of]}`}>
      <span aria-hidden="true">{SIGNS[of]}</span> {of.replace('-', ' ')}
    </span>
  );
}

/** What it cost, of what it may cost. */
export function Money({
  costUsd,
  budgetUsd,
}: {
  readonly costUsd: number;
  readonly budgetUsd?: number | undefined;
}): JSX.Element {
  if (budgetUsd === undefined) return <span class="number">{usd(costUsd)}</span>;
  const share = Math.min(costUsd / Math.max(budgetUsd, 1e-9), 1);
  return (
    <span class="money">
      <span class="number">
        {usd(costUsd)} of {usd(budgetUsd)}
      </span>
      <meter min={0} max={1} high={0.8} optimum={0} value={share} aria-label="share of the budget that is spent" />
    </span>
  );
}

const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 1000);

/** How long something took, or takes until now. */
export function Elapsed({
  since,
  until,
}: {
  readonly since: string;
  readonly until?: string | undefined;
}): JSX.Element {
  const end = until === undefined ? now.value : Date.parse(until);
  return (
    <time class="number" dateTime={since} title={when(since)}>
      {duration(end - Date.parse(since))}
    </time>
  );
}

/** How long it is until something. */
export function Until({ time }: { readonly time: string }): JSX.Element {
  const left = Date.parse(time) - now.value;
  return (
    <time dateTime={time}>
      {left <= 0 ? 'now' : `in ${duration(left)}`} ({when(time)})
    </time>
  );
}

/** What went wrong, where it is seen and heard. */
export function ProblemNote({ problem }: { readonly problem: ApiProblem | undefined }): JSX.Element | null {
  if (problem === undefined) return null;
  return (
    <p class="problem" role="alert">
      {problem.message}
    </p>
  );
}

/** Where nothing is read yet. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return <p class="muted loading">Reading {what} …</p>;
}

/** Where there is nothing. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

/** The beginning of a view, which gets the focus when somebody comes to it. */
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

/** Facts with their names; those that are not known are left out. */
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

/** A table that scrolls by itself where the window is narrow. `of` = what it lists, for those who do not see it; `look` = its class; `card` = it stands among cards. */
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
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={card ? 'card scroll' : 'scroll'} tabIndex={0} role="region" aria-label={of}>
      <table class={look}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
