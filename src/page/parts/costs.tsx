// What a run cost, by agent, state, model and account.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { useResource } from '../resource.js';
import { usd } from '../words.js';
import { Empty, Loading, Money, ProblemNote, Table } from './bits.js';
import type { Run } from '../../serve/types.js';

type Line = NonNullable<Run['costs']>['byState'][number];

/** The tables. */
export function Costs({ run }: { readonly run: string }): JSX.Element {
  const { data, problem } = useResource({
    key: `costs ${run}`,
    load: () => api.run(run, true),
    when: (event) => event.type === 'turn.ended' && event.runId === run,
    everyMs: 2000,
  });
  if (data === undefined)
    return problem === undefined ? <Loading what="the costs" /> : <ProblemNote problem={problem} />;
  const { costs, costUsd, budgetUsd } = data;
  if (costs === undefined) return <Empty>It has cost nothing yet.</Empty>;
  return (
    <>
      <p class="total">
        <Money costUsd={costUsd} budgetUsd={budgetUsd} />
      </p>
      <div class="cards">
        <CostTable what="Agent" lines={costs.byAgent} />
        <CostTable what="State" lines={costs.byState} />
        <CostTable what="Model" lines={costs.byModel} />
        {costs.byAccount !== undefined && <CostTable what="Account" lines={costs.byAccount} />}
      </div>
    </>
  );
}

function CostTable({ what, lines }: { readonly what: string; readonly lines: readonly Line[] }): JSX.Element {
  const most = Math.max(...lines.map(({ costUsd }) => costUsd), 1e-9);
  const sorted = lines.toSorted((one, other) => other.costUsd - one.costUsd);
  return (
    <Table of={`Costs by ${what.toLowerCase()}`} card columns={[what, 'Turns', 'Cost', 'Share']}>
      {sorted.map(({ name, turns, costUsd }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td class="number">{turns}</td>
          <td class="number">{usd(costUsd)}</td>
          <td>
            <meter min={0} max={most} value={costUsd} aria-label={`cost of ${name}`} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
