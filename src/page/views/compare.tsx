// Two runs side by side: what they were given, what they cost, the path of their first agents, and their results.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { Diff } from '../parts/tool-call.js';
import { Heading, Loading, ProblemNote, Table } from '../parts/bits.js';
import { useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { duration, usd } from '../words.js';
import type { Run } from '../../serve/types.js';

interface Compared {
  readonly run: Run;
  /** The states of `main`, one a line. */
  readonly path: string;
}

async function read(id: string): Promise<Compared> {
  const [run, { turns }] = await Promise.all([api.run(id, true), api.turns(id, { agent: 'main' })]);
  return { run, path: turns.map(({ state }) => `${state}\n`).join('') };
}

/** The view. */
export function CompareView({ one, other }: Extract<Route, { readonly view: 'compare' }>): JSX.Element {
  const { data, problem } = useResource({
    key: `compare ${one} ${other}`,
    load: () => Promise.all([read(one), read(other)]),
    when: (event) => event.type === 'run' && (event.runId === one || event.runId === other),
    everyMs: 2000,
  });
  return (
    <>
      <Heading>Compare two runs</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="both runs" />}
      {data !== undefined && <Comparison of={data} />}
    </>
  );
}

function Comparison({ of: [one, other] }: { readonly of: readonly [Compared, Compared] }): JSX.Element {
  const others = factsOf(other.run);
  const rows = factsOf(one.run).map(([name, left], index) => [name, left, others[index]?.[1] ?? ''] as const);
  return (
    <>
      <Table of="Both runs" look="compared" columns={['Fact', 'Left', 'Right']}>
        <tr>
          <th scope="row">Run</th>
          {[one, other].map(({ run: { runId } }) => (
            <td key={runId}>
              <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>
            </td>
          ))}
        </tr>
        {rows
          .filter(([, left, right]) => left !== '' || right !== '')
          .map(([name, left, right]) => (
            <tr key={name} class={left === right ? '' : 'differs'}>
              <th scope="row">
                {name}
                {left !== right && <span class="unseen"> (differs)</span>}
              </th>
              <td>{left}</td>
              <td>{right}</td>
            </tr>
          ))}
      </Table>
      <Texts name="Input" before={one.run.given?.input ?? ''} after={other.run.given?.input ?? ''} />
      <Texts name="Path of main" before={one.path} after={other.path} />
      <Texts name="Result" before={one.run.result ?? ''} after={other.run.result ?? ''} />
    </>
  );
}

function factsOf(run: Run): readonly (readonly [name: string, value: string])[] {
  const {
    workflow,
    status,
    costUsd,
    budgetUsd,
    startedAt,
    endedAt,
    agents,
    agentsBefore,
    given,
    labels = {},
    costs,
  } = run;
  const { by = '', model = '', effort = '', cwd = '' } = given ?? {};
  const failed = agents.filter((agent) => agent.status === 'failed' || agent.status === 'lost').length;
  return [
    ['Workflow', workflow],
    ['Status', status.replace('-', ' ')],
    ['Cost', usd(costUsd)],
    ['Budget', budgetUsd === undefined ? '' : usd(budgetUsd)],
    ['Took', endedAt === undefined ? 'open' : duration(Date.parse(endedAt) - Date.parse(startedAt))],
    ['Turns', String((costs?.byState ?? []).reduce((sum, { turns }) => sum + turns, 0))],
    ['Agents', String(agents.length + agentsBefore)],
    ['Failed agents', String(failed)],
    ['Started by', by],
    ['Model', model],
    ['Effort', effort],
    ['Folder', cwd],
    [
      'Labels',
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    ],
  ];
}

function Texts({
  name,
  before,
  after,
}: {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}): JSX.Element | null {
  if (before === '' && after === '') return null;
  return (
    <section class="card" aria-label={name}>
      <h2>{name}</h2>
      {before === after && <p class="muted">The same in both.</p>}
      <Diff change={{ before, after }} label={`${name}: left (−) and right (+)`} />
    </section>
  );
}
