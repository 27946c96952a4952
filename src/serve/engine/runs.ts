// The runs of a project that this engine executes: all of them have one task queue, one worker and one launcher. What an earlier engine has
// left continues at once.
import type { ProgressSink } from '../../activities/types.js';
import type { WorkbenchSettings } from '../../activities/settings.js';
import type { Link } from '../../client/connect.js';
import type { Raymond } from '../../client/open.js';
import { Caretaker } from '../../client/steer/caretaker.js';
import { recoverTurns } from '../../client/steer/dead-worker.js';
import { listRuns, viewRun, type RunLine, type RunView } from '../../client/look/runs.js';
import { agentWorkflowId, type HeldTurns } from '../../protocol/ids.js';
import { defined, messageOf } from '../../protocol/text.js';
import { startLocalWorker } from '../../local.js';
import type { TelemetryOptions } from '../../telemetry/observe.js';
import type { RaymondWorker } from '../../worker/index.js';

/** What runs are executed with. */
export interface EngineRunsOptions {
  readonly raymond: Raymond & { readonly link: Link };
  readonly settings: WorkbenchSettings;
  readonly progress: ProgressSink;
  readonly telemetry?: TelemetryOptions | undefined;
  /** Hears of runs that cannot be continued. */
  readonly report: (line: string) => void;
}

/** What an engine works by from now on. */
export interface Reloading {
  readonly settings: WorkbenchSettings;
  readonly link: Link;
}

/** Agents close just after the end of their run. */
const SETTLED_MS = 10_000;

/** Executes runs until it is closed. */
export class EngineRuns {
  private failed: (error: unknown) => void = () => undefined;
  /** Rejects when the worker broke. */
  readonly broken = new Promise<never>((_resolve, reject) => (this.failed = reject));
  private replaced: Promise<unknown> = Promise.resolve();
  private isClosed = false;
  private readonly caretaker: Caretaker;

  private constructor(
    private readonly options: EngineRunsOptions,
    private worker: RaymondWorker,
  ) {
    this.broken.catch(() => undefined); // whoever waits for it hears of it
    const { raymond, report } = options;
    this.caretaker = new Caretaker({ client: raymond.link.client, taskQueue: raymond.mode.taskQueue, report });
    this.watch(worker);
  }

  /** Begins; turns of an engine that is gone are given to the queue again before anybody polls it. */
  static async start(options: EngineRunsOptions): Promise<EngineRuns> {
    const { link, mode } = options.raymond;
    const open = await listRuns(link.client, { openOnly: true });
    const ours = open.filter(({ taskQueue }) => taskQueue === mode.taskQueue);
    const recover = async ({ runId }: RunLine): Promise<void> => recoverTurns(link, await viewRun(link.client, runId));
    // A run that cannot be read (its key is not here) does not keep the others from continuing.
    const refused = (error: unknown): void => options.report(messageOf(error));
    await Promise.all(ours.map((run) => recover(run).catch(refused)));
    return new EngineRuns(options, await started(options, options.settings));
  }

  /** True for a run that is executed here. */
  has({ taskQueue }: Pick<RunLine, 'taskQueue'>): boolean {
    return taskQueue === this.options.raymond.mode.taskQueue;
  }

  /** Continues with other settings, on a connection of its own: the SDK has one worker of a queue on each. Turns that are under way end with theirs. */
  async reload({ settings, link }: Reloading): Promise<void> {
    const before = this.worker;
    this.worker = await started({ ...this.options, raymond: { ...this.options.raymond, link } }, settings);
    this.watch(this.worker);
    this.replaced = Promise.all([this.replaced, before.drain()]).catch((error: unknown) => this.failed(error));
  }

  /** Lets no turn begin; resolves when those under way have ended, or when their time is over. */
  async finishTurns(seconds: number): Promise<HeldTurns> {
    const late = setTimeout(() => void this.worker.abandon(), seconds * 1000);
    return await this.worker.finishTurns().finally(() => clearTimeout(late));
  }

  /** Ends turns that are under way now; the next engine does them again. */
  async abandon(): Promise<void> {
    this.isClosed = true;
    await this.worker.abandon();
  }

  /** Stops: turns that are under way may take so many seconds; what has not ended continues with the next engine. `isLast` = no run is open. */
  async close(seconds: number, { isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    this.isClosed = true;
    await this.caretaker.close();
    await this.finishTurns(seconds);
    // Nothing is under way that could be kept in order.
    if (isLast) await this.worker.abandon();
    await this.worker.drain();
    await this.replaced;
  }

  /** Resolves when nothing of a run that has ended is open: an agent closes just after its last word to the run. */
  async settled({ runId, agents }: RunView): Promise<void> {
    const { client } = this.options.raymond.link;
    const present = agents.filter(({ status }) => status !== 'lost');
    // Of a run that was terminated from outside they may go on.
    await client.connection.withAbortSignal(AbortSignal.timeout(SETTLED_MS), () =>
      Promise.allSettled(present.map(({ id }) => client.workflow.getHandle(agentWorkflowId(runId, id)).result())),
    );
  }

  private watch(worker: RaymondWorker): void {
    worker.finished.catch((error: unknown) => {
      if (!this.isClosed) this.failed(error);
    });
  }
}

async function started(
  { raymond, progress, telemetry }: EngineRunsOptions,
  settings: WorkbenchSettings,
): Promise<RaymondWorker> {
  const { link, mode, caller } = raymond;
  const { taskQueue } = mode;
  return await startLocalWorker({
    link,
    taskQueue,
    settings,
    environment: caller.env,
    progress,
    ...defined({ telemetry }),
  });
}
