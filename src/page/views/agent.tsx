// An agent: its state, what it waits for, its actions, its current output, and its turns.
import type { JSX } from 'preact';
import { dollars } from '../../protocol/text.js';
import { api } from '../api.js';
import { Action } from '../parts/action.js';
import { AgentStatus, Elapsed, Facts, Heading, Loading, ProblemNote, Until } from '../parts/bits.js';
import { LiveOutput } from '../parts/output.js';
import { plain } from '../ansi.js';
import { TurnList } from '../parts/turn-list.js';
import { useResource } from '../resource.js';
import { hrefOf, type Route } from '../router.js';
import { may } from '../session.js';
import { useTurns } from '../turns.js';
import { kindOf } from '../words.js';
import { AgentActions } from './run-actions.js';
import { Breadcrumb } from './breadcrumb.js';
import type { Run, WorkflowDetail } from '../../serve/types.js';

/** The view. */
export function AgentView({ run: id, agent: agentId }: Extract<Route, { readonly view: 'agent' }>): JSX.Element {
  const { data, problem } = useResource<{ readonly run: Run; readonly workflow: WorkflowDetail | undefined }>({
    key: `agent ${id} ${agentId}`,
    load: async (before) => {
      const run = await api.run(id);
      const workflow =
        before?.workflow ?? (run.workflowId === undefined ? undefined : await api.workflow(run.workflowId));
      return { run, workflow };
    },
    when: (event) => event.type !== 'gap' && event.type !== 'said' && event.type !== 'printed' && event.runId === id,
    everyMs: 700,
    isMoving: ({ run }) => run.open,
  });
  const turns = useTurns(id, agentId);
  const agent = data?.run.agents.find((one) => one.id === agentId);
  return (
    <>
      <Breadcrumb run={id} />
      <Heading more={agent !== undefined && data !== undefined && <AgentStatus of={agent.status} run={data.run} />}>
        {agentId}
      </Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the agent" />}
      {data !== undefined && agent === undefined && (
        <p class="muted">The run no longer lists this agent. Its turns are below.</p>
      )}
      {data !== undefined && agent !== undefined && (
        <>
          <AgentFacts run={data.run} agent={agent} />
          <Notes run={id} agent={agent} />
          <AgentActions run={data.run} agent={agent} states={data.workflow?.states ?? []} />
          {agent.turn !== undefined && agent.status === 'running' && (
            <section class="card" aria-label="Current turn">
              <h2>
                <a href={hrefOf({ view: 'turn', run: id, agent: agentId, turn: agent.turn })}>Turn {agent.turn}</a>{' '}
                (running)
              </h2>
              <LiveOutput turn={{ run: id, agent: agentId, turn: agent.turn }} kind={kindOf(agent.state)} />
            </section>
          )}
        </>
      )}
      <h2>Turns</h2>
      <ProblemNote problem={turns.problem} />
      {turns.data !== undefined && <TurnList run={id} turns={turns.data} isOfOne />}
    </>
  );
}

interface NotesProps {
  readonly run: string;
  readonly agent: Run['agents'][number];
}

/** The messages that the agent has not read yet. */
function Notes({ run, agent: { id, notes = [] } }: NotesProps): JSX.Element | null {
  if (notes.length === 0) return null;
  const what = notes.length === 1 ? 'message' : `${notes.length} messages`;
  return (
    <section class="note" aria-label="Messages that wait for its next prompt">
      <ul class="plain">
        {notes.map(({ by, text }, index) => (
          <li key={index}>
            Its next prompt begins with: {typeof text === 'string' ? text : '(a long text)'}{' '}
            <span class="muted">by {by}</span>
          </li>
        ))}
      </ul>
      {may('operate') && (
        <Action
          label={`Remove ${what}`}
          consequence="Its next prompt begins without them. A prompt in progress keeps what it has received."
          done={`The next prompt of ${id} begins without messages.`}
          act={() => api.withdraw(run, id)}
        />
      )}
    </section>
  );
}

function AgentFacts({ run, agent }: { readonly run: Run; readonly agent: Run['agents'][number] }): JSX.Element {
  const { state, since, costUsd, parent, callers = [], waitsFor, until, host, queue, about, error, result } = agent;
  const words = plain(error ?? result ?? '');
  return (
    <>
      <Facts
        of={[
          ['State', state],
          ['In this state for', since && <Elapsed since={since} />],
          ['Cost', dollars(costUsd)],
          ['Waits for', waitsFor],
          ['Until', until && <Until time={until} />],
          ['Queue', queue && `position ${queue.position} of ${queue.of}`],
          ['Forked by', parent && <a href={hrefOf({ view: 'agent', run: run.runId, agent: parent })}>{parent}</a>],
          ['Called by', callers.join(' ← ')],
          ['Host', host],
          ['About', about],
        ]}
      />
      {words !== '' && (
        <pre class={`text ${error === undefined ? '' : 'bad'}`} tabIndex={0} role="region" aria-label="Result">
          {words}
        </pre>
      )}
    </>
  );
}
