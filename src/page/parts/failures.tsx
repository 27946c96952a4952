// The agents of a run that failed: the error, its turn, and the output of that turn.
import type { JSX } from 'preact';
import { hrefOf } from '../router.js';
import { useTurns } from '../turns.js';
import { counted, duration, when } from '../words.js';
import { LiveOutput } from './output.js';
import type { Run } from '../../serve/types.js';

/** How many are shown; the agents' own views show the others. */
const SHOWN = 5;

/** Agents that failed, are lost, or were paused by a failure. */
export function failedAgents({ agents }: Run): Run['agents'] {
  return agents.filter(
    ({ status, error }) => error !== undefined && (status === 'failed' || status === 'lost' || status === 'paused'),
  );
}

/** The failures; `isOpen` = unfolded. */
export function Failures({ run, isOpen }: { readonly run: Run; readonly isOpen: boolean }): JSX.Element | null {
  const failed = failedAgents(run);
  if (failed.length === 0) return null;
  return (
    <>
      <h2>{counted(failed.length, 'agent')} failed</h2>
      {failed.slice(0, SHOWN).map((agent) => (
        <Failure key={agent.id} run={run.runId} agent={agent} isOpen={isOpen} />
      ))}
    </>
  );
}

interface FailureProps {
  readonly run: string;
  readonly agent: Run['agents'][number];
  readonly isOpen: boolean;
}

function Failure({ run, agent, isOpen }: FailureProps): JSX.Element {
  const { id, state, error } = agent;
  return (
    <details open={isOpen}>
      <summary>
        {id} at {state}
      </summary>
      <p>
        <a href={hrefOf({ view: 'agent', run, agent: id })}>Turns and actions</a>
      </p>
      <pre class="text bad" tabIndex={0} role="region" aria-label={`What went wrong with ${id}`}>
        {error}
      </pre>
      <FailedTurn run={run} agent={id} />
    </details>
  );
}

function FailedTurn({ run, agent }: { readonly run: string; readonly agent: string }): JSX.Element | null {
  const last = useTurns(run, agent).data?.at(-1);
  if (last === undefined || last.end.kind === 'transition') return null;
  const { number, state, durationMs, endedAt } = last;
  return (
    <>
      <p>
        <a href={hrefOf({ view: 'turn', run, agent, turn: number })}>
          Turn {number}, {state}
        </a>{' '}
        <span class="muted">
          ended {when(endedAt)} after {duration(durationMs)}; there is what it was given, and its conversation. It
          printed:
        </span>
      </p>
      <LiveOutput key={endedAt} turn={{ run, agent, turn: number }} />
    </>
  );
}
