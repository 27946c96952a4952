// The runs of the project, newest first. The filters by status and text are in the address.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, type RunsQuery } from '../api.js';
import { Elapsed, Empty, Heading, Loading, ProblemNote, Status, Table } from '../parts/bits.js';
import { useResource } from '../resource.js';
import { go, hrefOf, type Route } from '../router.js';
import { RUN_STATUSES, usd, when } from '../words.js';
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
export function RunsView({ status, q }: Extract<Route, { readonly view: 'runs' }>): JSX.Element {
  const [limit, setLimit] = useState(PAGE);
  const { data, problem } = useResource<Runs>({
    key: `runs ${status ?? ''} ${q ?? ''} ${limit}`,
    load: () => listed({ status, q }, limit),
    when: ({ type }) => type === 'run',
    everyMs: 1000,
  });
  const [last, setLast] = useState<Runs>();
  if (data !== undefined && data !== last) setLast(data);
  const shown = data ?? last;
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
      <Filter status={status} q={q} />
      <ProblemNote problem={problem} />
      {shown === undefined && problem === undefined && <Loading what="the runs" />}
      {shown?.runs.length === 0 && (
        <Empty>{status === undefined && q === undefined ? 'No run has been started yet.' : 'No run fits.'}</Empty>
      )}
      {shown !== undefined && shown.runs.length > 0 && <RunTable runs={shown.runs} />}
      {shown?.next !== undefined && (
        <button type="button" class="quiet" onClick={() => setLimit(limit + MORE)}>
          Show older runs
        </button>
      )}
    </>
  );
}

function Filter({ status, q }: { readonly status?: string | undefined; readonly q?: string | undefined }): JSX.Element {
  const change = (next: { readonly status?: string | undefined; readonly q?: string | undefined }): void => {
    const { status: one = '', q: words = '' } = { status, q, ...next };
    go(
      { view: 'runs', ...(one === '' ? {} : { status: one }), ...(words === '' ? {} : { q: words }) },
      { replace: true },
    );
  };
  return (
    <search class="row filter">
      <input
        type="search"
        aria-label="Find runs"
        placeholder="Find by run or workflow"
        value={q ?? ''}
        onInput={({ currentTarget }) => change({ q: currentTarget.value })}
      />
      <select
        aria-label="Status"
        value={status ?? ''}
        onChange={({ currentTarget }) => change({ status: currentTarget.value })}
      >
        <option value="">every status</option>
        <option value="running,asking,paused">open</option>
        {RUN_STATUSES.map((one) => (
          <option key={one} value={one}>
            {one.replace('-', ' ')}
          </option>
        ))}
      </select>
    </search>
  );
}

function RunTable({ runs }: { readonly runs: readonly ListedRun[] }): JSX.Element {
  return (
    <Table of="Runs" columns={['Run', 'Status', 'Workflow', 'Cost', 'Took', 'Started']}>
      {runs.map((run) => (
        <RunRow key={run.runId} run={run} />
      ))}
    </Table>
  );
}

function RunRow({ run }: { readonly run: ListedRun }): JSX.Element {
  const { runId, workflow, status, open, costUsd, startedAt, endedAt, served, asks, unreadable } = run;
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>
      </th>
      <td>
        <Status of={status} />
        {asks !== undefined && asks > 1 && <span class="muted"> {asks} questions</span>}
        {open && served === false && <span class="warn"> waits for the engine</span>}
        {unreadable !== undefined && <span class="warn"> {unreadable}</span>}
      </td>
      <td>{workflow}</td>
      <td class="number">{costUsd === undefined ? '' : usd(costUsd)}</td>
      <td>
        <Elapsed since={startedAt} until={endedAt} />
      </td>
      <td class="number">{when(startedAt)}</td>
    </tr>
  );
}
