// The runs of the project, newest first. The filters by status and text are in the address.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, type RunsQuery } from '../api.js';
import { Empty, Heading, Loading, ProblemNote, RunFigures, Status, Table } from '../parts/bits.js';
import { Tick } from '../parts/action.js';
import { Bulk, Selectable } from '../parts/bulk.js';
import { useResource } from '../resource.js';
import { go, hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { clipped, counted, RUN_STATUSES, usd } from '../words.js';
import type { ListedRun, Runs } from '../../serve/types.js';

const PAGE = 50;
const MORE = 200;

/** The most runs that one page lists. */
const MOST_AT_ONCE = 500;

/** The newest runs of the list, in as many pages as needed. */
async function listed(query: RunsQuery, wanted: number): Promise<Runs> {
  const runs: ListedRun[] = [];
  let next: string | undefined;
  do {
    const limit = Math.min(wanted - runs.length, MOST_AT_ONCE);
    const page: Runs = await api.runs({ ...query, limit, cursor: next });
    runs.push(...page.runs);
    next = page.next;
  } while (next !== undefined && runs.length < wanted);
  return { runs, ...(next === undefined ? {} : { next }) };
}

/** The view. */
export function RunsView({ status, q, archived }: Extract<Route, { readonly view: 'runs' }>): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const wanted = useSettled(q);
  const { data, problem, reload } = useResource<Runs>({
    key: `runs ${status ?? ''} ${wanted ?? ''} ${archived ?? ''} ${limit}`,
    load: () => listed({ status, q: wanted, archived }, limit),
    when: ({ type }) => type === 'run',
    everyMs: 1000,
  });
  const [last, setLast] = useState<Runs>();
  if (data !== undefined && data !== last) setLast(data);
  const shown = data ?? last;
  const isOld = data === undefined || wanted !== q;
  return (
    <>
      <Heading
        more={
          <a class="button primary" href={hrefOf({ view: 'workflows' })}>
            Start a workflow
          </a>
        }
      >
        Runs
      </Heading>
      <Filter status={status} q={q} archived={archived} />
      <ProblemNote problem={problem} />
      {shown === undefined && problem === undefined && <Loading what="the runs" />}
      {shown?.runs.length === 0 && (
        <Empty>{status === undefined && q === undefined ? 'No run has been started yet.' : 'No matching runs.'}</Empty>
      )}
      {shown !== undefined && shown.runs.length > 0 && (
        <div class={isOld ? 'old' : ''} aria-busy={isOld}>
          <Totals runs={shown.runs} />
          {may('operate') && (
            <Bulk
              runs={shown.runs.filter(({ runId }) => selected.includes(runId))}
              set={setSelected}
              changed={reload}
            />
          )}
          <RunTable runs={shown.runs} selected={selected} set={setSelected} />
        </div>
      )}
      {shown?.next !== undefined && (
        <button type="button" class="quiet" onClick={() => setLimit(limit + MORE)}>
          Show older runs
        </button>
      )}
    </>
  );
}

const SETTLED_MS = 250;

/** The value once it has not changed for a moment: not every key is a search. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What the shown runs have cost, and those that were started today. */
function Totals({ runs }: { readonly runs: readonly ListedRun[] }): JSX.Element {
  const today = new Date().setHours(0, 0, 0, 0);
  const { data } = useResource({
    key: `spending ${today}`,
    load: () => api.spending(new Date(today).toISOString()),
    when: ({ type }) => type === 'run',
    everyMs: 5000,
  });
  const sum = runs.reduce((total, { costUsd = 0 }) => total + costUsd, 0);
  return (
    <p class="muted">
      {counted(runs.length, 'run')} shown: {usd(sum)}
      {data !== undefined && ` · ${counted(data.runs, 'run')} started today: ${usd(data.costUsd)}`}
    </p>
  );
}

type Filters = Omit<Extract<Route, { readonly view: 'runs' }>, 'view'>;

function Filter({ status, q, archived }: { readonly [Key in keyof Filters]: Filters[Key] | undefined }): JSX.Element {
  const change = (next: Filters): void => {
    const wanted = Object.entries({ status, q, archived, ...next }).filter(([, value]) => (value ?? '') !== '');
    go({ view: 'runs', ...(Object.fromEntries(wanted) as Filters) }, { replace: true });
  };
  return (
    <search class="row filter">
      <input
        type="search"
        aria-label="Find runs"
        placeholder="Find by run, workflow, input, label or person"
        value={q ?? ''}
        onInput={({ currentTarget }) => change({ q: currentTarget.value })}
      />
      <select
        aria-label="Status"
        value={status ?? ''}
        onChange={({ currentTarget }) => change({ status: currentTarget.value })}
      >
        <option value="">All statuses</option>
        <option value="running,asking,paused">open</option>
        {RUN_STATUSES.map((one) => (
          <option key={one} value={one}>
            {one.replace('-', ' ')}
          </option>
        ))}
      </select>
      <Tick label="Archive" value={archived === 'true'} set={(isOn) => change({ archived: isOn ? 'true' : '' })} />
    </search>
  );
}

interface Selection {
  readonly selected: readonly string[];
  readonly set: (selected: readonly string[]) => void;
}

function RunTable({ runs, ...selection }: { readonly runs: readonly ListedRun[] } & Selection): JSX.Element {
  return (
    <Table of="Runs" columns={['Run', 'Status', 'Workflow', 'Cost', 'Took', 'Started']}>
      {runs.map((run) => (
        <RunRow key={run.runId} run={run} {...selection} />
      ))}
    </Table>
  );
}

function RunRow({ run, selected, set }: { readonly run: ListedRun } & Selection): JSX.Element {
  const { runId, workflow, status, open, served, asks, unreadable, given, doing, cause } = run;
  return (
    <tr>
      <th scope="row">
        {may('operate') && <Selectable id={runId} selected={selected} set={set} />}
        <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>
        {given?.input !== undefined && given.input !== '' && <p class="said muted">{clipped(given.input)}</p>}
      </th>
      <td>
        <Status of={status} />
        {asks !== undefined && asks > 1 && <span class="muted"> {asks} questions</span>}
        {open && served === false && <span class="warn"> waits for the engine</span>}
        {unreadable !== undefined && <span class="warn"> {unreadable}</span>}
        {(doing ?? cause) !== undefined && <p class="said muted">{clipped(doing ?? cause ?? '')}</p>}
      </td>
      <td>{workflow}</td>
      <RunFigures run={run} />
    </tr>
  );
}
