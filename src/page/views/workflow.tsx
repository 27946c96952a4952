// A workflow: how its latest runs went, what they cost, its lint findings, its states, and its runs.
import type { JSX } from 'preact';
import { dollars } from '../../protocol/text.js';
import { api } from '../api.js';
import { Facts, Heading, Loading, ProblemNote, RunFigures, Table } from '../parts/bits.js';
import { RunStatus } from '../parts/run-status.js';
import { Graph } from '../parts/graph.js';
import { useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { counted, duration } from '../words.js';
import type { LintReport, Statistics } from '../../serve/types.js';

const RUNS = 20;

/** The view. */
export function WorkflowView({ workflow: id }: Extract<Route, { readonly view: 'workflow' }>): JSX.Element {
  const { data, problem } = useResource({ key: `workflow ${id}`, load: () => api.workflow(id) });
  return (
    <>
      <Heading
        more={
          may('operate') &&
          data?.problem === undefined && (
            <a class="button primary" href={hrefOf({ view: 'start', workflow: id })}>
              Start {data?.name ?? id}
            </a>
          )
        }
      >
        {data?.name ?? id}
      </Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the workflow" />}
      {data?.problem !== undefined && <p class="problem">{data.problem}</p>}
      {data !== undefined && (
        <>
          <p class="muted">{data.path}</p>
          {data.description !== undefined && <p>{data.description}</p>}
          <Figures id={id} />
          <Findings id={id} />
          <h2>States</h2>
          <Graph
            name={`of ${id}`}
            words={`The states of ${data.name}: ${data.states.map(({ file }) => file).join(', ')}`}
            load={() => api.workflowDiagram(id)}
          />
          <LatestRuns id={id} name={data.name} />
        </>
      )}
    </>
  );
}

function useStatistics(id: string): Statistics | undefined {
  return useResource({
    key: `statistics ${id}`,
    load: () => api.statistics(id),
    when: ({ type }) => type === 'run',
    everyMs: 5000,
  }).data;
}

function Figures({ id }: { readonly id: string }): JSX.Element | null {
  const figures = useStatistics(id);
  if (figures === undefined) return <Loading what="the figures" />;
  const { runs, open, completed, withFailures, failed, cancelled, overBudget, costUsd, medianCostUsd, medianMs } =
    figures;
  const judged = completed + failed + overBudget;
  return (
    <Facts
      of={[
        ['Runs', `${runs}${open > 0 ? `, ${open} open` : ''}`],
        [
          'Completed',
          judged === 0 ? undefined : `${Math.round((100 * completed) / judged)} % (${completed} of ${judged})`,
        ],
        ['Completed with failed agents', withFailures > 0 ? withFailures : undefined],
        ['Failed', failed > 0 ? failed : undefined],
        ['Over budget', overBudget > 0 ? overBudget : undefined],
        ['Cancelled', cancelled > 0 ? cancelled : undefined],
        ['Total cost', dollars(costUsd)],
        ['Median cost', medianCostUsd === undefined ? undefined : dollars(medianCostUsd)],
        ['Median time', medianMs === undefined ? undefined : duration(medianMs)],
      ]}
    />
  );
}

/** The costs of earlier runs, for a user who starts another one. */
export function Expected({ id }: { readonly id: string }): JSX.Element | null {
  const { completed, medianCostUsd, highCostUsd, medianMs } = useStatistics(id) ?? {};
  if (completed === undefined || medianCostUsd === undefined || highCostUsd === undefined) return null;
  return (
    <p class="muted">
      {completed === 1
        ? `The earlier run cost ${dollars(medianCostUsd)}`
        : `${completed} earlier runs cost ${dollars(medianCostUsd)} (median)`}
      {completed >= 10 && `, nine of ten at most ${dollars(highCostUsd)}`}
      {medianMs !== undefined && `, and took ${duration(medianMs)}`}.
    </p>
  );
}

function Findings({ id }: { readonly id: string }): JSX.Element | null {
  const { data, problem } = useResource<LintReport>({ key: `lint ${id}`, load: () => api.lint(id) });
  if (data === undefined)
    return problem === undefined ? <Loading what="the findings" /> : <ProblemNote problem={problem} />;
  if (data.findings.length === 0) return <p class="good">✓ Lint finds nothing.</p>;
  return (
    <details class="card" open={data.errors > 0}>
      <summary>
        Lint: {counted(data.errors, 'error')}, {counted(data.warnings, 'warning')},{' '}
        {counted(data.findings.length - data.errors - data.warnings, 'hint')}
      </summary>
      <ul class="plain">
        {data.findings.map(({ id: rule, severity, file, line, column, message }, index) => (
          <li key={index}>
            <span class={severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'muted'}>{severity}</span>{' '}
            <code>
              {file}:{line}:{column}
            </code>{' '}
            {message} <span class="muted">({rule})</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function LatestRuns({ id, name }: { readonly id: string; readonly name: string }): JSX.Element | null {
  const { data } = useResource({
    key: `runs of ${id}`,
    load: () => api.runs({ ofWorkflow: id, limit: RUNS }),
    when: ({ type }) => type === 'run',
    everyMs: 2000,
  });
  if (data === undefined) return <Loading what="the runs" />;
  if (data.runs.length === 0) return null;
  return (
    <>
      <h2>Latest runs</h2>
      <Table of={`Runs of ${name}`} columns={['Run', 'Status', 'Cost', 'Took', 'Started']}>
        {data.runs.map((run) => (
          <tr key={run.runId}>
            <th scope="row">
              <a href={hrefOf({ view: 'run', run: run.runId, tab: 'agents' })}>{run.runId}</a>
            </th>
            <td>
              <RunStatus run={run} />
            </td>
            <RunFigures run={run} />
          </tr>
        ))}
      </Table>
    </>
  );
}
