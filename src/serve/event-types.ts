// The events of the event stream, as schemas. An event says what has changed and its new value; for the whole state,
// clients read the routes.
import { z } from 'zod';
import { count, list, runStatus, text, time, usd } from '../client/documents/document-parts.js';
import { DOCUMENTS } from '../client/documents/documents.js';

const agentStatus = DOCUMENTS.status.shape.agents.unwrap().element.shape.status;
const ofTurn = { runId: text, agentId: text, state: text, turn: count, attempt: count, at: time };

/** All kinds of events; the SSE field `event` is their `type`, `data` the whole as JSON. */
export const event = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run'),
    runId: text,
    workflow: text.optional(),
    status: runStatus,
    open: z.boolean(),
    costUsd: usd.optional(),
    asks: count,
    startedAt: time,
    endedAt: time.optional(),
  }),
  z.strictObject({
    type: z.literal('agent'),
    runId: text,
    agentId: text,
    state: text,
    status: agentStatus,
    costUsd: usd,
  }),
  z.strictObject({ type: z.literal('turn.started'), ...ofTurn }),
  z.strictObject({ type: z.literal('said'), ...ofTurn, text }),
  z.strictObject({ type: z.literal('printed'), ...ofTurn, text }),
  z.strictObject({ type: z.literal('warned'), ...ofTurn, text }),
  z.strictObject({
    type: z.literal('turn.ended'),
    ...ofTurn,
    how: z.enum(['transition', 'problem', 'failed', 'cancelled']),
    costUsd: usd.optional(),
    durationMs: z.number().optional(),
    message: text.optional(),
  }),
  /** A question was asked, or was closed. */
  z.strictObject({ type: z.literal('ask'), runId: text, agentId: text, askId: text, open: z.boolean() }),
  /** Events are missing: read everything again. `runs` absent = of all runs. */
  z.strictObject({ type: z.literal('gap'), runs: list(text).optional() }),
]);
