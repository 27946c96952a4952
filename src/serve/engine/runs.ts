// The runs that this engine executes: they share one task queue, one worker and one launcher. Turns that an earlier
// engine left continue at once.
import type { ProgressSink } from '../../contract/turns.js';
import type { WorkerContextSettings } from '../../activities/settings.js';
import type { Link } from '../../client/connect.js';
import type { Raymond } from '../../client/open.js';
import { Caretaker } from '../../client/steer/caretaker.js';
import { openWorkflows, recoverActivities } from '../../client/steer/dead-worker.js';
import type { RunLine, RunView } from '../../client/look/runs.js';
import { agentWorkflowId, type HeldTurns } from '../../protocol/ids.js';
import { defined, messageOf } from '../../protocol/text.js';
import { startLocalWorker } from '../../client/project/local.js';
import type { TelemetryOptions } from '../../telemetry/observe.js';
import type { RaymondWorker } from '../../worker/index.js';

/** What executing runs needs. */
interface EngineRunsOptions {
  readonly raymond: Raymond & { readonly link: Link };
  readonly settings: WorkerContextSettings;
  readonly progress: ProgressSink;
  readonly telemetry?: TelemetryOptions | undefined;
  /** Receives runs that cannot be continued. */
  readonly report: (line: string) => void;
}

/** The settings from now on. */
export interface Reloading {
  readonly settings: WorkerContextSettings;
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
    this.broken.catch(() => undefined); // Callers that wait for it get the error.
    const { raymond, report } = options;
    this.caretaker = new Caretaker({ client: raymond.link.client, taskQueue: raymond.mode.taskQueue, report });
    this.watch(worker);
  }

  /** Starts; turns of a dead engine are queued again before the worker polls. */
  static async start(options: EngineRunsOptions): Promise<EngineRuns> {
    const beforePolling = recover(options);
    beforePolling.catch(() => undefined); // the start of the worker gets the error
    return new EngineRuns(options, await started({ ...options, beforePolling }, options.settings));
  }

  /** True for a run that is executed here. */
  has({ taskQueue }: Pick<RunLine, 'taskQueue'>): boolean {
    return taskQueue === this.options.raymond.mode.taskQueue;
  }

  /**
   * Continues with other settings, on a new connection: the SDK allows one worker per queue on each. Turns in progress
   * end with the old settings.
   */
  async reload({ settings, link }: Reloading): Promise<void> {
    const before = this.worker;
    this.worker = await started({ ...this.options, raymond: { ...this.options.raymond, link } }, settings);
    this.watch(this.worker);
    this.replaced = Promise.all([this.replaced, before.drain()]).catch((error: unknown) => this.failed(error));
  }

  /** Starts no more turns; resolves when those in progress have ended, or when their time is up. */
  async finishTurns(seconds: number): Promise<HeldTurns> {
    const late = setTimeout(() => void this.worker.abandon(), seconds * 1000);
    return await this.worker.finishTurns().finally(() => clearTimeout(late));
  }

  /** Interrupts turns in progress now; the next engine runs them again. */
  async abandon(): Promise<void> {
    this.isClosed = true;
    await this.worker.abandon();
  }

  /**
   * Stops: turns in progress may take this many seconds; the next engine continues the rest. `isLast` = no run is open.
   */
  async close(seconds: number, { isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    this.isClosed = true;
    await this.caretaker.close();
    await this.finishTurns(seconds);
    // No work is in progress that needs a clean-up.
    if (isLast) await this.worker.abandon();
    await this.worker.drain();
    await this.replaced;
  }

  /** Resolves when nothing of an ended run is open: an agent closes just after its last message to the run. */
  async settled({ runId, agents }: RunView): Promise<void> {
    const { client } = this.options.raymond.link;
    const present = agents.filter(({ status }) => status !== 'lost');
    // Agents of a run that was terminated from outside may continue.
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

async function recover({ raymond: { link, mode }, report }: EngineRunsOptions): Promise<void> {
  const open = await openWorkflows(link, mode.taskQueue);
  // An unreadable workflow (its key is missing here) does not keep the others from continuing.
  const refused = (error: unknown): void => report(messageOf(error));
  await Promise.all(open.map((id) => recoverActivities(link, id).catch(refused)));
}

async function started(
  { raymond, progress, telemetry, beforePolling }: EngineRunsOptions & { readonly beforePolling?: Promise<void> },
  settings: WorkerContextSettings,
): Promise<RaymondWorker> {
  const { link, mode, caller } = raymond;
  const { taskQueue } = mode;
  return await startLocalWorker({
    link,
    taskQueue,
    settings,
    environment: caller.env,
    progress,
    ...defined({ telemetry, beforePolling }),
  });
}
