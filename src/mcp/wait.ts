// Waits for a run within one call, with progress: to its end, to a pause, to a question, or to the end of the time.
import { z } from 'zod';
import { findRun, followRun } from '../client/operations.js';
import type { Raymond } from '../client/open.js';
import type { RunView } from '../client/look/runs.js';
import { dollars } from '../protocol/text.js';
import type { ToolCall } from './tool.js';

/** How long a call may wait. */
export const WAIT_SECONDS = z
  .number()
  .min(0)
  .max(600)
  .default(0)
  .describe('Wait up to this many seconds until the run has ended or paused, or a person has to answer (default: 0)');

/** Clients extend the time that they wait for an answer when they hear of progress. */
const PROGRESS_EVERY_MS = 5000;

/** The run after the wait, or as it is now without one. A client that cancels the wait does not stop the run. */
export async function waitForRun(
  raymond: Raymond,
  { runId, seconds, call }: { readonly runId: string; readonly seconds: number; readonly call: ToolCall },
): Promise<RunView> {
  if (seconds === 0) return await findRun(raymond, { runId });
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(seconds * 1000)]);
  const onView = reporter(call, seconds);
  return (await followRun(raymond, { runId, onAsk: 'exit', signal, onView })) ?? (await findRun(raymond, { runId }));
}

/** Reports when something has changed, and now and then that nothing has. */
function reporter({ progress }: ToolCall, seconds: number): (view: RunView) => void {
  const started = performance.now();
  let last = { text: '', at: -Infinity };
  return (view) => {
    const at = performance.now() - started;
    const text = lineOf(view);
    if (text === last.text && at - last.at < PROGRESS_EVERY_MS) return;
    last = { text, at };
    progress({ done: Math.min(at / 1000, seconds), total: seconds, message: text });
  };
}

function lineOf({ status, costUsd, agents }: RunView): string {
  const running = agents.filter((agent) => agent.status === 'running');
  const where = running.map(({ id, state }) => `${id} in ${state}`).join(', ');
  return [status, where, dollars(costUsd)].filter((part) => part !== '').join(' · ');
}
