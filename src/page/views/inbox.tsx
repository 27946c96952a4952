// What needs a person, in all runs: open questions by deadline and age, then runs that stopped, each
// with its cause and its next action.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { AskList } from '../parts/ask-list.js';
import { Ago, Empty, Heading, Loading, ProblemNote } from '../parts/bits.js';
import { Action } from '../parts/action.js';
import { RunStatus } from '../parts/run-status.js';
import { BudgetAction, ResumeAction } from './run-actions.js';
import type { Resource } from '../resource.js';
import { hrefOf } from '../router.js';
import { order, orderOf } from '../pending.js';
import { dismiss, inbox, pausedByPeople, STOPPED, stopped } from '../needs.js';
import { may } from '../session.js';
import { counted, overBudget } from '../words.js';
import type { Inbox, ListedRun } from '../../serve/types.js';

/** The view. */
export function InboxView({ reload }: { readonly reload: Resource<Inbox>['reload'] }): JSX.Element {
  const { data, problem } = inbox.value;
  const paused = pausedByPeople.value;
  const runs = stopped.value;
  return (
    <>
      <Heading>Inbox</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the questions" />}
      <AskList asks={data?.asks ?? []} isRead={data !== undefined} isAll changed={reload} />
      {runs.length > 0 && <Stopped runs={runs} />}
      {paused.length > 0 && (
        <section class="card" aria-labelledby="paused-runs">
          <h2 id="paused-runs">Paused by a person</h2>
          <ul class="plain">
            {paused.map((run) => (
              <li key={run.runId} class="row">
                <RunLink run={run} /> <span class="muted">by {run.pausedBy}</span>
                {orderOf(run) ?? (may('operate') && <ResumeAction run={run} />)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {data?.asks.length === 0 && runs.length === 0 && (
        <Empty>
          <p>Nothing needs you.</p>
          <p>
            <a href={hrefOf({ view: 'runs' })}>See the runs</a> or{' '}
            <a href={hrefOf({ view: 'workflows' })}>start a workflow</a>.
          </p>
        </Empty>
      )}
    </>
  );
}

function Stopped({ runs }: { readonly runs: readonly ListedRun[] }): JSX.Element {
  return (
    <section class="card" aria-labelledby="stopped-runs">
      <div class="row">
        <h2 id="stopped-runs">Stopped</h2>
        {runs.length > 1 && (
          <button type="button" class="quiet" onClick={() => dismiss(runs)}>
            Dismiss all {runs.length}
          </button>
        )}
      </div>
      <ul class="plain stops">
        {runs.map((run) => (
          <li key={run.runId}>
            <div class="row">
              <RunStatus run={run} /> <RunLink run={run} />
              <span class="muted">
                {run.workflow} · <Ago time={run.endedAt ?? run.startedAt} />
              </span>
            </div>
            {orderOf(run) === undefined && <p class="said">{causeOf(run)}</p>}
            {orderOf(run) === undefined && (
              <div class="row">
                {may('operate') && <NextAction run={run} />}
                <button type="button" class="quiet" aria-label={`Dismiss ${run.runId}`} onClick={() => dismiss([run])}>
                  Dismiss
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function RunLink({ run: { runId } }: { readonly run: ListedRun }): JSX.Element {
  return <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>;
}

function causeOf(run: ListedRun): string {
  const { status, cause, failed = 0 } = run;
  if (status === 'over-budget') return overBudget(run);
  const agents = failed > 1 ? `${counted(failed, 'agent')} failed, first: ` : '';
  return `${agents}${cause ?? 'The cause is on the page of the run.'}`;
}

function NextAction({ run }: { readonly run: ListedRun }): JSX.Element | null {
  const { runId, failed = 0 } = run;
  if (run.status === 'completed') return null;
  if (run.status === 'over-budget') return <BudgetAction run={{ ...run, costUsd: run.costUsd ?? 0 }} />;
  if (run.status !== 'failed' || failed === 0) return <ResumeAction run={run} />;
  return (
    <Action
      label={`Retry ${counted(failed, 'failed agent')}`}
      submit="Retry"
      isPrimary
      consequence="The run continues: all its agents that did not complete run their last turn again."
      done={`${counted(failed, 'agent')} of ${runId} retried.`}
      act={async () => {
        await api.retryFailed(runId);
        order(run, `Retrying ${counted(failed, 'agent')}…`);
      }}
    />
  );
}

/** Loads the runs that may need a person. */
export async function loadStopped(): Promise<readonly ListedRun[]> {
  return (await api.runs({ status: STOPPED, limit: 50 })).runs;
}
