// The agents of a run that failed, grouped by their error: the end of the first one's output, and the
// actions for one or all of them.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { plain } from '../ansi.js';
import { hrefOf } from '../router.js';
import { failedAgents } from '../failed-agents.js';
import { may } from '../session.js';
import { useTurns } from '../turns.js';
import { counted, duration, endOf } from '../words.js';
import { GotoAction } from '../views/run-actions.js';
import { order, orderOf } from '../pending.js';
import { Action } from './action.js';
import { Moment } from './bits.js';
import { Copy } from './copy.js';
import { TerminalText } from './terminal-text.js';
import type { Run } from '../../serve/types.js';

type Agent = Run['agents'][number];

/** How many agents of a group have a link; the list of agents has all. */
const LINKED = 5;

/** How many lines of an error are shown at first. */
const LINES = 40;

/** Agents with one error. */
export interface FailureGroup {
  readonly state: string;
  readonly message: string;
  readonly agents: readonly [Agent, ...Agent[]];
}

/** The groups, the largest first. Names of agents and numbers in a message do not matter. */
export function failureGroups(agents: readonly Agent[]): readonly FailureGroup[] {
  const groups = new Map<string, [Agent, ...Agent[]]>();
  for (const agent of agents) {
    const key = `${agent.state} ${messageOf(agent).replaceAll(agent.id, '').replaceAll(/\d+/g, '#')}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [agent]);
    else known.push(agent);
  }
  return [...groups.values()]
    .map((its) => ({ state: its[0].state, message: headlineOf(its[0]), agents: its }))
    .sort((one, other) => other.agents.length - one.agents.length);
}

/** The error without the name of its agent and its state. */
function messageOf({ id, state, error = '' }: Agent): string {
  const text = plain(error);
  const start = `${id}, ${state}: `;
  return text.startsWith(start) ? text.slice(start.length) : text;
}

function headlineOf(agent: Agent): string {
  return messageOf(agent).split('\n').slice(0, 2).join(': ');
}

/** The failures. */
export function Failures({ run }: { readonly run: Run }): JSX.Element | null {
  const failed = failedAgents(run);
  if (failed.length === 0 || orderOf(run) !== undefined) return null;
  return (
    <section class="card failures" aria-labelledby="failures">
      <h2 id="failures">{counted(failed.length, 'agent')} failed</h2>
      {failureGroups(failed).map((group, index) => (
        <Group key={`${group.state} ${group.message}`} run={run} group={group} isOpen={index === 0} />
      ))}
    </section>
  );
}

interface GroupProps {
  readonly run: Run;
  readonly group: FailureGroup;
  readonly isOpen: boolean;
}

function Group({ run, group: { state, message, agents }, isOpen }: GroupProps): JSX.Element {
  const [first] = agents;
  const count = agents.length;
  return (
    <details open={isOpen}>
      <summary>
        <span class="bad">✗</span> {count === 1 ? first.id : counted(count, 'agent')} at {state}: {message}
      </summary>
      <p>
        {agents.slice(0, LINKED).map(({ id }) => (
          <span key={id}>
            <a href={hrefOf({ view: 'agent', run: run.runId, agent: id })}>{id}</a>{' '}
          </span>
        ))}
        {count > LINKED && (
          <a href={hrefOf({ view: 'run', run: run.runId, tab: 'agents', find: 'failed' })}>all {count}</a>
        )}
      </p>
      <FailedTurn run={run.runId} agent={first} />
      {may('operate') && (
        <div class="row actions">
          <RetryAction run={run} agents={agents} />
          {count === 1 && run.status !== 'completed' && <GotoAction run={run} agent={first} states={[]} />}
        </div>
      )}
    </details>
  );
}

/** Retries agents: in an ended run all that did not complete continue together. */
function RetryAction({
  run,
  agents,
}: {
  readonly run: Run;
  readonly agents: FailureGroup['agents'];
}): JSX.Element | null {
  const { runId, open, status } = run;
  if (status === 'completed')
    return (
      <p class="muted">
        The run has completed, so its agents cannot be retried. “Start again” (above) runs the whole workflow once more;
        “Fork from here”, on the page of a turn, runs the work of one agent again as a new run.
      </p>
    );
  const [first] = agents;
  const count = agents.length;
  const act = async (): Promise<void> => {
    if (!open && count > 1) await api.retryFailed(runId);
    else for (const { id } of agents) await api.retry(runId, id);
    if (!open || count === failedAgents(run).length) order(run, `Retrying ${counted(count, 'agent')}…`);
  };
  return (
    <Action
      label={count === 1 ? 'Retry' : `Retry all ${count}`}
      isPrimary
      consequence={
        count > 1 && !open
          ? 'The run continues: all its agents that did not complete run their last turn again.'
          : `${count === 1 ? `${first.id} runs its` : 'They run their'} failed turn again, from the same conversation.`
      }
      done={`${count === 1 ? first.id : counted(count, 'agent')} retried.`}
      act={act}
    />
  );
}

/** The error of the agent's last turn, whole, with a link to the turn. */
function FailedTurn({ run, agent }: { readonly run: string; readonly agent: Agent }): JSX.Element {
  const last = useTurns(run, agent.id).data?.at(-1);
  const isFailed = last !== undefined && last.end.kind !== 'transition';
  const error = isFailed && last.end.kind === 'failed' ? last.end.failure.message : undefined;
  const text = (error ?? agent.error ?? (isFailed ? endOf(last).text : '')).trim();
  const lines = text.split('\n');
  return (
    <>
      {isFailed && (
        <p class="row">
          <span>
            Failed at <Moment time={last.endedAt} /> after {duration(last.durationMs)}.
          </span>
          <a class="button" href={hrefOf({ view: 'turn', run, agent: agent.id, turn: last.number })}>
            Open turn {last.number} (output, Fork from here)
          </a>
          <Copy text={plain(text)} what="the error" />
        </p>
      )}
      {lines.length > LINES && <p class="muted">The last {LINES} lines; the turn has all of them.</p>}
      <TerminalText text={lines.slice(-LINES).join('\n')} label={`Error of ${agent.id}`} />
    </>
  );
}
