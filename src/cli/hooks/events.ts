// What a look at a run gives hooks to tell: questions, failures, ends, waits for a limit. Each occasion has a key, by which it is told
// once, whoever looks at the run and how often.
import type { RunView } from '../../client/look/runs.js';
import { occasionOf } from '../../protocol/machine/status.js';
import { defined, type Value } from '../../protocol/text.js';

/** The events that a hook can be set for: the config key of `ask` is `hook_ask`. */
export const HOOK_EVENTS = ['ask', 'fail', 'done', 'budget', 'limit'] as const;

/** One of them. */
export type HookName = (typeof HOOK_EVENTS)[number];

/** The document that a hook gets on stdin; times in ISO form, costs are those of the whole run. */
export interface HookEvent {
  readonly event: HookName;
  readonly runId: string;
  readonly workflow: string;
  /** Absent when the event is about the whole run. */
  readonly agentId?: string;
  readonly status?: string;
  readonly askId?: string;
  readonly prompt?: string;
  readonly error?: string;
  readonly costUsd: number;
  readonly budgetUsd?: number;
  readonly until?: string;
  readonly uiUrl?: string;
  readonly at: string;
}

/** Something to tell; a long prompt may still lie in the artifact store. */
export interface Occasion {
  readonly key: string;
  readonly event: HookName;
  readonly facts: Pick<HookEvent, 'agentId' | 'status' | 'askId' | 'error' | 'until'> & { readonly prompt?: Value };
}

type AgentLine = RunView['agents'][number];

/** All that a look at a run shows. A wait may be one for something else than a limit: that says the agent's history. */
export function occasionsOf(view: RunView): readonly Occasion[] {
  return [...view.agents.flatMap(ofAgent), ...ofEnd(view)];
}

/** The key of an agent's failure: whoever is resumed may fail again. */
export function failureKey(agentId: string): string {
  return `fail ${agentId}`;
}

/** True for an agent that cannot go on. */
export function hasFailed({ status }: Pick<AgentLine, 'status'>): boolean {
  return status === 'failed' || status === 'lost';
}

function ofAgent({ id: agentId, status, error, until, ask }: AgentLine): readonly Occasion[] {
  const facts = { agentId, status, ...defined({ error, until: isoTime(until) }) };
  if (hasFailed({ status })) return [{ key: failureKey(agentId), event: 'fail', facts }];
  if (status === 'waiting' && until !== undefined) return [{ key: `limit ${agentId} ${until}`, event: 'limit', facts }];
  if (ask === undefined) return [];
  const asked = { askId: ask.id, ...defined({ prompt: ask.prompt }) };
  return [{ key: `ask ${occasionOf(ask)}`, event: 'ask', facts: { ...facts, ...asked } }];
}

function ofEnd({ open, status, endedAt }: RunView): readonly Occasion[] {
  if (open) return [];
  const facts = { status };
  const end = (event: HookName): Occasion => ({ key: `${event} at ${endedAt?.toISOString() ?? ''}`, event, facts });
  const special = status === 'failed' ? [end('fail')] : status === 'over-budget' ? [end('budget')] : [];
  return [...special, end('done')];
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
