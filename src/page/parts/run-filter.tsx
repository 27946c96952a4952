// The filter of the list of runs: it is in the address, and can be saved under a name in this browser.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { go, hrefOf, type Route } from '../router.js';
import { RUN_STATUSES } from '../words.js';
import { Action, Field, say, Tick } from './action.js';

type RunsRoute = Extract<Route, { readonly view: 'runs' }>;

/** A filter; absent parts do not restrict the list. */
export type Filters = { readonly [Key in Exclude<keyof RunsRoute, 'view'>]?: RunsRoute[Key] | undefined };

/** The times of the filter `since`, in days. */
const SINCE: Readonly<Record<string, string>> = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days' };

/** The least costs of the filter `cost`, in USD. */
const COSTS = ['0.10', '1', '10', '100'];

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The beginning of the filter's time, to the minute: so that the address of the data stays the same for a while. */
export function beginOf(days: string | undefined): string | undefined {
  if (days === undefined || SINCE[days] === undefined) return undefined;
  const begin = Date.now() - Number(days) * DAY_MS;
  return new Date(begin - (begin % MINUTE_MS)).toISOString();
}

/** Shows the runs of a filter. */
export function goToRuns(filters: Filters): void {
  go(routeOf(filters), { replace: true });
}

/** The list of a filter. */
export function routeOf(filters: Filters): RunsRoute {
  const given = Object.entries(filters).filter(([, value]) => (value ?? '') !== '');
  return { view: 'runs', ...(Object.fromEntries(given) as Filters) } as RunsRoute;
}

/** The fields of the filter, and the saved filters. */
export function RunFilter(filters: Filters): JSX.Element {
  const { status, q, archived, since, cost, workflow } = filters;
  const change = (next: Filters): void => goToRuns({ ...filters, ...next });
  return (
    <>
      <search class="row filter">
        <input
          type="search"
          aria-label="Find runs"
          placeholder="Find by run, workflow, input, label or person"
          value={q ?? ''}
          onInput={({ currentTarget }) => change({ q: currentTarget.value })}
        />
        <Choice
          label="Status"
          value={status}
          choices={[
            ['', 'All statuses'],
            ['running,asking,paused', 'open'],
            ...RUN_STATUSES.map((one) => [one, one.replace('-', ' ')] as const),
            ['completed-with-failures', 'completed, with failed agents'],
          ]}
          choose={(value) => change({ status: value })}
        />
        <Choice
          label="Started"
          value={since}
          choices={[['', 'At any time'], ...Object.entries(SINCE)]}
          choose={(value) => change({ since: value })}
        />
        <Choice
          label="Cost"
          value={cost}
          choices={[['', 'Any cost'], ...COSTS.map((usd) => [usd, `$${usd} or more`] as const)]}
          choose={(value) => change({ cost: value })}
        />
        <Tick label="Archive" value={archived === 'true'} set={(isOn) => change({ archived: isOn ? 'true' : '' })} />
        {workflow !== undefined && (
          <button type="button" title="Show the runs of all workflows" onClick={() => change({ workflow: '' })}>
            Workflow: {workflow} <span aria-hidden="true">✕</span>
          </button>
        )}
      </search>
      <SavedFilters filters={filters} />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, choices, choose }: ChoiceProps): JSX.Element {
  return (
    <select aria-label={label} value={value ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {choices.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** A filter under a name; `address` = the address of its list. */
interface Saved {
  readonly name: string;
  readonly address: string;
}

const KEY = 'raymond-filters';

const saved = signal<readonly Saved[]>(JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly Saved[]);

function save(next: readonly Saved[]): void {
  saved.value = next;
  localStorage.setItem(KEY, JSON.stringify(next));
}

function SavedFilters({ filters }: { readonly filters: Filters }): JSX.Element | null {
  const [name, setName] = useState('');
  const address = hrefOf(routeOf(filters));
  const isNew = address !== hrefOf({ view: 'runs' }) && saved.value.every((one) => one.address !== address);
  if (saved.value.length === 0 && !isNew) return null;
  return (
    <div class="row filter" role="group" aria-label="Saved filters">
      {saved.value.map((one) => (
        <span key={one.name} class="row">
          <a href={one.address} aria-current={one.address === address ? 'page' : undefined}>
            {one.name}
          </a>
          <button
            type="button"
            class="quiet"
            aria-label={`Delete the filter ${one.name}`}
            onClick={() => {
              save(saved.value.filter((other) => other !== one));
              say(`The filter ${one.name} is deleted.`);
            }}
          >
            ✕
          </button>
        </span>
      ))}
      {isNew && (
        <Action
          label="Save filter"
          consequence="This browser keeps the filter under a name."
          done={`The filter ${name} is saved.`}
          isReady={name.trim() !== ''}
          act={() => {
            save([...saved.value.filter((one) => one.name !== name.trim()), { name: name.trim(), address }]);
            return Promise.resolve();
          }}
        >
          <Field label="Name" value={name} set={setName} required />
        </Action>
      )}
    </div>
  );
}
