// What the benchmarks share: an embedded server on disk in a folder of its own, a Raymond worker, and runs of states written as strings.
// Must not measure anything itself.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SETTINGS } from '../dist/activities/settings.js';
import { connect, installRuntime } from '../dist/client/connect.js';
import { openPackage } from '../dist/client/start/package.js';
import { SEARCH_ATTRIBUTES } from '../dist/protocol/ids.js';
import { newRunId, startRun } from '../dist/client/start/start.js';
import { NO_KEYS } from '../dist/codec/keys.js';
import { projectSecret } from '../dist/codec/secret.js';
import { localTarget } from '../dist/client/project/local.js';
import { stopServer } from '../dist/server/index.js';
import { FolderStore } from '../dist/store/folder.js';
import { startWorker } from '../dist/worker/index.js';

const TASK_QUEUE = 'raymond-bench';

/** Opens a stage; `start` gives the id of a run, `close` removes everything. */
export async function openStage() {
  await installRuntime(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
  const raymondDir = join(folder, '.raymond');
  const store = new FolderStore(join(raymondDir, 'artifacts'));
  const { target } = await localTarget({ raymondDir, report: () => undefined });
  const link = await connect(target, { keys: NO_KEYS, store, secret: await projectSecret(raymondDir) });
  const worker = await startWorker({
    connection: link.connection,
    namespace: 'default',
    dataConverter: link.dataConverter,
    taskQueue: TASK_QUEUE,
    settings: { ...DEFAULT_SETTINGS, raymondDir, chains: process.env.BENCH_CHAINS ?? 'file' },
    environment: process.env,
    progress: () => undefined,
    drainMs: 1000,
    stickyMs: 2000,
    maxCachedWorkflows: 150,
  });
  return {
    link,
    folder,
    raymondDir,
    handle: (id) => link.client.workflow.getHandle(id),
    start: async (states, options = {}) => {
      const scope = join(folder, newRunId('flow'));
      await mkdir(scope);
      for (const [name, text] of Object.entries(states)) await writeFile(join(scope, name), text);
      const runId = newRunId('bench');
      await startRun(link.client, {
        runId,
        package: await openPackage(scope, { cwd: folder, cacheDir: raymondDir }),
        cwd: folder,
        taskQueue: TASK_QUEUE,
        turn: { permissions: 'accept-edits' },
        failFast: false,
        searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
        ...options,
      });
      return runId;
    },
    close: async () => {
      await worker.drain();
      await link.connection.close();
      await stopServer({ raymondDir });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The middle one of some numbers. */
export function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** What the machine has to do, over 1, 5 and 15 minutes. */
export function load() {
  return loadavg()
    .map((average) => average.toFixed(2))
    .join(' ');
}

/** The least, middle and greatest of some numbers. */
export function spread(numbers) {
  return { min: Math.min(...numbers), median: median(numbers), max: Math.max(...numbers) };
}

/** Tells bench/index.mjs a result: `ours` and `floor` are spreads of milliseconds, what is absent was not measured. */
export function record(result) {
  if (process.env.BENCH_JSON === '1') console.log(`#bench ${JSON.stringify(result)}`);
}
