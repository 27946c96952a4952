// Ends what earlier attempts of a turn left on this host, found by their names, before another one
// starts. The server decides which attempts are earlier: no attempt ends a later one.
import type { Survivor } from '../../launcher/client.js';
import { activityKey, removeTemporary } from './attempt-names.js';
import type { ChainedTurn, TurnProgress, TurnRequest } from '../../contract/turns.js';
import type { WorkerContext } from '../worker-context.js';
import type { ActivityContext } from './receipts.js';

/** The attempt that ends the earlier ones. */
interface LaterAttempt {
  readonly worker: Pick<WorkerContext, 'launcher' | 'settings' | 'environment'>;
  readonly request: TurnRequest;
  readonly context: ActivityContext;
  reportProgress(event: TurnProgress): void;
}

/** The common name of all attempts of a turn; `link` counts the earlier turns of its activity. */
export function keyOf({ context }: Pick<LaterAttempt, 'context'>, link: number): string {
  const { workflowExecution, activityId } = context.info;
  return activityKey({ workflowRunId: workflowExecution?.runId ?? '', activityId, link });
}

/**
 * Ends what is left of earlier attempts of the same activity on this host, of the turn after those
 * in `done`.
 */
export async function endEarlierAttempts(attempt: LaterAttempt, done: readonly ChainedTurn[] = []): Promise<void> {
  const { worker, context, request } = attempt;
  const { lostActivities = [], runId, agent } = request;
  if (context.info.attempt === 1 && lostActivities.length === 0) return;
  context.heartbeat(() => (done.length === 0 ? undefined : { chain: done }));
  const key = keyOf(attempt, done.length);
  const earlier = [
    ...Array.from({ length: context.info.attempt - 1 }, (_, n) => `${key}-${n + 1}`),
    // On the queue of one host an activity has one attempt.
    ...lostActivities.map((activity) => `${activityKey(activity)}-1`),
  ];
  const { survivors } = await worker.launcher.sweep({ attempts: earlier });
  warnOfSurvivors(attempt, survivors);
  const { environment } = worker;
  await removeTemporary(worker.settings.raymondDir, { runId, agentId: agent.id, environment });
}

/** Warns of processes of the turn that could not be ended. */
export function warnOfSurvivors(attempt: Pick<LaterAttempt, 'reportProgress'>, survivors: readonly Survivor[]): void {
  for (const { pid, state, why } of survivors) {
    const reason =
      why === 'forbidden'
        ? 'belongs to another user'
        : `does not exit (state ${state}: it waits in the kernel, usually for a disk)`;
    attempt.reportProgress({
      kind: 'warned',
      text: `process ${pid} of this turn is still running: it ${reason}; kill it manually`,
    });
  }
}
