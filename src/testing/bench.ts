// What all cases of a call share: a Temporal server in memory, one worker with the real activities, and the scripted backend in the place of
// Claude. Knows nothing of what is expected of a run.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../activities/types.js';
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

/** A run of a case, as the bench needs it. */
export interface BenchRun extends ScriptedRun {
  readonly progress: (news: Progress) => void;
}

/** Who calls, and who hears of a server that must be fetched. */
export interface BenchOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cli?: string | undefined;
  readonly report: (line: string) => void;
}

/** The bench while it is open. */
export interface TestBench {
  readonly link: Link;
  readonly artifacts: ArtifactStore;
  /** Where everything lies that cases make. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** A git repository with one empty commit, to be copied. */
  readonly repository: string;
  /** Makes a run known before it starts. */
  expect(runId: string, run: BenchRun): void;
  /** Ends it; with `keep` the files of the cases stay. */
  close(options: { readonly keep: boolean }): Promise<void>;
}

/** Turns of tests are short: more of them at once than of models. */
const AT_ONCE = 32;

/** Opens a bench. Throws a `ServerError` when there is no server to be had. */
export async function openBench({ env, cli, report }: BenchOptions): Promise<TestBench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'raymond-bench-')));
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
    const runs = new Map<string, BenchRun>();
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
  }: Pick<BenchOptions, 'report'> & {
    readonly raymondDir: string;
    readonly artifacts: ArtifactStore;
  },
): Promise<Link> {
  const silence = await installRuntime(({ level, message }) => {
    if (level === 'ERROR') report(`temporal: ${message}`);
  });
  const target = { address, namespace: 'default', options: { address } };
  const link = await connect(target, { keys: NO_KEYS, store, secret: await projectSecret(raymondDir) });
  return { ...link, close: () => link.close().finally(silence) };
}

async function workOn(
  { connection, namespace, dataConverter }: Link,
  {
    runs,
    raymondDir,
    env,
  }: Pick<BenchOptions, 'env'> & {
    readonly runs: ReadonlyMap<string, BenchRun>;
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
    progress: (news) => runs.get(news.runId)?.progress(news),
  });
}
