// What a run cost: over time, and by agent, state, model and account.
import type { JSX } from 'preact';
import { dollars } from '../../protocol/text.js';
import { api } from '../api.js';
import { useResource } from '../resource.js';
import { hrefOf } from '../router.js';
import { useTurns } from '../turns.js';
import { when } from '../words.js';
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
      <CostsOverTime run={run} />
      <div class="cards costs">
        <CostTable what="Agent" lines={costs.byAgent} run={run} />
        <CostTable what="State" lines={costs.byState} />
        <CostTable what="Model" lines={costs.byModel} />
        {costs.byAccount !== undefined && <CostTable what="Account" lines={costs.byAccount} />}
      </div>
    </>
  );
}

const CHART = { width: 800, height: 120 };

/** The most points of the line. */
const POINTS = 400;

/** The sum of the costs of turns, when they ended. */
function CostsOverTime({ run }: { readonly run: string }): JSX.Element | null {
  const turns = (useTurns(run).data ?? []).toSorted((a, b) => a.endedAt.localeCompare(b.endedAt));
  const start = turns.reduce((least, { startedAt }) => Math.min(least, Date.parse(startedAt)), Infinity);
  const sums: { readonly at: number; readonly sum: number }[] = turns.length === 0 ? [] : [{ at: start, sum: 0 }];
  for (const { endedAt, costUsd } of turns)
    sums.push({ at: Date.parse(endedAt), sum: (sums.at(-1)?.sum ?? 0) + costUsd });
  const [first, last] = [sums[0], sums.at(-1)];
  if (first === undefined || last === undefined || last.sum === 0 || first.at === last.at) return null;
  const every = Math.ceil(sums.length / POINTS);
  const y = (sum: number): string => ((1 - sum / last.sum) * (CHART.height - 4) + 2).toFixed(1);
  const points = sums
    .filter((point, index) => index % every === 0 || point === last)
    .map(({ at, sum }, index, shown) => {
      const x = (((at - first.at) / (last.at - first.at)) * CHART.width).toFixed(1);
      // Steps: a turn's cost is known when it ends.
      return `${x},${y(shown[index - 1]?.sum ?? 0)} ${x},${y(sum)}`;
    });
  const [from, to] = [first, last].map(({ at }) => when(new Date(at).toISOString()));
  return (
    <figure class="card chart">
      <figcaption class="muted">Cost over time: {dollars(last.sum)}</figcaption>
      <p class="row axis">
        <span>{dollars(last.sum)}</span>
      </p>
      <svg viewBox={`0 0 ${CHART.width} ${CHART.height}`} preserveAspectRatio="none" aria-hidden="true">
        <polyline points={points.join(' ')} />
      </svg>
      <p class="row axis">
        <span>{from}</span> <span>{to}</span>
      </p>
    </figure>
  );
}

function CostTable({
  what,
  lines,
  run,
}: {
  readonly what: string;
  readonly lines: readonly Line[];
  /** The names are agents of this run. */
  readonly run?: string;
}): JSX.Element {
  const total = Math.max(
    lines.reduce((sum, { costUsd }) => sum + costUsd, 0),
    1e-9,
  );
  const sorted = lines.toSorted((one, other) => other.costUsd - one.costUsd);
  return (
    <Table of={`Costs by ${what.toLowerCase()}`} card columns={[what, 'Turns', 'Cost', 'Share']}>
      {sorted.map(({ name, turns, costUsd }) => (
        <tr key={name}>
          <th scope="row">
            {run === undefined ? name : <a href={hrefOf({ view: 'agent', run, agent: name })}>{name}</a>}
          </th>
          <td class="number">{turns}</td>
          <td class="number">{dollars(costUsd)}</td>
          <td>
            <span class="money">
              <meter min={0} max={total} value={costUsd} aria-label={`share of ${name}`} />
              <span class="number">{Math.round((100 * costUsd) / total)} %</span>
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}
