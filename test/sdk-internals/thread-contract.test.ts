// What thread-worker.ts relies on inside the SDK. A failure here means that a release of the SDK has changed it: read ADR 0007, compare
// createWorkflowCreator with that of the SDK, or switch it off for good.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Worker as Thread } from 'node:worker_threads';
import { afterEach, expect, jest, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { ThreadedVMWorkflowCreator, WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import { THREAD_FILE } from '../../src/sdk-internals/thread.js';
import { ThreadWorker, workerClass } from '../../src/sdk-internals/thread-worker.js';

const require = createRequire(import.meta.url);

interface Creating {
  createWorkflowCreator(bundle: object, options: object, logger: object): Promise<object>;
}

const BUNDLE = { code: '', sourceMap: {}, filename: 'bundle.js' };
const OPTIONS = {
  activities: new Map([['runPrompt', () => undefined]]),
  isolateExecutionTimeoutMs: 5000,
  reuseV8Context: true,
  workflowThreadPoolSize: 1,
  debugMode: false,
};

const sourceOf = (owner: object, method: string): string =>
  String(Object.getOwnPropertyDescriptor(owner, method)?.value);

const threads: Thread[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const thread of threads.splice(0)) await thread.terminate();
});

/** What a class of workers makes of the options, and what it sends to the thread that it starts. */
async function created(workers: object): Promise<{ readonly creator: object; readonly sent: readonly object[] }> {
  const sent: object[] = [];
  jest.spyOn(WorkerThreadClient.prototype, 'send').mockImplementation(function (this: unknown, input) {
    threads.push((this as { readonly workerThread: Thread }).workerThread);
    sent.push(input);
    return Promise.resolve(undefined);
  });
  const logger = { trace: () => undefined, error: () => undefined };
  const creator = await (workers as Creating).createWorkflowCreator(BUNDLE, OPTIONS, logger);
  return { creator, sent };
}

test('a thread of ours is told what the SDK tells its own, but for the limit of the watchdog', async () => {
  const theirs = await created(Worker);
  expect(theirs.sent).toEqual([
    {
      type: 'init',
      workflowBundle: BUNDLE,
      isolateExecutionTimeoutMs: 5000,
      reuseV8Context: true,
      registeredActivityNames: new Set(['runPrompt']),
      hasPatchActivationCallback: false,
    },
  ]);
  const ours = await created(ThreadWorker);
  const [{ isolateExecutionTimeoutMs: _watched, ...told }] = theirs.sent as [Record<string, unknown>];
  expect(ours.sent).toEqual([told]);
});

test('what comes of it is the same: one creator with one client', async () => {
  for (const workers of [Worker, ThreadWorker]) {
    const { creator } = await created(workers);
    expect(creator).toBeInstanceOf(ThreadedVMWorkflowCreator);
    expect(Object.keys(creator)).toEqual(['workerThreadClients']);
    expect((creator as { readonly workerThreadClients: readonly unknown[] }).workerThreadClients).toEqual([
      expect.any(WorkerThreadClient),
    ]);
  }
});

test('the SDK takes its creator from the method that is overridden, and runs the same file in its threads', () => {
  expect(sourceOf(Worker, 'create')).toContain('await this.createWorkflowCreator(bundle, compiledOptions, logger)');
  expect(sourceOf(ThreadedVMWorkflowCreator, 'create')).toContain(
    "new node_worker_threads_1.Worker(require.resolve('./workflow-worker-thread'))",
  );
  const folder = dirname(require.resolve('@temporalio/worker/lib/workflow/threaded-vm.js'));
  expect(require.resolve(THREAD_FILE)).toBe(join(folder, 'workflow-worker-thread.js'));
});

test.each<[string, NodeJS.ProcessEnv, object]>([
  ['ours', {}, ThreadWorker],
  ["the SDK's", { RAYMOND_SDK_THREADS: 'on' }, Worker],
  ['ours', { RAYMOND_SDK_THREADS: 'off' }, ThreadWorker],
])('the worker is %s with %o', (_whose, env, expected) => {
  expect(workerClass(env)).toBe(expected);
});
