// Answering questions: the agent that asked checks the answer at once, before it counts.
// Must not serve the run; large texts and files are stored by the caller.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Answer } from '../protocol/wait.js';
import { agentWorkflowId, askerOf } from '../protocol/ids.js';
import type { AskLine } from '../workflows/contract.js';
import { ClientError } from './error.js';
import type { RunView } from './runs.js';

/** How long an agent is looked for that may be just continuing as new, and how long its answer is waited for. */
const LOOKED_FOR_MS = 5000;
const ANSWERED_MS = 30_000;

/** A question of a run. `line` is what is known of it: nothing, when too many agents ask. */
export interface AskedBy {
  readonly askId: string;
  readonly agentId: string;
  readonly line?: AskLine;
}

/** Finds the question that is meant: the named one, or the only open one. Throws `NoSuchAsk`. */
export function findAsk({ runId, agents, agentsHidden = 0 }: RunView, askId: string | undefined): AskedBy {
  const open = agents.flatMap(({ id, ask }) => (ask === undefined ? [] : [{ askId: ask.id, agentId: id, line: ask }]));
  const shown = open.map((ask) => ask.askId).join(', ');
  if (askId === undefined) {
    const [only, second] = open;
    if (only !== undefined && second === undefined && agentsHidden === 0) return only;
    const which = only === undefined ? 'asks nothing at the moment' : `asks several questions; name one of ${shown}`;
    throw new ClientError('NoSuchAsk', `the run ${runId} ${which}`);
  }
  const agentId = askerOf(askId);
  if (agentId !== undefined) return open.find((ask) => ask.askId === askId) ?? { askId, agentId };
  const hint = open.length === 0 ? 'it asks nothing at the moment' : `its open questions are ${shown}`;
  throw new ClientError('NoSuchAsk', `the run ${runId} has no question "${askId}"; ${hint}`);
}

/** Hands the answer to the agent. Throws `AnswerRefused` when it does not fit, `NoSuchAsk` when the agent is gone. */
export async function sendAnswer(
  client: Client,
  { runId, agentId, answer }: { readonly runId: string; readonly agentId: string; readonly answer: Answer },
): Promise<void> {
  const handle = client.workflow.getHandle(agentWorkflowId(runId, agentId));
  for (const until = Date.now() + LOOKED_FOR_MS; ;) {
    try {
      await client.withDeadline(Date.now() + ANSWERED_MS, () => handle.executeUpdate('answer', { args: [answer] }));
      return;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw explained(error, answer);
      if (Date.now() > until) {
        const message = `the run ${runId} has no agent ${agentId} that waits for an answer`;
        throw new ClientError('NoSuchAsk', message, { cause: error });
      }
      await delay(200);
    }
  }
}

function explained(error: unknown, { askId }: Answer): unknown {
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    return new ClientError('AnswerRefused', error.cause.message, { cause: error });
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    const message = `no worker took the answer to ${askId} within ${ANSWERED_MS / 1000} s; see that one runs, then answer again`;
    return new ClientError('Unreachable', message, { cause: error });
  }
  return error;
}
