// The hook events that a run's state gives: questions, failures, ends, waits for a limit. Each has a key, so that it is
// reported once, however many processes read the run.
import type { RunView } from '../../client/look/runs.js';
import { occasionOf } from '../../protocol/machine/status.js';
import type { Labels } from '../../protocol/labels.js';
import { defined, type Value } from '../../protocol/text.js';

/** The events that a hook can be set for: the config key of `ask` is `hook_ask`. */
export const HOOK_EVENTS = ['ask', 'fail', 'done', 'budget', 'limit'] as const;

/** The name of an event. */
export type HookName = (typeof HOOK_EVENTS)[number];

/** The document that a hook gets on stdin; times in ISO form, costs are those of the whole run. */
export interface HookEvent {
  readonly event: HookName;
  readonly runId: string;
  readonly workflow: string;
  readonly labels?: Labels;
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

/** An event to report; a long prompt may still be in the artifact store. */
export interface Occasion {
  readonly key: string;
  readonly event: HookName;
  readonly facts: Pick<HookEvent, 'agentId' | 'status' | 'askId' | 'error' | 'until'> & { readonly prompt?: Value };
}

type AgentLine = RunView['agents'][number];

/** All events in a run's state. Only the agent's history says whether a wait is for a limit. */
export function occasionsOf(view: RunView): readonly Occasion[] {
  return [...view.agents.flatMap(ofAgent), ...ofEnd(view)];
}

/** The key of an agent's failure: a resumed agent may fail again. */
export function failureKey(agentId: string): string {
  return `fail ${agentId}`;
}

/** True for an agent that cannot continue. */
export function hasFailed({ status }: Pick<AgentLine, 'status'>): boolean {
  return status === 'failed' || status === 'lost';
}

function ofAgent({ id: agentId, status, error, until, ask }: AgentLine): readonly Occasion[] {
  const facts = { agentId, status, ...defined({ error, until: isoTime(until) }) };
  if (hasFailed({ status })) return [{ key: failureKey(agentId), event: 'fail', facts }];
  if (status === 'waiting' && until !== undefined) return [{ key: `limit ${agentId} ${until}`, event: 'limit', facts }];
  if (ask === undefined) return [];
  const askFacts = { askId: ask.id, ...defined({ prompt: ask.prompt }) };
  return [{ key: `ask ${occasionOf(ask)}`, event: 'ask', facts: { ...facts, ...askFacts } }];
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
