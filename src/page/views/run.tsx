// A run: its status, its actions, and one tab: agents, timeline, graph, costs or activity.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api } from '../api.js';
import { AgentTree } from '../parts/agent-tree.js';
import { AskList } from '../parts/ask-list.js';
import { Elapsed, Facts, Heading, Loading, Moment, Money, ProblemNote, Status } from '../parts/bits.js';
import { Costs } from '../parts/costs.js';
import { Copy } from '../parts/copy.js';
import { Failures } from '../parts/failures.js';
import { RunStatus } from '../parts/run-status.js';
import { Graph } from '../parts/graph.js';
import { Orders } from '../parts/orders.js';
import { RunOutput } from '../parts/run-output.js';
import { TurnList } from '../parts/turn-list.js';
import { Waterfall } from '../parts/waterfall.js';
import { orderOf } from '../pending.js';
import { useResource } from '../resource.js';
import { hrefOf, RUN_TABS, shownSign, TAB_WORDS, type Route, type RunTab } from '../router.js';
import { useTurns } from '../turns.js';
import { counted, overBudget, SIGNS } from '../words.js';
import { RunActions } from './run-actions.js';
import type { Run, ServeEvent } from '../../serve/types.js';

/** How many agents at a state are listed. */
const MOST_HERE = 20;

/** The view. */
export function RunView({ run: id, tab, state, find }: Extract<Route, { readonly view: 'run' }>): JSX.Element {
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
  useEffect(() => {
    shownSign.value = run === undefined ? '' : SIGNS[run.status];
    return () => void (shownSign.value = '');
  }, [run?.status]);
  return (
    <>
      <Heading more={run !== undefined && <RunStatus run={{ ...run, failed: failedCount(run) }} />}>{id}</Heading>
      <Announced run={run} />
      <ProblemNote problem={problem} />
      {run === undefined && problem === undefined && <Loading what="the run" />}
      {run !== undefined && (
        <>
          <RunFacts run={run} />
          <RunActions run={run} />
          <AskList asks={run.asks} isRead changed={reload} />
          {tab === 'agents' && <Failures run={run} />}
          {tab === 'agents' && <Outcome run={run} />}
          <nav class="tabs" aria-label="Run sections">
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
          <Tab run={run} tab={tab} state={state} find={find} />
        </>
      )}
    </>
  );
}

function failedCount({ agents }: Run): number {
  return agents.filter(({ status }) => status === 'failed' || status === 'lost').length;
}

/** Tells screen readers when the status of the run changes while it is shown. */
function Announced({ run }: { readonly run: Run | undefined }): JSX.Element {
  const [first, setFirst] = useState<string>();
  useEffect(() => {
    if (run !== undefined) setFirst((known) => known ?? run.status);
  }, [run?.status]);
  const changed = run !== undefined && first !== undefined && first !== run.status;
  return (
    <p class="unseen" role="status">
      {changed && `${run.runId} is ${run.status.replace('-', ' ')}`}
    </p>
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
    given,
    labels = {},
    sandbox = 'none',
  } = run;
  return (
    <>
      {given?.input !== undefined && given.input !== '' && <Input text={given.input} />}
      <Facts
        of={[
          ['Workflow', workflow],
          ['Cost', <Money costUsd={costUsd} budgetUsd={budgetUsd} />],
          ['Started by', given?.by],
          [open ? 'Since its start' : 'Took', <Elapsed since={startedAt} until={endedAt} />],
          ...Object.entries(labels),
          ['Started', <Moment time={startedAt} />],
          ['Sandbox', sandbox],
          ['Agents', agents.length + agentsBefore],
          ['Forked from', forkedFrom && <Origin of={forkedFrom} fork={run.runId} />],
          [
            'Internals',
            uiUrl && (
              <a href={uiUrl} target="_blank" rel="noopener noreferrer">
                Open in Temporal
              </a>
            ),
          ],
        ]}
      />
      {open && orderOf(run) === undefined && <Progress run={run} />}
      {pausedBy !== undefined && <p class="note">Paused by {pausedBy}.</p>}
      {open && served === false && (
        <p class="note warn">No worker is running this run: the engine of the project is stopped.</p>
      )}
      <Forks of={run.runId} />
    </>
  );
}

/** Fewer agents are counted at a glance. */
const CROWD = 4;

/** How far a crowd of agents is: `2 of 60 agents done, 33 running, 25 queued`. */
function Progress({ run: { agents, agentsBefore } }: { readonly run: Run }): JSX.Element | null {
  const all = agents.length + agentsBefore;
  if (agents.length < CROWD) return null;
  const counts = new Map<string, number>();
  for (const { status, phase } of agents) {
    const word = status === 'running' && phase === 'queued' ? 'queued' : status;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const done = (counts.get('completed') ?? 0) + agentsBefore;
  counts.delete('completed');
  return (
    <p class="row" aria-label="Progress">
      <progress max={all} value={done} aria-label="Agents that are done" />
      {[`${done} of ${all} agents done`, ...[...counts].map(([word, count]) => `${count} ${word}`)].join(', ')}
    </p>
  );
}

/** What the run was given; of a long text the first lines. */
function Input({ text }: { readonly text: string }): JSX.Element {
  const isLong = text.split('\n').length > 3 || text.length > 300;
  const [isWhole, setWhole] = useState(false);
  return (
    <section class="input" aria-label="Input">
      <div class="row">
        <h2>Input</h2>
        <Copy text={text} what="the input" />
      </div>
      <p class={isLong && !isWhole ? 'given short' : 'given'}>{text}</p>
      {isLong && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all of it'}
        </button>
      )}
    </section>
  );
}

/** The runs that were forked from this one. */
function Forks({ of }: { readonly of: string }): JSX.Element | null {
  const { data } = useResource({
    key: `forks of ${of}`,
    load: async () => (await api.runs({ forkOf: of, limit: 50 })).runs,
    when: ({ type }) => type === 'run',
    everyMs: 5000,
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <p>
      Forks:{' '}
      {data.map(({ runId, status }) => (
        <span key={runId}>
          <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a> <Status of={status} />{' '}
          <a href={hrefOf({ view: 'compare', one: of, other: runId })} aria-label={`Compare with ${runId}`}>
            Compare
          </a>{' '}
        </span>
      ))}
    </p>
  );
}

function Origin({
  of: { runId, agentId, turn, replaced = [] },
  fork,
}: {
  readonly of: NonNullable<Run['forkedFrom']>;
  readonly fork: string;
}): JSX.Element {
  return (
    <>
      <a href={hrefOf({ view: 'turn', run: runId, agent: agentId, turn })}>
        {runId}, {agentId}, turn {turn}
      </a>
      {replaced.length > 0 && ` with ${replaced.join(', ')} replaced`}{' '}
      <a href={hrefOf({ view: 'compare', one: runId, other: fork })}>Compare</a>
    </>
  );
}

/** The result; a run that was stopped by its budget has none. */
function Outcome({ run }: { readonly run: Run }): JSX.Element | null {
  const { result, status } = run;
  const failed = failedCount(run);
  if (status === 'over-budget')
    return (
      <section class="card">
        <h2>Stopped: over budget</h2>
        <p>{overBudget(run)}</p>
      </section>
    );
  if (result === undefined) return null;
  return (
    <section class="card">
      <div class="row">
        <h2>Result</h2>
        <Copy text={result} what="the result" />
      </div>
      {failed > 0 && <p class="note warn">{counted(failed, 'agent')} failed: the result may lack their work.</p>}
      <pre class="text" tabIndex={0} role="region" aria-label="Result">
        {result}
      </pre>
    </section>
  );
}

interface TabProps {
  readonly run: Run;
  readonly tab: RunTab;
  /** Only turns of this state. */
  readonly state?: string | undefined;
  /** The words that agents are searched for. */
  readonly find?: string | undefined;
}

function Tab({ run, tab, state, find }: TabProps): JSX.Element {
  switch (tab) {
    case 'agents':
      return <AgentTree run={run} find={find} />;
    case 'output':
      return <RunOutput run={run.runId} open={run.open} />;
    case 'timeline':
      return state === undefined ? <Timeline run={run} /> : <TurnsOfState run={run} state={state} />;
    case 'graph':
      return (
        <>
          <Graph
            name={`of run ${run.runId}`}
            words={`The states of ${run.workflow}; at work: ${run.agents
              .filter(({ status }) => status === 'running')
              .map(({ id, state }) => `${id} at ${state}`)
              .join(', ')}`}
            load={() => api.runDiagram(run.runId)}
            hrefOf={(file) => hrefOf({ view: 'run', run: run.runId, tab: 'graph', state: file })}
            when={(event) => isOf(event, run.runId)}
          />
          {state !== undefined && <TurnsOfState key={state} run={run} state={state} />}
        </>
      );
    case 'costs':
      return <Costs run={run.runId} />;
    case 'orders':
      return <Orders run={run.runId} />;
  }
}

function Timeline({ run }: { readonly run: Run }): JSX.Element {
  const { data, problem } = useTurns(run.runId);
  // The same element is not rendered again: the run changes more often than its turns.
  const list = useMemo(() => data !== undefined && <TurnList run={run.runId} turns={data} />, [run.runId, data]);
  if (data === undefined)
    return problem === undefined ? <Loading what="the turns" /> : <ProblemNote problem={problem} />;
  return (
    <>
      <Waterfall run={run} turns={data} />
      {list}
    </>
  );
}

/** A state of the graph: its agents and its turns. */
function TurnsOfState({ run, state }: { readonly run: Run; readonly state: string }): JSX.Element {
  const { data, problem } = useTurns(run.runId);
  const here = run.agents.filter((agent) => agent.state === state && agent.status !== 'completed');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), [data === undefined]);
  return (
    <>
      <h2 ref={heading}>Turns of {state}</h2>
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
      {data !== undefined && <TurnList run={run.runId} turns={data} state={state} />}
    </>
  );
}
