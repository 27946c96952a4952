// Values of 3 MB on every way that values take through Temporal, by a real server and a real worker: each arrives whole, none ends a
// workflow, and what Temporal stores is small. In the open, and encrypted and marked.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client as TemporalClient, WorkflowFailedError as WorkflowFailed } from '@temporalio/client';
import type { ApplicationFailure as Failure } from '@temporalio/common';
import type { NativeConnection as Connection, Worker as TemporalWorker } from '@temporalio/worker';
import { installRuntime } from '../../dist/client/connect.js';
import { converterOf } from '../../dist/codec/converter.js';
import { NO_KEYS, type Keyring } from '../../dist/codec/keys.js';
import { refusing } from '../../dist/codec/refused.js';
import { projectSecret } from '../../dist/codec/secret.js';
import { guardOptions } from '../../dist/codec/worker-guard.js';
import { hidingFailures } from '../../dist/codec/workflow-failures.js';
import { FolderStore } from '../../dist/store/folder.js';
import { beforeRemoval, folder } from '../support/folder.js';
import { sharedServer } from '../support/shared-server.js';
import { until } from '../support/until.js';
import { byNode } from '../support/by-node.js';

const { Client, WorkflowFailedError } = await byNode('@temporalio/client');
const { ApplicationFailure } = await byNode('@temporalio/common');
const { activityInfo, heartbeat } = await byNode('@temporalio/activity');
const { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } = await byNode('@temporalio/worker');

const LARGE = { text: 'é'.repeat(1_500_000), end: true };
const KEYS: Keyring = { keys: [{ id: 'a', secret: Buffer.alloc(32, 7) }] };

const activities = {
  echo: (value: unknown) => Promise.resolve(value),
  /** The first attempt leaves the value in its heartbeat, the second one finds it there. */
  beat: async (value: unknown) => {
    const { attempt, heartbeatDetails } = activityInfo();
    if (attempt > 1) return heartbeatDetails as unknown;
    heartbeat(value);
    return await Promise.reject(new Error('once more'));
  },
  fail: (value: unknown) =>
    Promise.reject(ApplicationFailure.create({ nonRetryable: true, message: 'no', details: [value] })),
};

let connection: Connection;
let bundle: string;
beforeAll(async () => {
  // Activities fail here on purpose.
  await installRuntime(() => undefined);
  connection = await NativeConnection.connect({ address: await sharedServer() });
  const logger = new DefaultLogger('ERROR', () => undefined);
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const { code } = await bundleWorkflowCode({
    workflowsPath: at('large-workflow.mjs'),
    failureConverterPath: at('../../dist/codec/workflow-failures.js'),
    workflowInterceptorModules: [at('../../dist/codec/workflow-guard.js')],
    logger,
  });
  bundle = code;
});
afterAll(() => connection.close());

describe.each([
  ['in the open', NO_KEYS, false],
  ['encrypted and marked', KEYS, true],
])('a value of 3 MB, %s', (_how, keys, marked) => {
  const taskQueue = `large-${process.pid}-${String(marked)}`;
  const said: string[] = [];
  let client: TemporalClient;
  let running: Promise<void>;
  let worker: TemporalWorker;

  beforeAll(async () => {
    const raymondDir = await folder();
    const store = new FolderStore(join(raymondDir, 'artifacts'));
    const secret = marked ? { secret: await projectSecret(raymondDir) } : {};
    const dataConverter = converterOf({ keys, store, log: (line) => said.push(line), ...secret });
    client = new Client({ connection, dataConverter });
    worker = await Worker.create({
      connection,
      taskQueue,
      activities,
      dataConverter,
      // Every task is replayed, so that what is fetched is fetched again.
      maxCachedWorkflows: 0,
      ...guardOptions(dataConverter),
      workflowBundle: { code: marked ? refusing(hidingFailures(bundle)) : bundle },
    });
    running = worker.run();
    beforeRemoval(stop);
  });
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await running;
  };
  afterAll(stop);

  const idOf = (name: string): string => `${taskQueue}-${name}`;
  const begin = async (name: string, args: readonly unknown[] = [{}], memo: Record<string, unknown> = {}) =>
    await client.workflow.start(name, { workflowId: idOf(name), taskQueue, args: [...args], memo });

  /** What the server keeps of a workflow is small. */
  const storedBytes = async (name: string): Promise<number> =>
    (await client.workflow.getHandle(idOf(name)).describe()).historySize ?? Infinity;

  test('as input, result, and over a continue-as-new', async () => {
    expect(await (await begin('passOn', [LARGE])).result()).toEqual(LARGE);
    expect(await storedBytes('passOn')).toBeLessThan(20_000);
  });

  test('as memo, signal, update and its result, and as what a query answers', async () => {
    const handle = await begin('listen', [{}], { given: LARGE });
    expect((await handle.describe()).memo).toEqual({ given: LARGE });
    await handle.signal('signal', LARGE);
    expect(await handle.executeUpdate('update', { args: [LARGE] })).toEqual(LARGE);
    const both = { signal: LARGE, update: LARGE };
    expect(await handle.query('heard')).toEqual(both);
    expect(await handle.result()).toEqual(LARGE);
    expect((await handle.describe()).memo).toEqual({ given: LARGE, heard: both });
    const listed = async () => {
      for await (const { workflowId, memo } of client.workflow.list({ query: `TaskQueue = "${taskQueue}"` }))
        if (workflowId === idOf('listen')) return memo;
      return undefined;
    };
    expect(await until(listed, { what: 'a line in the list' })).toMatchObject({ given: LARGE });
    expect(await storedBytes('listen')).toBeLessThan(20_000);
  });

  test('as input, result, heartbeat and failure of an activity', async () => {
    const handle = await begin('work', [LARGE]);
    expect(await handle.result()).toEqual({ echoed: LARGE, beaten: LARGE, details: LARGE });
    expect(await storedBytes('work')).toBeLessThan(20_000);
  });

  test('in the details of a failure that closes a workflow', async () => {
    const handle = await begin('failing', [LARGE]);
    const failed = (await handle.result().catch((error: unknown) => error)) as WorkflowFailed;
    expect(failed).toBeInstanceOf(WorkflowFailedError);
    expect((failed.cause as Failure).details).toEqual([LARGE]);
    expect(await storedBytes('failing')).toBeLessThan(20_000);
  });

  test('is reported once, with its size and what it is, and nothing that is in it', () => {
    const of3MB = said.filter((line) => line.includes('"json/plain" with "text", "end"'));
    expect(of3MB).toEqual([
      expect.stringMatching(/^a value of 2930 KiB for the workflow "large-.*-passOn" is too large for Temporal: /),
    ]);
    expect(said.join()).not.toContain('é');
  });
});
