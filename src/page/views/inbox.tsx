// What needs a person, in all runs: open questions first, then runs that wait for a person's
// action.
import type { JSX } from 'preact';
import { Elapsed, Empty, Heading, Loading, ProblemNote, Status } from '../parts/bits.js';
import { AskCard } from '../parts/ask.js';
import { api } from '../api.js';
import { useResource, type Resource } from '../resource.js';
import { hrefOf } from '../router.js';
import { inbox } from '../needs.js';
import type { Inbox, Runs } from '../../serve/types.js';

/** The view. */
export function InboxView({ reload }: { readonly reload: Resource<Inbox>['reload'] }): JSX.Element {
  const { data, problem } = inbox.value;
  const paused = useResource<Runs>({
    key: 'paused',
    load: () => api.runs({ status: 'paused', limit: 50 }),
    when: ({ type }) => type === 'run',
    everyMs: 1000,
  });
  const stopped = paused.data?.runs ?? [];
  return (
    <>
      <Heading>Inbox</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the questions" />}
      {data?.asks.map((ask) => (
        <AskCard key={`${ask.runId}/${ask.askId}`} ask={ask} changed={reload} />
      ))}
      {stopped.length > 0 && (
        <section class="card" aria-labelledby="paused-runs">
          <h2 id="paused-runs">Paused</h2>
          <ul class="plain">
            {stopped.map(({ runId, status, workflow, startedAt }) => (
              <li key={runId} class="row">
                <Status of={status} />
                <a href={hrefOf({ view: 'run', run: runId, tab: 'agents' })}>{runId}</a>
                <span class="muted">
                  {workflow}, since <Elapsed since={startedAt} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {data?.asks.length === 0 && stopped.length === 0 && (
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
