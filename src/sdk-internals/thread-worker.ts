// The SDK's worker on a thread of ours (thread.ts), without its watchdog, which starts a thread of the operating system for every call into a
// workflow (ADR 0007). The SDK has no option for either, so this overrides a protected method and sends the thread its first message itself.
import { Worker } from '@temporalio/worker';
import { ThreadedVMWorkflowCreator, WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import { takeThread, wantsSdkThreads } from './thread.js';

/** The class of workers that interpret workflows, as the environment asks for it. */
export function workerClass(env: NodeJS.ProcessEnv): typeof Worker {
  return wantsSdkThreads(env) ? Worker : ThreadWorker;
}

/** Leaves everything but the thread and its watchdog to the SDK. */
export class ThreadWorker extends Worker {
  protected static override async createWorkflowCreator(
    ...[workflowBundle, { isolateExecutionTimeoutMs: _watched, ...options }, logger]: Parameters<
      typeof Worker.createWorkflowCreator
    >
  ): ReturnType<typeof Worker.createWorkflowCreator> {
    const unwatched = options as Parameters<typeof Worker.createWorkflowCreator>[1];
    if (options.debugMode) return await super.createWorkflowCreator(workflowBundle, unwatched, logger);
    const client = new WorkerThreadClient(takeThread(), logger);
    await client.send({
      type: 'init',
      workflowBundle,
      reuseV8Context: true,
      registeredActivityNames: new Set(options.activities.keys()),
      hasPatchActivationCallback: false,
    } as Parameters<WorkerThreadClient['send']>[0]);
    return new ThreadedVMWorkflowCreator([client]);
  }
}
