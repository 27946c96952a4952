// What an operator's order changes in an agent: its pause, its notes, its move, and what it waits for after a failure.
import { assertNever } from '../failure.js';
import { defined } from '../text.js';
import type { AgentState, RetryHold } from './agent.js';
import type { Agent, Order } from './inbox.js';
import { reopened, unlessExpired } from './wait.js';

/** The agent after an order. */
export function applyOrder(agent: Agent, order: Order, now: number): Agent {
  const { record, memory } = agent;
  switch (order.kind) {
    case 'pause':
      return { ...agent, record: { ...record, pausedBy: order.by } };
    case 'note':
      return { ...agent, record: { ...record, operatorNotes: [...(record.operatorNotes ?? []), order.note] } };
    case 'withdraw':
      return withoutNotes(agent);
    case 'move':
      return { ...withoutFailure(agent), record: { ...record, move: order.move } };
    case 'resume': {
      const { pausedBy, forksPausedBy: before, ...rest } = record;
      const forksPausedBy = order.by === undefined ? undefined : (pausedBy ?? before);
      const unpaused = { ...rest, ...defined({ forksPausedBy }) };
      const { ending } = memory;
      const failure = ending?.kind === 'failed' ? { failure: ending.failure } : {};
      const again = ending === undefined ? unpaused : reopened({ agent: unpaused, ...failure });
      return { ...withoutFailure(agent), record: resume(again, now) };
    }
    default:
      return assertNever(order);
  }
}

/** A prompt in progress keeps the notes that it has received. */
function withoutNotes({ record, inbox, memory }: Agent): Agent {
  const { operatorNotes = [], ...rest } = record;
  const received = memory.work === 'turn' ? operatorNotes.slice(0, memory.notesGiven) : [];
  const withdrawn = memory.stored === undefined ? {} : ({ withdrawn: true } as const);
  return {
    inbox,
    record: { ...rest, ...(received.length === 0 ? {} : { operatorNotes: received }) },
    memory: { ...memory, ...withdrawn },
  };
}

/** An agent that is about to end with a failure continues instead. */
function withoutFailure(agent: Agent): Agent {
  const { ending, ...memory } = agent.memory;
  return ending?.kind === 'failed' ? { ...agent, memory } : agent;
}

function resume(record: AgentState, now: number): AgentState {
  const { hold, ...rest } = record;
  if (hold?.kind === 'paused') return rest;
  if (hold?.kind === 'ask' || hold?.kind === 'await') return { ...record, hold: unlessExpired(hold, now) };
  if (hold?.kind === 'workspace') return { ...record, hold: { ...hold, until: now } };
  return hold?.kind === 'retry' ? retry(record, hold, { now, byOperator: true }) : record;
}

/** The record for a retry. An operator's retry ignores a known limit, and starts with all retries. */
export function retry(
  record: AgentState,
  { then, until, resetsAt }: RetryHold,
  { now, byOperator }: { readonly now: number; readonly byOperator: boolean },
): AgentState {
  const { hold: _over, ...rest } = record;
  const { tries, ...nextTurn } = record.nextTurn ?? {};
  const limits =
    byOperator && resetsAt !== undefined && now < resetsAt ? ({ limited: {}, ignoreKnownLimits: true } as const) : {};
  const known = { ...nextTurn, ...(until === undefined ? {} : defined({ tries })), ...limits };
  // What was awaited before the failure is awaited again at once.
  const after = then?.kind === 'workspace' ? { ...then, until: now } : then;
  return { ...rest, ...defined({ hold: after }), ...(Object.keys(known).length === 0 ? {} : { nextTurn: known }) };
}
