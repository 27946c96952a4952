// Threads that interpret workflows. A command that will serve a run starts one while it still loads the SDK: a thread needs 0.2 s to load,
// which would otherwise be waited for. What runs in it is the SDK's; this module
// loads nothing of that, for it must be ahead of it.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

let ahead: Worker | undefined;

/** Starts a thread for the first worker of this process; when it comes to nothing, that worker starts its own, and says what is wrong. */
export function startThreadAhead({ TEMPORAL_DEBUG: debug }: NodeJS.ProcessEnv): void {
  // The SDK interprets in the main thread then.
  if (ahead !== undefined || debug !== undefined) return;
  const thread = newThread();
  ahead = thread;
  const forget = (): void => {
    if (ahead === thread) ahead = undefined;
  };
  thread.once('error', forget).once('exit', forget);
  // A command that ends before it needs the thread does not wait for it.
  thread.unref();
}

/** The thread that was started ahead, for one worker alone; else a new one. */
export function takeThread(): Worker {
  const thread = ahead ?? newThread();
  ahead = undefined;
  thread.ref();
  return thread;
}

function newThread(): Worker {
  return new Worker(
    createRequire(import.meta.url).resolve('@temporalio/worker/lib/workflow/workflow-worker-thread.js'),
  );
}
