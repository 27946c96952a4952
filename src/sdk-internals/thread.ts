// Threads that interpret workflows (ADR 0007). A command that will serve a run starts one while it still loads the SDK: a thread needs 0.2 s
// to load, which would otherwise be waited for. What runs in it is the SDK's own file; this module loads nothing of the SDK, for it must be
// ahead of it.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** With the value `on` the SDK starts its own threads, and watches them (ADR 0007). */
export const THREADS_VARIABLE = 'RAYMOND_SDK_THREADS';

/** The file of the SDK that runs in a thread. */
export const THREAD_FILE = '@temporalio/worker/lib/workflow/workflow-worker-thread.js';

let ahead: Worker | undefined;

/** True when a worker with this environment leaves its threads to the SDK. */
export function wantsSdkThreads({ [THREADS_VARIABLE]: wanted }: NodeJS.ProcessEnv): boolean {
  return wanted === 'on';
}

/** Starts a thread for the first worker of this process; when it comes to nothing, that worker starts its own, and says what is wrong. */
export function startThreadAhead(env: NodeJS.ProcessEnv): void {
  // With TEMPORAL_DEBUG the SDK interprets in the main thread.
  if (ahead !== undefined || env['TEMPORAL_DEBUG'] !== undefined || wantsSdkThreads(env)) return;
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
  return new Worker(createRequire(import.meta.url).resolve(THREAD_FILE));
}
