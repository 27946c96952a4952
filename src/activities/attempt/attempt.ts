// One attempt of a turn on this worker: its ids, its heartbeat, its temporary folder, whether it is
// current, and what can end it from outside. It does not know whether a prompt or a script runs
// inside it.
import { rm } from 'node:fs/promises';
import { makePrivateFolder } from '../../host/files.js';
import { dirname, join } from 'node:path';
import { CancelledFailure } from '@temporalio/activity';
import type { ModelSpending } from '../../backends/backend.js';
import { point } from '../../host/faults.js';
import { identifySelf } from '../../host/process.js';
import type { TurnContext } from '../../protocol/language/variables.js';
import { turnId } from '../../protocol/ids.js';
import type { EnforcedSandbox } from '../../protocol/sandbox.js';
import { loadState, type LoadedState } from '../../packages/state.js';
import { turnDebug, type TurnDebug } from '../debug/turn-files.js';
import type { Environment } from '../environment/environment.js';
import type { Waiter } from '../slots/fair-line.js';
import { AttemptStore } from './attempt-store.js';
import { asTurnFailure, redacted, redactedReport, turnFailure, withDetails } from '../failure.js';
import { SaidText } from '../turn/output-text.js';
import { agentKey } from './attempt-names.js';
import { endEarlierAttempts, keyOf } from './earlier-attempts.js';
import { explainMissing } from './missing-state.js';
import { deliverReport, isCurrent, type ActivityContext } from './receipts.js';
import type { LostSpending, TurnTaken } from '../../contract/records.js';
import type { ChainedTurn, TurnProgress, TurnHeartbeat, TurnReport, TurnRequest } from '../../contract/turns.js';
import { endOfError, endOfReport, tokensOf, watchAttempt, type TurnWatch } from '../watch.js';
import { waiterOf, type Slots } from '../slots/slots.js';
import { hostOf, type WorkerContext } from '../worker-context.js';
import { defined } from '../../protocol/text.js';
import { saveFiles, requireWorkspace } from '../workspace.js';

/** How much of its output a heartbeat carries: every follower of the turn reads every heartbeat. */
const RECENT_CHARACTERS = 8 * 1024;

/** Shorter waits are not reported. */
const QUEUE_MS = 100;

/** The request for a turn; `link` counts the earlier turns of its activity, `first` is the attempt of the first one. */
interface ChainedRequest extends TurnRequest {
  readonly link?: number;
  readonly first?: Attempt;
}

/** An attempt in progress. */
export class Attempt {
  readonly turnId: string;
  /** Unique among all attempts of all turns: identifies its processes. */
  readonly attemptId: string;
  /** The name of this attempt's files; it has the same prefix for all attempts of an agent. */
  readonly fileName: string;
  /** The same for all attempts of one activity. */
  readonly activityKey: string;
  readonly startedAt = Date.now();
  /** The store, which this attempt waits for. */
  readonly artifacts: AttemptStore;
  /** Its files in the debug folder; undefined when the run keeps none. */
  readonly debug: TurnDebug | undefined;
  /** The account of Claude that it spends from, once it is known. */
  account: string | undefined;
  /** The sandbox of its process, once that is known. */
  sandbox: EnforcedSandbox | undefined;
  /** Its entry in the queue for a slot. */
  waiter: Waiter;
  /** How many turns of its activity came before this one. */
  readonly link: number;
  /** The finished turns of its activity; undefined while it has one turn. Only the first attempt of the activity has it. */
  chain: readonly ChainedTurn[] | undefined;
  /** The attempt of its activity's current turn. */
  current: Attempt = this;
  private phase: TurnHeartbeat['phase'] = 'queued';
  private queuedMs = 0;
  private lastOutputAt: number | undefined;
  private line: string | undefined;
  private folder: string | undefined;
  private readonly saidText = new SaidText();
  /** Settles when the run has the report that the turn carries: its process may start then. */
  readonly delivery: Promise<true | undefined>;
  private watch: TurnWatch | undefined;
  /** What its process spent, by model, once it is known. */
  spending: readonly ModelSpending[] = [];
  /** What earlier attempts spent without reporting it. */
  lost: LostSpending | undefined;

  constructor(
    readonly worker: WorkerContext,
    readonly request: ChainedRequest,
    readonly context: ActivityContext,
  ) {
    const { runId, agent } = request;
    this.link = request.link ?? 0;
    this.waiter = waiterOf(request);
    this.turnId = turnId({ runId, agentId: agent.id, turn: agent.turn + 1 });
    const { attempt } = context.info;
    this.activityKey = keyOf(this, this.link);
    this.attemptId = `${this.activityKey}-${attempt}`;
    this.fileName = `${agentKey(runId, agent.id)}-${this.attemptId}`;
    const warn = (text: string): void => this.reportProgress({ kind: 'warned', text });
    this.artifacts = new AttemptStore(worker.artifacts, { context, warn });
    this.debug = turnDebug({ folders: worker.debug, redactor: worker.redactor, request, attempt, warn });
    // First of all: it takes a while, and the state can be read meanwhile.
    this.delivery = deliverReport(context, request);
    this.delivery.catch(() => undefined); // Thrown when the process is to start.
  }

  /** The RAYMOND_* variables of every process of the turn. */
  names({
    stateFile,
    taskFolder,
  }: Pick<TurnContext, 'stateFile' | 'taskFolder'>): Omit<TurnContext, 'attributes' | 'pending'> {
    const { turnId, attemptId: attempt, request } = this;
    const { runId, agent } = request;
    return { runId, agentId: agent.id, stateDir: dirname(stateFile), stateFile, turnId, attempt, taskFolder };
  }

  /**
   * Reads the state, and stores it under its hash: the turn's record refers to it. Throws a
   * `ScopeError`, `StoreUnwritable`.
   */
  async loadState(): Promise<LoadedState> {
    const { statesKept } = this.worker;
    const state = await this.readState();
    if (!statesKept.has(state.sha256)) await this.artifacts.put(state.bytes);
    statesKept.add(state.sha256);
    return state;
  }

  /** Reads the state without storing it. */
  async readState(): Promise<LoadedState> {
    const { scope, state } = this.request.agent;
    return await loadState(scope, state, this.artifacts).catch(async (error: unknown) => {
      throw await explainMissing(error, this.request, this.artifacts);
    });
  }

  /** The worker's context with this attempt's store. */
  private get ownWorker(): WorkerContext {
    return { ...this.worker, artifacts: this.artifacts };
  }

  /**
   * True when it was cancelled; an attempt that is aborted without a cancel ends with its worker.
   */
  get isCancelled(): boolean {
    return this.context.cancellationDetails?.cancelRequested === true;
  }

  /**
   * True for a turn of an agent whose files are on this host: when it is silent, the server gives
   * it up and no longer waits for its report.
   */
  get isOnHostQueue(): boolean {
    return this.context.info.taskQueue === this.worker.settings.host?.queue;
  }

  /** The variables that watchers of the turn add to its process. */
  get watched(): Environment {
    return this.watch?.environment ?? {};
  }

  /** Reports to the live view; never fails a turn. */
  reportProgress(event: TurnProgress): void {
    const { runId, agent } = this.request;
    // A result belongs to the author; other texts may quote secrets.
    const own = event.kind === 'ended' && event.outcome.kind !== 'problem';
    const redactedEvent = own ? event : this.worker.redactor.all(event);
    if (redactedEvent.kind === 'said') this.said(redactedEvent.text);
    const { attempt } = this.context.info;
    this.worker.progress({
      runId,
      agentId: agent.id,
      state: agent.state,
      turn: agent.turn + 1,
      attempt,
      ...redactedEvent,
    });
  }

  private said(text: string): void {
    this.saidText.add(text);
    this.line = text.trim().split('\n').at(-1)?.slice(0, 200) || this.line;
  }

  /** Records that the process has printed something. */
  markOutput(): void {
    this.lastOutputAt = Date.now();
  }

  /** The private folder of its activity, created on first use. */
  async temporaryFolder(): Promise<string> {
    const { first } = this.request;
    if (first !== undefined) return await first.temporaryFolder();
    if (this.folder === undefined) {
      this.folder = join(this.worker.settings.raymondDir, 'tmp', this.fileName);
      await makePrivateFolder(this.folder);
    }
    return this.folder;
  }

  /** Runs the attempt in a slot. */
  async run(slots: Slots, work: () => Promise<TurnReport>): Promise<TurnReport> {
    return await this.inSlot(slots, () => this.turn(slots, work));
  }

  /** Does work in a slot, with heartbeats. */
  async inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
    const { waiter, context } = this;
    const beat = (): void => context.heartbeat(() => this.current.signOfLife(slots));
    const timer = setInterval(beat, this.worker.settings.heartbeatMs);
    const begin = (): Promise<T> => {
      this.queuedMs = Date.now() - this.startedAt;
      return work();
    };
    try {
      return await slots.use({ waiter, signal: context.cancellationSignal }, begin);
    } finally {
      clearInterval(timer);
      if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
    }
  }

  /** Executes the turn in the slot of its activity. */
  async turn(slots: Slots, work: () => Promise<TurnReport>): Promise<TurnReport> {
    this.phase = 'running';
    this.reportProgress({ kind: 'started' });
    this.watch = watchAttempt(this, slots === this.worker.prompts ? 'prompt' : 'script');
    try {
      point('turn-begins');
      if (!(await isCurrent(this.context))) throw turnFailure('WorkerLost', 'another worker has taken over the turn');
      if (this.link === 0) await endEarlierAttempts(this);
      await requireWorkspace(this.ownWorker, this.request);
      const done = await work();
      const keep = done.outcome.kind === 'cancelled' ? 'outputIfPossible' : 'output';
      const report = redactedReport(this.worker.redactor, {
        ...done,
        ...this.taken,
        ...defined({ delivered: await this.delivery.catch(() => undefined) }),
        ...(await this.artifacts[keep](this.saidText.text())),
        ...(await saveFiles(this.ownWorker, this.request, done)),
      });
      point('before-report');
      this.debug?.recorded(report);
      this.watch?.end(endOfReport(report, this.spending));
      return report;
    } catch (error) {
      if (error instanceof CancelledFailure) {
        this.watch?.end(endOfError(error, this.spending));
        throw error;
      }
      const plain = redacted(asTurnFailure(error, this.request.agent), this.worker.redactor);
      const failure = withDetails(plain, {
        ...(await this.artifacts.outputIfPossible(this.saidText.text())),
        ...this.taken,
      });
      this.watch?.end(endOfError(failure, this.spending));
      this.debug?.failed(failure);
      this.reportProgress({ kind: 'failed', message: failure.message });
      throw failure;
    } finally {
      this.debug?.close();
    }
  }

  /** Part of every report. */
  private get taken(): TurnTaken {
    const { account, queuedMs, lost, sandbox } = this;
    const waited = queuedMs < QUEUE_MS ? undefined : queuedMs;
    return defined({ account, tokens: tokensOf(this.spending), queuedMs: waited, lost, sandbox });
  }

  /** The details of this turn's heartbeat. */
  signOfLife(slots: Slots): TurnHeartbeat {
    const { agent, first = this } = this.request;
    return {
      ...hostOf(this.worker),
      ...identifySelf(),
      state: agent.state,
      turn: agent.turn + 1,
      phase: this.phase,
      ...defined({ queue: slots.positionOf(this.waiter), lastOutputAt: this.lastOutputAt }),
      ...defined({ line: this.artifacts.line() ?? this.line, chain: first.chain }),
      ...(first !== this && { afterMs: this.startedAt - first.startedAt }),
      ...defined({ recent: this.saidText.recent(RECENT_CHARACTERS) }),
    };
  }
}
