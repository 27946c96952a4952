// The runs of the project: filtered, sorted, and changed together.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import { api, type RunsQuery } from '../api.js';
import { Empty, Fold, Heading, Loading, ProblemNote, RunFigures, Table, type Column } from '../parts/bits.js';
import { Bulk, Selectable } from '../parts/bulk.js';
import { RunStatus } from '../parts/run-status.js';
import { orderOf } from '../pending.js';
import { beginOf, goToRuns, routeOf, RunFilter, type Filters } from '../parts/run-filter.js';
import { useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { clipped, counted } from '../words.js';
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
export function RunsView({ view: _runs, ...filters }: Extract<Route, { readonly view: 'runs' }>): JSX.Element {
  const { status, q, archived, cost: minCostUsd, workflow, sort } = filters;
  const since = beginOf(filters.since);
  const [limit, setLimit] = useState(PAGE);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const wanted = useSettled(q);
  const { data, problem, reload } = useResource<Runs>({
    key: `runs ${JSON.stringify([status, wanted, archived, minCostUsd, workflow, since, limit])}`,
    load: () => listed({ status, q: wanted, archived, minCostUsd, workflow, since }, limit),
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
      <RunFilter {...filters} />
      <ProblemNote problem={problem} />
      {shown === undefined && problem === undefined && <Loading what="the runs" />}
      {shown?.runs.length === 0 && (
        <Empty>
          {Object.keys(filters).every((name) => name === 'sort') ? 'No run has been started yet.' : 'No matching runs.'}
        </Empty>
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
          <RunTable runs={sorted(shown.runs, sort)} filters={filters} selected={selected} set={setSelected} />
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
    <>
      <p class="muted">
        {counted(runs.length, 'run')} shown: {dollars(sum)}
        {data !== undefined && ` · ${counted(data.runs, 'run')} started today: ${dollars(data.costUsd)}`}
      </p>
      {data !== undefined && data.byWorkflow.length > 1 && (
        <Fold title="Today by workflow">
          {() => (
            <ul class="plain">
              {data.byWorkflow.map(({ workflow, runs: count, costUsd }) => (
                <li key={workflow}>
                  {workflow}: {dollars(costUsd)} ({counted(count, 'run')})
                </li>
              ))}
            </ul>
          )}
        </Fold>
      )}
    </>
  );
}

interface Selection {
  readonly selected: readonly string[];
  readonly set: (selected: readonly string[]) => void;
}

/** The columns that sort the list, by their parameter in the address: the largest first. */
const SORTS: Readonly<Record<string, (run: ListedRun) => number>> = {
  cost: ({ costUsd = 0 }) => costUsd,
  took: ({ startedAt, endedAt }) => (endedAt === undefined ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt),
};

function sorted(runs: readonly ListedRun[], by = ''): readonly ListedRun[] {
  const figure = SORTS[by];
  return figure === undefined ? runs : runs.toSorted((one, other) => figure(other) - figure(one));
}

interface RunTableProps extends Selection {
  readonly runs: readonly ListedRun[];
  readonly filters: Filters;
}

function RunTable({ runs, filters, ...selection }: RunTableProps): JSX.Element {
  const column = (name: string, sort: string): Column => ({
    name,
    isSorted: (filters.sort ?? '') === sort,
    sort: () => goToRuns({ ...filters, sort }),
  });
  return (
    <Table
      of="Runs"
      columns={['Run', 'Status', 'Workflow', column('Cost', 'cost'), column('Took', 'took'), column('Started', '')]}
    >
      {runs.map((run) => (
        <RunRow key={run.runId} run={run} filters={filters} {...selection} />
      ))}
    </Table>
  );
}

interface RunRowProps extends Selection {
  readonly run: ListedRun;
  readonly filters: Filters;
}

function RunRow({ run, filters, selected, set }: RunRowProps): JSX.Element {
  const { runId, workflow, open, served, asks, unreadable, given, doing, cause } = run;
  const what = orderOf(run) === undefined ? (doing ?? cause) : undefined;
  return (
    <tr>
      <th scope="row">
        {may('operate') && <Selectable id={runId} selected={selected} set={set} />}
        <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>
        {given?.input !== undefined && given.input !== '' && <p class="said muted">{clipped(given.input)}</p>}
      </th>
      <td>
        <RunStatus run={run} />
        {asks !== undefined && asks > 1 && <span class="muted"> {asks} questions</span>}
        {open && served === false && <span class="warn"> waits for the engine</span>}
        {unreadable !== undefined && <span class="warn"> {unreadable}</span>}
        {what !== undefined && <p class="said muted">{clipped(what)}</p>}
      </td>
      <td>
        {workflow !== undefined && (
          <a href={hrefOf(routeOf({ ...filters, workflow }))} title={`Only runs of ${workflow}`}>
            {workflow}
          </a>
        )}
      </td>
      <RunFigures run={run} />
    </tr>
  );
}
