// The runs that this process serves: those that it starts share one task queue, one worker and one launcher; those that another process has
// left are adopted, each with a worker for its own queue, when somebody asks for it. What was served goes on being served after a restart.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressSink } from '../activities/types.js';
import type { WorkbenchSettings } from '../activities/settings.js';
import type { Link } from '../client/connect.js';
import { recoverTurns } from '../client/steer/dead-worker.js';
import { ClientError } from '../client/error.js';
import type { Raymond, RunKeeper } from '../client/open.js';
import { listRuns, viewRun, type RunView } from '../client/look/runs.js';
import { errorCode, writeFileAtomic } from '../host/files.js';
import { claimRun, SERVE_QUEUE, serveQueue } from '../local.js';
import type { RaymondWorker } from '../worker/index.js';

/** What runs are served with. */
export interface ServedOptions {
  readonly raymond: Raymond & { readonly link: Link };
  readonly settings: WorkbenchSettings;
  /** Where it is kept which runs were adopted. */
  readonly folder: string;
  readonly progress: ProgressSink;
  readonly report: (line: string) => void;
}

interface Served {
  readonly release: () => Promise<void>;
  /** Absent = it is on the queue of all. */
  readonly worker?: RaymondWorker;
}

/** Serves runs until it is closed. */
export class ServedRuns implements RunKeeper {
  readonly taskQueue = SERVE_QUEUE;
  private readonly served = new Map<string, Served>();
  private readonly beginning = new Map<string, Promise<void>>();
  private failed: (error: unknown) => void = () => undefined;
  /** Rejects when a worker broke. */
  readonly broken = new Promise<never>((_resolve, reject) => (this.failed = reject));
  private worker: RaymondWorker | undefined;

  private constructor(private readonly options: ServedOptions) {
    this.broken.catch(() => undefined); // whoever waits for it hears of it
  }

  /** Begins to serve; what an earlier process has served goes on at once. */
  static async start(options: ServedOptions): Promise<ServedRuns> {
    const runs = new ServedRuns(options);
    try {
      await runs.takeOverAll();
      return runs;
    } catch (error) {
      await runs.close(0).catch(() => undefined); // the failure before it counts
      throw error;
    }
  }

  /** The runs that are served here. */
  get runIds(): readonly string[] {
    return [...this.served.keys()];
  }

  async keep(runId: string): Promise<void> {
    if (this.served.get(runId)?.worker === undefined && this.served.has(runId)) return;
    const known = this.beginning.get(runId);
    if (known !== undefined) return await known;
    const begun = this.begin(runId).finally(() => this.beginning.delete(runId));
    this.beginning.set(runId, begun);
    await begun;
  }

  /** Leaves a run, unless it was started again meanwhile. */
  async leave(runId: string): Promise<void> {
    const served = this.served.get(runId);
    if (served === undefined || this.beginning.has(runId)) return;
    if ((await viewRun(this.options.raymond.link.client, runId).catch(() => undefined))?.open === true) return;
    this.served.delete(runId);
    try {
      await served.worker?.drain();
    } finally {
      await served.release();
    }
    if (served.worker !== undefined) await this.remember();
  }

  /** Stops: turns that are under way may end within so many seconds; what has not ended goes on at the next start. */
  async close(seconds: number): Promise<void> {
    const workers = [this.worker, ...[...this.served.values()].map(({ worker }) => worker)].filter(
      (one) => one !== undefined,
    );
    try {
      await Promise.all(workers.map((worker) => stopped(worker, seconds)));
    } finally {
      await Promise.all([...this.served.values()].map(({ release }) => release()));
      this.served.clear();
    }
  }

  private async takeOverAll(): Promise<void> {
    const open = await listRuns(this.options.raymond.link.client, { openOnly: true });
    // Turns of a process that is gone are given to the queue again before anybody polls it.
    for (const { runId } of open.filter(({ taskQueue }) => taskQueue === SERVE_QUEUE)) await this.takeOver(runId);
    this.worker = await this.startWorker(SERVE_QUEUE);
    const adopted = await this.adoptedBefore();
    for (const { runId } of open.filter((run) => adopted.includes(run.runId))) await this.keep(runId);
  }

  private async begin(runId: string): Promise<void> {
    const { raymond } = this.options;
    const view = await viewRun(raymond.link.client, runId);
    if (!view.open) return;
    const before = this.served.get(runId);
    if (before !== undefined) return await this.moved(runId, { before, view });
    const claimed = await this.claimed(runId);
    if (claimed === 'elsewhere') return;
    const { release } = claimed;
    // Our own worker may be doing its first turn by now: nothing of such a run is lost.
    if (view.taskQueue === SERVE_QUEUE) return void this.served.set(runId, { release });
    this.served.set(runId, { release, worker: await this.workerFor(view, release) });
    await this.remember();
  }

  /** A worker for a run whose lock we have; when there is none to be had, another process may serve the run. */
  private async workerFor(view: RunView, release: () => Promise<void>): Promise<RaymondWorker> {
    try {
      await recoverTurns(this.options.raymond.link, view);
      return await this.startWorker(view.taskQueue);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** A run that was adopted and has been started again since is on the queue of all. */
  private async moved(
    runId: string,
    { before, view }: { readonly before: Served; readonly view: RunView },
  ): Promise<void> {
    if (before.worker === undefined || view.taskQueue !== SERVE_QUEUE) return;
    this.served.set(runId, { release: before.release });
    await before.worker.drain();
    await this.remember();
  }

  /** Whoever serves a run already goes on doing it. */
  private async claimed(runId: string): Promise<{ readonly release: () => Promise<void> } | 'elsewhere'> {
    try {
      const lock = await claimRun(this.options.raymond.project.raymondDir, runId);
      return { release: () => lock.release() };
    } catch (error) {
      if (error instanceof ClientError && error.code === 'RunServed') return 'elsewhere';
      throw error;
    }
  }

  private async takeOver(runId: string): Promise<void> {
    const { link } = this.options.raymond;
    const claimed = await this.claimed(runId);
    if (claimed === 'elsewhere') return;
    this.served.set(runId, claimed);
    await recoverTurns(link, await viewRun(link.client, runId));
  }

  private async startWorker(taskQueue: string): Promise<RaymondWorker> {
    const { raymond, settings, progress } = this.options;
    const worker = await serveQueue({
      link: raymond.link,
      taskQueue,
      settings,
      environment: raymond.caller.env,
      progress,
    });
    worker.finished.catch((error: unknown) => this.failed(error));
    return worker;
  }

  private get file(): string {
    return join(this.options.folder, 'adopted.json');
  }

  private async adoptedBefore(): Promise<readonly string[]> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as readonly string[];
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  private async remember(): Promise<void> {
    const adopted = [...this.served].flatMap(([runId, { worker }]) => (worker === undefined ? [] : [runId]));
    await writeFileAtomic(this.file, JSON.stringify(adopted));
  }
}

async function stopped(worker: RaymondWorker, seconds: number): Promise<void> {
  const late = setTimeout(() => void worker.abandon(), seconds * 1000);
  try {
    await worker.finishTurns();
    await worker.drain();
  } finally {
    clearTimeout(late);
  }
}
