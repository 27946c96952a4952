// A run: its status, its actions, and one tab: agents, timeline, graph, costs or activity.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { AgentTree } from '../parts/agent-tree.js';
import { AskCard } from '../parts/ask.js';
import { Elapsed, Facts, Heading, Loading, Money, ProblemNote, Status } from '../parts/bits.js';
import { Costs } from '../parts/costs.js';
import { failedAgents, Failures } from '../parts/failures.js';
import { Graph } from '../parts/graph.js';
import { Orders } from '../parts/orders.js';
import { TurnList } from '../parts/turn-list.js';
import { Waterfall } from '../parts/waterfall.js';
import { useResource } from '../resource.js';
import { hrefOf, RUN_TABS, type Route, type RunTab } from '../router.js';
import { useTurns } from '../turns.js';
import { when } from '../words.js';
import { RunActions } from './run-actions.js';
import type { Run, ServeEvent } from '../../serve/types.js';

const TAB_WORDS: Readonly<Record<RunTab, string>> = {
  agents: 'Agents',
  timeline: 'Timeline',
  graph: 'Graph',
  costs: 'Costs',
  orders: 'Activity',
};

/** How many agents at a state are listed. */
const MOST_HERE = 20;

/** The view. */
export function RunView({ run: id, tab, state }: Extract<Route, { readonly view: 'run' }>): JSX.Element {
  const {
    data: run,
    problem,
    reload,
  } = useResource<Run>({
    key: `run ${id}`,
    load: () => api.run(id),
    when: (event) => isOf(event, id),
    everyMs: 700,
    isMoving: ({ open }) => open,
  });
  return (
    <>
      <Heading more={run !== undefined && <Status of={run.status} />}>{id}</Heading>
      <ProblemNote problem={problem} />
      {run === undefined && problem === undefined && <Loading what="the run" />}
      {run !== undefined && (
        <>
          <RunFacts run={run} />
          <RunActions run={run} />
          {run.asks.map((ask) => (
            <AskCard key={ask.askId} ask={ask} changed={reload} />
          ))}
          <Outcome run={run} tab={tab} />
          <nav class="tabs" aria-label="What of the run">
            {RUN_TABS.map((one) => (
              <a
                key={one}
                href={hrefOf({ view: 'run', run: id, tab: one })}
                aria-current={one === tab ? 'page' : undefined}
              >
                {TAB_WORDS[one]}
              </a>
            ))}
          </nav>
          <Tab run={run} tab={tab} state={state} />
        </>
      )}
    </>
  );
}

function isOf(event: ServeEvent, run: string): boolean {
  return event.type !== 'gap' && event.type !== 'said' && event.type !== 'printed' && event.runId === run;
}

function RunFacts({ run }: { readonly run: Run }): JSX.Element {
  const {
    workflow,
    costUsd,
    budgetUsd,
    startedAt,
    endedAt,
    forkedFrom,
    uiUrl,
    agents,
    agentsBefore,
    open,
    served,
    pausedBy,
    labels = {},
  } = run;
  return (
    <>
      <Facts
        of={[
          ['Workflow', workflow],
          ['Cost', <Money costUsd={costUsd} budgetUsd={budgetUsd} />],
          [open ? 'Runs for' : 'Took', <Elapsed since={startedAt} until={endedAt} />],
          ...Object.entries(labels),
          ['Started', when(startedAt)],
          ['Agents', agents.length + agentsBefore],
          ['Forked from', forkedFrom && <Origin of={forkedFrom} />],
          [
            'Engineers',
            uiUrl && (
              <a href={uiUrl} target="_blank" rel="noopener noreferrer">
                Temporal’s UI
              </a>
            ),
          ],
        ]}
      />
      {pausedBy !== undefined && <p class="note">Paused by {pausedBy}.</p>}
      {open && served === false && <p class="note warn">The engine of the project does not run, so this run waits.</p>}
    </>
  );
}

function Origin({ of: { runId, agentId, turn } }: { readonly of: NonNullable<Run['forkedFrom']> }): JSX.Element {
  return (
    <a href={hrefOf({ view: 'turn', run: runId, agent: agentId, turn })}>
      {runId}, {agentId}, turn {turn}
    </a>
  );
}

/** The outcome: the result, or the failures with the turns that failed. */
function Outcome({ run, tab }: { readonly run: Run; readonly tab: RunTab }): JSX.Element | null {
  if (run.result === undefined && failedAgents(run).length === 0) return null;
  return (
    <section class="card" aria-label="What it came to">
      {run.result !== undefined && (
        <>
          <h2>Result</h2>
          <pre class="text" tabIndex={0} role="region" aria-label="Result">
            {run.result}
          </pre>
        </>
      )}
      <Failures run={run} isOpen={tab === 'agents'} />
    </section>
  );
}

interface TabProps {
  readonly run: Run;
  readonly tab: RunTab;
  /** Only turns of this state. */
  readonly state?: string | undefined;
}

function Tab({ run, tab, state }: TabProps): JSX.Element {
  switch (tab) {
    case 'agents':
      return <AgentTree run={run} />;
    case 'timeline':
      return state === undefined ? <Timeline run={run} /> : <TurnsOfState run={run} state={state} />;
    case 'graph':
      return (
        <Graph
          name={`of run ${run.runId}`}
          words={`The states of ${run.workflow}; at work: ${run.agents
            .filter(({ status }) => status === 'running')
            .map(({ id, state }) => `${id} at ${state}`)
            .join(', ')}`}
          load={() => api.runDiagram(run.runId)}
          hrefOf={(file) => hrefOf({ view: 'run', run: run.runId, tab: 'timeline', state: file })}
          when={(event) => isOf(event, run.runId)}
        />
      );
    case 'costs':
      return <Costs run={run.runId} />;
    case 'orders':
      return <Orders run={run.runId} />;
  }
}

function Timeline({ run }: { readonly run: Run }): JSX.Element {
  const { data, problem } = useTurns(run.runId);
  if (data === undefined)
    return problem === undefined ? <Loading what="the turns" /> : <ProblemNote problem={problem} />;
  return (
    <>
      <Waterfall run={run} turns={data} />
      <TurnList run={run.runId} turns={data} />
    </>
  );
}

/** A state of the graph: its agents and its turns. */
function TurnsOfState({ run, state }: { readonly run: Run; readonly state: string }): JSX.Element {
  const { data, problem } = useTurns(run.runId);
  const here = run.agents.filter((agent) => agent.state === state && agent.status !== 'completed');
  return (
    <>
      <h2>Turns of {state}</h2>
      <p>
        <a href={hrefOf({ view: 'run', run: run.runId, tab: 'timeline' })}>All turns</a>
      </p>
      {here.length > 0 && (
        <ul class="plain" aria-label={`Agents at ${state}`}>
          {here.slice(0, MOST_HERE).map(({ id, status }) => (
            <li key={id}>
              <a href={hrefOf({ view: 'agent', run: run.runId, agent: id })}>{id}</a> <Status of={status} />
            </li>
          ))}
        </ul>
      )}
      <ProblemNote problem={problem} />
      {data !== undefined && <TurnList run={run.runId} turns={data.filter((turn) => turn.state === state)} />}
    </>
  );
}
