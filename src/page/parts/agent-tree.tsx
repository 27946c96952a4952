// The agents of a run, each below its parent. A search finds one of hundreds by name or status;
// agents that need a person come first.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dollars } from '../../protocol/text.js';
import { hrefOf } from '../router.js';
import { byAgent } from '../turn-groups.js';
import { useTurns } from '../turns.js';
import { counted, TONES, type Turn } from '../words.js';
import { AgentStatus, Elapsed, Table, Until } from './bits.js';
import { plain } from '../ansi.js';
import { byNumber } from './waterfall-lanes.js';
import type { Run } from '../../serve/types.js';

type Agent = Run['agents'][number];

const FEW = 12;
const PAGE = 100;

/** The agents as a table. */
export function AgentTree({ run, find = '' }: { readonly run: Run; readonly find?: string | undefined }): JSX.Element {
  const [wanted, setWanted] = useState(find);
  useEffect(() => setWanted(find), [find]);
  const times = useTimes(run);
  const begins = useBegins(run);
  const [shown, setShown] = useState(PAGE);
  const rows = useMemo(() => inOrder(run.agents), [run.agents]);
  const fitting = rows.filter(({ agent }) => fits(agent, wanted));
  return (
    <>
      {run.agents.length > FEW && (
        <div class="row">
          <input
            type="search"
            aria-label="Find agents"
            placeholder="Find by name, state or status"
            value={wanted}
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          />
          <span class="muted" role="status">
            {counted(fitting.length, 'agent')}
          </span>
        </div>
      )}
      <Table of="Agents" look="agents" columns={['Agent', 'Status', 'State', 'Took', 'Cost', 'About']}>
        {fitting.slice(0, shown).map(({ agent, depth }) => (
          <AgentRow
            key={agent.id}
            run={run}
            agent={agent}
            depth={wanted === '' ? depth : 0}
            time={times.get(agent.id)}
            begin={begins.get(agent.id)}
          />
        ))}
      </Table>
      {fitting.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + PAGE)}>
          Show {Math.min(PAGE, fitting.length - shown)} more
        </button>
      )}
      {run.agentsBefore > 0 && (
        <p class="muted">{counted(run.agentsBefore, 'agent')} ended before and are not listed.</p>
      )}
    </>
  );
}

function AgentRow({
  run,
  agent,
  depth,
  time,
  begin,
}: {
  readonly run: Run;
  readonly agent: Agent;
  readonly depth: number;
  /** How long it ran, in milliseconds, when it has ended. */
  readonly time: readonly [from: string, to: string] | undefined;
  readonly begin: string | undefined;
}): JSX.Element {
  const { id, status, state, since, costUsd, about, result, error, waitsFor, until, line, attempt, phase, callers } =
    agent;
  const words = plain(error ?? result ?? line ?? '');
  const isBad = TONES[status] === 'bad';
  return (
    <tr class={isBad ? 'failed' : ''}>
      <th scope="row" class={`depth-${Math.min(depth, 6)}`}>
        <a href={hrefOf({ view: 'agent', run: run.runId, agent: id })}>{id}</a>
      </th>
      <td>
        <AgentStatus of={status} run={run} />
        {phase === 'queued' && status === 'running' && <span class="muted"> queued</span>}
        {attempt !== undefined && attempt > 1 && <span class="warn"> attempt {attempt}</span>}
      </td>
      <td>
        {state}
        {callers !== undefined && callers.length > 0 && <span class="muted"> called by {callers.join(' ← ')}</span>}
      </td>
      <td>
        <Took time={time} begin={since === undefined ? undefined : (begin ?? since)} />
      </td>
      <td class="number">{dollars(costUsd)}</td>
      <td>
        {about !== undefined && <span class="about">{about}</span>}
        {waitsFor !== undefined && <span> waits for {waitsFor}</span>}
        {until !== undefined && (
          <span>
            {' '}
            <Until time={until} />
          </span>
        )}
        {words !== '' && (
          <p class={isBad ? 'said bad' : 'said'}>{words.length > 300 ? `${words.slice(0, 300)} …` : words}</p>
        )}
      </td>
    </tr>
  );
}

/** The time of an agent; `begin` = it is open, and was first seen since then. It grows until the agent ends. */
function Took({
  time,
  begin,
}: {
  readonly time: readonly [from: string, to: string] | undefined;
  readonly begin: string | undefined;
}): JSX.Element | null {
  if (begin !== undefined) return <Elapsed since={time?.[0] ?? begin} />;
  return time === undefined ? null : <Elapsed since={time[0]} until={time[1]} />;
}

/** From the start of the first turn of each agent to the end of its last one. */
function useTimes({ runId }: Run): ReadonlyMap<string, readonly [from: string, to: string]> {
  const turns = useTurns(runId).data;
  return useMemo(
    () =>
      new Map(
        [...byAgent(turns ?? [])].flatMap(([id, its]) => {
          const [first, last] = [its[0], its.at(-1)];
          return first === undefined || last === undefined
            ? []
            : [[id, [new Date(beginOf(first) + pausesOf(its)).toISOString(), last.endedAt]] as const];
        }),
      ),
    [turns],
  );
}

function beginOf({ queuedAt, startedAt }: Turn): number {
  return Date.parse(queuedAt ?? startedAt);
}

/** How long its failed turns lay until they were run again: that is not time of the agent. */
function pausesOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, { end, endedAt }, index) => {
    const next = turns[index + 1];
    return end.kind !== 'failed' || next === undefined ? sum : sum + beginOf(next) - Date.parse(endedAt);
  }, 0);
}

/** When each agent was first seen: its `since` is that of its present wait. */
function useBegins({ agents }: Run): ReadonlyMap<string, string> {
  const begins = useRef(new Map<string, string>());
  for (const { id, since } of agents) {
    const known = begins.current.get(id);
    if (since !== undefined && (known === undefined || since < known)) begins.current.set(id, since);
  }
  return begins.current;
}

/** Failed agents first, then those that need a person. */
const RANKS: readonly (readonly Agent['status'][])[] = [
  ['failed', 'lost'],
  ['asking', 'paused'],
];

function rankOf({ status }: Agent): number {
  const rank = RANKS.findIndex((statuses) => statuses.includes(status));
  return rank === -1 ? RANKS.length : rank;
}

/** Each agent below its parent. */
function inOrder(agents: readonly Agent[]): readonly { readonly agent: Agent; readonly depth: number }[] {
  const known = new Set(agents.map(({ id }) => id));
  const below = new Map<string | undefined, Agent[]>();
  for (const agent of agents) {
    const parent = agent.parent !== undefined && known.has(agent.parent) ? agent.parent : undefined;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [agent]);
    else siblings.push(agent);
  }
  for (const each of below.values())
    each.sort((one, other) => rankOf(one) - rankOf(other) || byNumber(one.id, other.id));
  const walk = (parent: string | undefined, depth: number): { readonly agent: Agent; readonly depth: number }[] =>
    (below.get(parent) ?? []).flatMap((agent) => [{ agent, depth }, ...walk(agent.id, depth + 1)]);
  return walk(undefined, 0);
}

function fits({ id, state, status, about = '' }: Agent, wanted: string): boolean {
  const words = wanted.trim().toLowerCase();
  return [id, state, status, about].some((text) => text.toLowerCase().includes(words));
}
