// Schedules with what they started and what comes next, and the hosts of a fleet.
import type { JSX } from 'preact';
import { api } from '../api.js';
import { Action } from '../parts/action.js';
import { Ago, Empty, Heading, Loading, Moment, ProblemNote, Status, Table } from '../parts/bits.js';
import { useResource } from '../resource.js';
import { hrefOf } from '../router.js';
import { may, session } from '../session.js';
import { counted } from '../words.js';
import type { Schedule } from '../../serve/types.js';

const SHOWN = 5;

/** The view of the schedules. */
export function SchedulesView(): JSX.Element {
  const { data, problem, reload } = useResource({
    key: 'schedules',
    load: () => api.schedules(),
    when: ({ type }) => type === 'run',
    everyMs: 5000,
  });
  return (
    <>
      <Heading>Schedules</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the schedules" />}
      {data?.schedules.length === 0 && (
        <Empty>
          There are no schedules. To make one, run <code>raymond schedule create</code>.
        </Empty>
      )}
      {data?.schedules.map((schedule) => (
        <ScheduleCard key={schedule.name} schedule={schedule} changed={reload} />
      ))}
    </>
  );
}

function ScheduleCard({
  schedule,
  changed,
}: {
  readonly schedule: Schedule;
  readonly changed: () => void;
}): JSX.Element {
  const { name, workflow, when: times, timezone = 'UTC', paused, note, nextRuns, runs, heldBy } = schedule;
  const [next] = nextRuns;
  return (
    <article class="card" aria-labelledby={`schedule-${name}`}>
      <h2 id={`schedule-${name}`}>{name}</h2>
      <p>
        {workflow} · {times.join(' · ')} ({timezone}) ·{' '}
        {paused ? (
          <strong class="warn">paused{note === undefined ? '' : ` (${note})`}</strong>
        ) : (
          <>next: {next === undefined ? 'never' : <Moment time={next} />}</>
        )}
      </p>
      <p class="muted">
        {schedule.started} started, {schedule.skipped} skipped because another run was open, {schedule.missed} missed
      </p>
      {heldBy.map(({ runId, status }) => (
        <p key={runId} class="note warn">
          Blocked by <RunLink id={runId} /> <Status of={status} />
        </p>
      ))}
      {runs.length > 0 && (
        <p>
          Latest runs:{' '}
          {runs.slice(-SHOWN).map(({ runId }) => (
            <span key={runId}>
              <RunLink id={runId} />{' '}
            </span>
          ))}
        </p>
      )}
      {may('operate') && <ScheduleActions schedule={schedule} changed={changed} />}
    </article>
  );
}

function ScheduleActions({
  schedule: { name, paused },
  changed,
}: {
  readonly schedule: Schedule;
  readonly changed: () => void;
}): JSX.Element {
  return (
    <div class="row actions">
      <Action
        label={paused ? `Resume ${name}` : `Pause ${name}`}
        submit={paused ? 'Resume' : 'Pause'}
        consequence={
          paused
            ? 'It starts runs again from its next due time.'
            : 'It starts no runs until it is resumed; open runs continue.'
        }
        done={`${name} is ${paused ? 'active' : 'paused'}.`}
        act={() => api.schedule(name, paused ? 'resume' : 'pause').then(changed)}
      />
      <Action
        label={`Start ${name} now`}
        submit="Start a run"
        consequence="A run starts now, besides those that are due."
        done={`A run of ${name} was started.`}
        act={() => api.schedule(name, 'trigger').then(changed)}
      />
    </div>
  );
}

function RunLink({ id }: { readonly id: string }): JSX.Element {
  return <a href={hrefOf({ view: 'run', run: id, tab: 'agents' })}>{id}</a>;
}

/** The view of the hosts. */
export function HostsView(): JSX.Element {
  if (session.value?.cluster === true) return <Hosts />;
  return (
    <>
      <Heading>Hosts</Heading>
      <Empty>This project has its own server and this one host. The hosts of a cluster would be listed here.</Empty>
    </>
  );
}

function Hosts(): JSX.Element {
  const { data, problem } = useResource({
    key: 'hosts',
    load: () => api.hosts(),
    everyMs: 5000,
    isMoving: () => true,
  });
  return (
    <>
      <Heading>Hosts</Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the hosts" />}
      {data?.hosts.length === 0 && (
        <Empty>
          No worker polls the queue. To start one, run <code>raymond fleet worker</code>.
        </Empty>
      )}
      {data !== undefined && data.hosts.length > 0 && (
        <Table of="Hosts" columns={['Host', 'Status', 'Workers', 'Version', 'Last poll', 'Turns', 'Agents placed']}>
          {data.hosts.map(({ host, alive, workers, turns, placed }) => (
            <tr key={host}>
              <th scope="row">{host}</th>
              <td>
                <span class={`status ${alive ? 'good' : 'bad'}`}>{alive ? 'alive' : 'gone'}</span>
              </td>
              <td>{counted(workers.length, 'worker')}</td>
              <td>{[...new Set(workers.flatMap(({ buildId }) => buildId ?? []))].join(' ')}</td>
              <td>
                {workers[0] !== undefined && (
                  <Ago
                    time={
                      workers
                        .map(({ lastPoll }) => lastPoll)
                        .sort()
                        .at(-1) ?? ''
                    }
                  />
                )}
              </td>
              <td>
                {turns.slice(0, SHOWN).map(({ runId, agentId, state }) => (
                  <div key={`${runId}/${agentId}`}>
                    <a href={hrefOf({ view: 'agent', run: runId, agent: agentId })}>
                      {runId}/{agentId}
                    </a>{' '}
                    {state}
                  </div>
                ))}
                {turns.length > SHOWN && <span class="muted">and {counted(turns.length - SHOWN, 'other')}</span>}
              </td>
              <td>{counted(placed.length, 'agent')}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
