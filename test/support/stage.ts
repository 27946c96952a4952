// A stage for workflow tests: a real Temporal server, a real worker with real activities, states written as strings.
// Runs what was built (dist): the bundle and the launcher are files of the package. When its tests are over, every history that they
// have made is replayed.
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { connect, installRuntime, type Link } from '../../dist/client/connect.js';
import { followRun } from '../../dist/client/look/follow.js';
import { openPackage } from '../../dist/client/start/package.js';
import type { RunView } from '../../dist/client/look/runs.js';
import { SEARCH_ATTRIBUTES } from '../../dist/protocol/ids.js';
import { newRunId, startRun, type StartRequest } from '../../dist/client/start/start.js';
import type { Progress } from '../../dist/contract/turns.js';
import { DEFAULT_SETTINGS, type WorkerContextSettings } from '../../dist/activities/settings.js';
import { NO_KEYS } from '../../dist/codec/keys.js';
import { projectSecret } from '../../dist/codec/secret.js';
import { FolderStore } from '../../dist/store/folder.js';
import { startWorker, type RaymondWorker } from '../../dist/worker/index.js';
import { beforeRemoval, folder } from './folder.js';
import { historiesOf, replays } from './replays.js';
import { sharedServer } from './shared-server.js';

/** The two ways in which every workflow must behave the same: with its history in memory, and replayed at every task. */
export const MODES = [
  { mode: 'cached', maxCachedWorkflows: 150 },
  { mode: 'replayed at every task, an activity for every turn', maxCachedWorkflows: 0 },
];

const [{ maxCachedWorkflows: CACHED }] = MODES as [(typeof MODES)[number]];

/** A run on the stage. */
export interface Staged {
  readonly runId: string;
  readonly cwd: string;
  readonly progress: readonly Progress[];
  /** How it ended, or how it is paused. */
  readonly ended: Promise<RunView>;
}

/** What a test may change of a start. */
export type StageOptions = Partial<Omit<StartRequest, 'package' | 'runId' | 'cwd' | 'taskQueue'>>;

/** The stage of a test file: opened before its tests, closed after them. */
export class Stage {
  link!: Link;
  raymondDir!: string;
  worker: RaymondWorker | undefined;
  private readonly progress: Progress[] = [];
  private readonly runIds: string[] = [];
  private closed: Promise<void> | undefined;
  readonly taskQueue = `stage-${process.pid}-${Math.random().toString(36).slice(2)}`;

  constructor(
    private readonly options: {
      readonly maxCachedWorkflows?: number;
      readonly env?: () => Promise<Record<string, string>>;
      readonly settings?: Partial<WorkerContextSettings>;
      /** Hears the news of the worker as they come. */
      readonly heard?: (news: Progress) => void;
    } = {},
  ) {
    beforeAll(() => this.open());
    // After its own tests, for the next stage of the file installs the runtime again; in any case before its folders go.
    afterAll(() => this.close());
    beforeRemoval(() => this.close());
  }

  /** Starts a worker for the stage's queue. */
  async work(): Promise<RaymondWorker> {
    Object.assign(process.env, await this.options.env?.());
    this.worker = await startWorker({
      connection: this.link.connection,
      namespace: this.link.namespace,
      dataConverter: this.link.dataConverter,
      taskQueue: this.taskQueue,
      settings: {
        ...DEFAULT_SETTINGS,
        raymondDir: this.raymondDir,
        heartbeatMs: 400,
        graceMs: 500,
        resultGraceMs: 500,
        chains: this.options.maxCachedWorkflows === 0 ? 'none' : 'file',
        ...this.options.settings,
      },
      environment: process.env,
      drainMs: 1000,
      stickyMs: 1000,
      maxCachedWorkflows: this.options.maxCachedWorkflows ?? CACHED,
      progress: (news) => {
        this.progress.push(news);
        this.options.heard?.(news);
      },
    });
    return this.worker;
  }

  /** Starts a run of these states in a folder of its own. */
  async start(states: Readonly<Record<string, string>>, options: StageOptions = {}): Promise<Staged> {
    const scope = await folder(states);
    const cwd = await folder();
    const runId = newRunId('test');
    this.runIds.push(runId);
    await startRun(this.link.client, {
      runId,
      package: await openPackage(scope, { cwd, cacheDir: join(this.raymondDir, 'registry') }),
      cwd,
      taskQueue: this.taskQueue,
      turn: { permissions: 'accept-edits' },
      failFast: false,
      searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
      ...options,
    });
    return { runId, cwd, progress: this.progress, ended: this.end(runId) };
  }

  /** Starts a run and waits until it ends or is paused. */
  async run(states: Readonly<Record<string, string>>, options: StageOptions = {}): Promise<RunView> {
    return await (
      await this.start(states, options)
    ).ended;
  }

  /** Follows a run. */
  async end(runId: string, resumptions = 0): Promise<RunView> {
    const view = await followRun(this.link.client, runId, { resumptions });
    if (view === undefined) throw new Error('not followed to an end');
    return view;
  }

  private async open(): Promise<void> {
    await installRuntime(({ level, message, meta }) => {
      if (level === 'ERROR') process.stderr.write(`temporal: ${message} ${JSON.stringify(meta ?? {})}\n`);
    });
    this.raymondDir = await folder();
    const address = await sharedServer();
    // As in the embedded mode: what is not marked with this stage's secret does not count.
    const store = new FolderStore(join(this.raymondDir, 'artifacts'));
    const values = { keys: NO_KEYS, store, secret: await projectSecret(this.raymondDir) };
    this.link = await connect({ address, namespace: 'default', options: { address } }, values);
    await this.work();
  }

  private async shut(): Promise<void> {
    await this.worker?.drain();
    try {
      await this.replay();
    } finally {
      await this.link.connection.close();
    }
  }

  private async replay(): Promise<void> {
    const { workflowIds, differences } = await replays(historiesOf(this.link.client, this.taskQueue));
    expect(differences).toEqual([]);
    expect(workflowIds).toEqual(expect.arrayContaining(this.runIds));
  }

  private close(): Promise<void> {
    return (this.closed ??= this.shut());
  }
}
