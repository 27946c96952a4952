// The recorded turns of a run or of an agent, read once and then only new ones: a run may have
// thousands.
import { useEffect } from 'preact/hooks';
import { api } from './api.js';
import { withLater } from './turn-groups.js';
import { useResource, type Resource } from './resource.js';
import type { Turn } from './words.js';
import type { ServeEvent } from '../serve/types.js';

interface Known {
  readonly turns: readonly Turn[];
  readonly next: string;
  /** There may be more. */
  readonly isPart: boolean;
}

/** How many turns are read at first; the others follow together. */
const FIRST = 1000;

/** Turns in the order in which they ended; `agent` absent = of all agents. */
export function useTurns(run: string, agent?: string): Resource<readonly Turn[]> {
  const { data, problem, reload } = useResource<Known>({
    key: `turns ${run} ${agent ?? ''}`,
    load: async (before) => {
      const first = before === undefined ? { limit: FIRST } : {};
      const { turns, next } = await api.turns(run, { agent, after: before?.next, ...first });
      if (before === undefined) return { turns, next, isPart: turns.length === FIRST };
      return { turns: merged(before.turns, turns), next, isPart: false };
    },
    when: (event) => concerns(event, { run, agent }),
    everyMs: 1000,
  });
  const isPart = data?.isPart === true;
  useEffect(() => {
    if (isPart) reload();
  }, [isPart]);
  return { data: data?.turns, problem, reload };
}

function concerns(
  event: ServeEvent,
  { run, agent }: { readonly run: string; readonly agent: string | undefined },
): boolean {
  if (event.type === 'run') return event.runId === run && agent === undefined;
  return (
    (event.type === 'turn.ended' || event.type === 'agent') &&
    event.runId === run &&
    (agent ?? event.agentId) === event.agentId
  );
}

/**
 * The server returns the newest turns again, because several histories are not read at the same
 * moment.
 */
function merged(known: readonly Turn[], later: readonly Turn[]): readonly Turn[] {
  const keyOf = ({ agentId, number, endedAt }: Turn): string => `${agentId}/${number}/${endedAt}`;
  const recent = new Set(known.slice(-500).map(keyOf));
  const fresh = later.filter((turn) => !recent.has(keyOf(turn)));
  return fresh.length === 0 ? known : withLater(known, fresh);
}
