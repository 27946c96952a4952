// Everything that the cases of a call share: an in-memory Temporal server, one worker with the real activities, and the
// scripted backend instead of Claude. It knows nothing of a run's expected results.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../contract/turns.js';
import { DEFAULT_SETTINGS } from '../activities/settings.js';
import type { TurnWatcher } from '../activities/watch.js';
import { onlyBackend } from '../backends/backends.js';
import { ScriptedBackend, type ScriptedRun } from '../backends/scripted/backend.js';
import { connect, installRuntime, type Link } from '../client/connect.js';
import { NO_KEYS } from '../codec/keys.js';
import { projectSecret } from '../codec/secret.js';
import { makePrivateFolder } from '../host/files.js';
import { startEphemeralServer, type EphemeralServer } from '../server/ephemeral.js';
import { openStore } from '../store/open.js';
import type { ArtifactStore } from '../store/store.js';
import { startWorker, type RaymondWorker } from '../worker/index.js';
import { makeRepository } from './repository.js';

/** The queue of all runs of tests. */
export const TEST_QUEUE = 'raymond-test';

/** A run of a case. */
interface TestRun extends ScriptedRun {
  readonly progress: (event: Progress) => void;
}

/** The caller, and a callback for the case that a server must be downloaded. */
interface TestEnvironmentOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cli?: string | undefined;
  readonly report: (line: string) => void;
}

/** The test environment while it is open. */
export interface TestEnvironment {
  readonly link: Link;
  readonly artifacts: ArtifactStore;
  /** The folder of all files that cases make. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** A git repository with one empty commit, the template of every case's folder. */
  readonly repository: string;
  /** Registers a run before it starts. */
  expect(runId: string, run: TestRun): void;
  /** Closes the environment; with `keep` the files of the cases stay. */
  close(options: { readonly keep: boolean }): Promise<void>;
}

/** Turns of tests are short, so more of them run at once than turns with real models. */
const AT_ONCE = 32;

/** Opens a test environment. Throws a `ServerError` when no server can be started. */
export async function openTestEnvironment({ env, cli, report }: TestEnvironmentOptions): Promise<TestEnvironment> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'raymond-test-')));
  const raymondDir = join(folder, '.raymond');
  await makePrivateFolder(raymondDir);
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const [server, repository] = await Promise.all([startEphemeralServer({ cli, report }), makeRepository(folder)]);
    closing.push(() => server.stop());
    const artifacts = openStore({ dir: join(raymondDir, 'artifacts') }, {});
    const link = await linkTo(server, { raymondDir, artifacts, report });
    closing.push(() => link.close());
    const runs = new Map<string, TestRun>();
    const worker = await workOn(link, { runs, raymondDir, env });
    closing.push(() => worker.drain());
    return {
      ...{ link, artifacts, folder, env, repository },
      expect: (runId, run) => void runs.set(runId, run),
      close: async ({ keep }) => {
        await close();
        if (!keep) await removed(folder);
      },
    };
  } catch (error) {
    await close();
    await removed(folder);
    throw error;
  }
}

async function removed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function linkTo(
  { address }: EphemeralServer,
  {
    raymondDir,
    artifacts: store,
    report,
  }: Pick<TestEnvironmentOptions, 'report'> & {
    readonly raymondDir: string;
    readonly artifacts: ArtifactStore;
  },
): Promise<Link> {
  const restoreRuntime = await installRuntime(({ level, message }) => {
    if (level === 'ERROR') report(`temporal: ${message}`);
  });
  const target = { address, namespace: 'default', options: { address } };
  const link = await connect(target, { keys: NO_KEYS, store, secret: await projectSecret(raymondDir) });
  return { ...link, close: () => link.close().finally(restoreRuntime) };
}

async function workOn(
  { connection, namespace, dataConverter }: Link,
  {
    runs,
    raymondDir,
    env,
  }: Pick<TestEnvironmentOptions, 'env'> & {
    readonly runs: ReadonlyMap<string, TestRun>;
    readonly raymondDir: string;
  },
): Promise<RaymondWorker> {
  const backend = new ScriptedBackend((runId) => runs.get(runId));
  const watcher: TurnWatcher = {
    begin: (turn) => {
      backend.learn(turn);
      return { environment: {}, end: () => undefined };
    },
  };
  return await startWorker({
    ...{ connection, namespace, dataConverter, backends: onlyBackend(backend) },
    taskQueue: TEST_QUEUE,
    settings: {
      ...DEFAULT_SETTINGS,
      raymondDir,
      maxPrompts: AT_ONCE,
      maxScripts: AT_ONCE,
      graceMs: 500,
      shortestLimitMs: 0,
    },
    environment: env,
    watchers: [watcher],
    drainMs: 0,
    stickyMs: 5000,
    maxCachedWorkflows: 500,
    progress: (event) => runs.get(event.runId)?.progress(event),
  });
}
