// The thread of this process that will interpret workflows, started while the rest of the program still loads: its own loading takes 0.2 s,
// which would otherwise be waited for. Whoever makes a worker takes it; what the worker does with it is the SDK's.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

let ahead: Worker | undefined;

/** Starts a thread for the first worker of this process. When it comes to nothing, the worker makes its own, and says what is wrong. */
export function startThreadAhead({ TEMPORAL_DEBUG: debug }: NodeJS.ProcessEnv): void {
  if (ahead !== undefined || debug !== undefined) return;
  const file = createRequire(import.meta.url).resolve('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
  const thread = new Worker(file);
  ahead = thread;
  const forget = (): void => {
    if (ahead === thread) ahead = undefined;
  };
  thread.once('error', forget).once('exit', forget);
  // Wrong usage must not wait for it.
  thread.unref();
}

/** The thread that was started ahead, for one worker alone. */
export function takeThread(): Worker | undefined {
  const thread = ahead;
  ahead = undefined;
  thread?.ref();
  return thread;
}
