// One attempt of a turn on this worker: its ids, its heartbeat, its temporary folder, whether it still counts, and what may end it from
// outside. Whether a prompt or a script runs inside it is not known here.
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { CancelledFailure, type Context } from '@temporalio/activity';
import type { ModelSpending } from '../backends/backend.js';
import type { Survivor } from '../launcher/client.js';
import { point } from '../host/faults.js';
import { identifySelf } from '../host/process.js';
import type { TurnContext } from '../protocol/variables.js';
import { turnId } from '../protocol/ids.js';
import { loadState, type LoadedState } from '../packages/state.js';
import { turnDebug, type TurnDebug } from './debug/turn-files.js';
import type { Environment } from './environment.js';
import type { Claim } from './fair-line.js';
import { AttemptStore } from './attempt-store.js';
import { asTurnFailure, redacted, redactedReport, turnFailure, withDetails } from './failure.js';
import { SpokenText } from './listener.js';
import { activityKey, agentKey, removeTemporary } from './attempt-names.js';
import { isCurrent } from './receipts.js';
import type { News, TurnHeartbeat, TurnReport, TurnRequest } from './types.js';
import { endOfError, endOfReport, watchTurn, type TurnWatch } from './watch.js';
import { claimOf, type Slots } from './slots.js';
import type { Workbench } from './workbench.js';
import { defined } from '../protocol/text.js';
import { keptFiles, requireWorkspace } from './place.js';

/** An attempt that is under way. */
export class Attempt {
  readonly turnId: string;
  /** Unique among all attempts of all turns: names the process tree. */
  readonly attemptId: string;
  /** The name of what this attempt keeps on disk; it begins alike for all attempts of one agent. */
  readonly fileName: string;
  /** The same for all attempts of one activity. */
  readonly activityKey: string;
  readonly startedAt = Date.now();
  /** The store, which this attempt waits for as long as it lives. */
  readonly artifacts: AttemptStore;
  /** Its files in the debug folder; undefined when the run keeps none. */
  readonly debug: TurnDebug | undefined;
  /** The account of Claude that it spends from, once that is known. */
  account: string | undefined;
  /** What it brings into the line for a slot. */
  claim: Claim;
  private phase: TurnHeartbeat['phase'] = 'queued';
  private lastOutputAt: number | undefined;
  private line: string | undefined;
  private folder: string | undefined;
  private readonly spoken = new SpokenText();
  private watch: TurnWatch | undefined;
  /** What its process spent, by model, as soon as that is known. */
  spending: readonly ModelSpending[] = [];

  constructor(
    readonly bench: Workbench,
    readonly request: TurnRequest,
    readonly context: Context,
  ) {
    const { runId, agent } = request;
    this.claim = claimOf(request);
    this.turnId = turnId({ runId, agentId: agent.id, turn: agent.turn + 1 });
    const { workflowExecution, activityId, attempt } = context.info;
    this.activityKey = activityKey({ workflowRunId: workflowExecution?.runId ?? '', activityId });
    this.attemptId = `${this.activityKey}-${attempt}`;
    this.fileName = `${agentKey(runId, agent.id)}-${this.attemptId}`;
    const warn = (text: string): void => this.tell({ kind: 'warned', text });
    this.artifacts = new AttemptStore(bench.artifacts, { context, warn });
    this.debug = turnDebug({ folders: bench.debug, redactor: bench.redactor, request, attempt, warn });
  }

  /** What every process of the turn is told of it, by the variables of Raymond. */
  names({
    stateFile,
    taskFolder,
  }: Pick<TurnContext, 'stateFile' | 'taskFolder'>): Omit<TurnContext, 'attributes' | 'pending'> {
    const { turnId: turnId, attemptId: attempt, request } = this;
    const { runId, agent } = request;
    return { runId, agentId: agent.id, stateDir: dirname(stateFile), stateFile, turnId, attempt, taskFolder };
  }

  /** Reads the state, and keeps what was read under its hash: the turn's record names it. Throws a `ScopeError`, `StoreUnwritable`. */
  async loadState(): Promise<LoadedState> {
    const { statesKept } = this.bench;
    const { scope, state: file } = this.request.agent;
    const state = await loadState(scope, file, this.artifacts);
    if (!statesKept.has(state.sha256)) await this.artifacts.put(state.bytes);
    statesKept.add(state.sha256);
    return state;
  }

  /** The bench with the store as this attempt sees it. */
  private get equipment(): Workbench {
    return { ...this.bench, artifacts: this.artifacts };
  }

  /** True when somebody has cancelled it; an aborted attempt that is not goes down with its worker. */
  get isCancelled(): boolean {
    return this.context.cancellationDetails?.cancelRequested === true;
  }

  /** True for a turn of an agent whose files are on this host: the server gives it up when it is silent, and then no longer waits for its report. */
  get isOnHostQueue(): boolean {
    return this.context.info.taskQueue === this.bench.settings.host?.queue;
  }

  /** The variables that whoever watches the turn gives to its process. */
  get watched(): Environment {
    return this.watch?.environment ?? {};
  }

  /** Tells the live view; never fails a turn. */
  tell(news: News): void {
    const { runId, agent } = this.request;
    // A result is the author's own; everything else may quote what nobody shall see.
    const own = news.kind === 'ended' && news.outcome.kind !== 'problem';
    const told = own ? news : this.bench.redactor.all(news);
    if (told.kind === 'said') this.said(told.text);
    const { attempt } = this.context.info;
    this.bench.progress({ runId, agentId: agent.id, state: agent.state, turn: agent.turn + 1, attempt, ...told });
  }

  private said(text: string): void {
    this.spoken.add(text);
    this.line = text.trim().split('\n').at(-1)?.slice(0, 200) || this.line;
  }

  /** Records that something was heard from the process. */
  heard(): void {
    this.lastOutputAt = Date.now();
  }

  /** Warns of processes of the turn that could not be ended. */
  tellSurvivors(survivors: readonly Survivor[]): void {
    for (const { pid, state, why } of survivors) {
      const reason =
        why === 'forbidden'
          ? 'belongs to another user'
          : `does not end (state ${state}: it waits for something in the kernel, mostly a disk)`;
      this.tell({ kind: 'warned', text: `process ${pid} of this turn lives on: it ${reason}; end it by hand` });
    }
  }

  /** This attempt's private folder, made when first asked for. */
  async temporaryFolder(): Promise<string> {
    if (this.folder === undefined) {
      this.folder = join(this.bench.settings.raymondDir, 'tmp', this.fileName);
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
    }
    return this.folder;
  }

  /** Runs the attempt in a slot, heartbeating all the while, and tidies up behind it. */
  async run(slots: Slots, work: () => Promise<TurnReport>): Promise<TurnReport> {
    const timer = setInterval(() => this.beat(slots), this.bench.settings.heartbeatMs);
    try {
      return await slots.use({ claim: this.claim, signal: this.context.cancellationSignal }, async () => {
        this.phase = 'running';
        this.tell({ kind: 'started' });
        this.beginWatch(slots);
        point('turn-begins');
        if (!(await isCurrent(this.context))) throw turnFailure('WorkerLost', 'another worker has taken the turn');
        await this.endEarlierAttempts();
        await requireWorkspace(this.equipment, this.request);
        const done = await work();
        const keep = done.outcome.kind === 'cancelled' ? 'outputIfPossible' : 'output';
        const report = redactedReport(this.bench.redactor, {
          ...done,
          ...defined({ account: this.account }),
          ...(await this.artifacts[keep](this.spoken.text())),
          ...(await keptFiles(this.equipment, this.request, done)),
        });
        point('before-report');
        this.debug?.recorded(report);
        this.watch?.end(endOfReport(report, this.spending));
        return report;
      });
    } catch (error) {
      // What is sent away from the line has not begun.
      if (this.phase === 'queued') throw error;
      if (error instanceof CancelledFailure) {
        this.watch?.end(endOfError(error, this.spending));
        throw error;
      }
      const plain = redacted(asTurnFailure(error, this.request.agent), this.bench.redactor);
      const failure = withDetails(plain, {
        ...(await this.artifacts.outputIfPossible(this.spoken.text())),
        ...defined({ account: this.account }),
      });
      this.watch?.end(endOfError(failure, this.spending));
      this.debug?.failed(failure);
      this.tell({ kind: 'failed', message: failure.message });
      throw failure;
    } finally {
      clearInterval(timer);
      this.debug?.close();
      if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
    }
  }

  private beginWatch(slots: Slots): void {
    const { watchers, prompts } = this.bench;
    if (watchers.length === 0) return;
    const { runId, agent } = this.request;
    this.watch = watchTurn(watchers, {
      runId,
      agentId: agent.id,
      state: agent.state,
      turn: agent.turn + 1,
      attempt: this.context.info.attempt,
      kind: slots === prompts ? 'prompt' : 'script',
      attributes: agent.attributes,
    });
  }

  /** Ends what is left of earlier attempts of the same turn on this host. */
  async endEarlierAttempts(): Promise<void> {
    const { silent = [] } = this.request;
    if (this.context.info.attempt === 1 && silent.length === 0) return;
    this.context.heartbeat();
    const earlier = [
      ...Array.from({ length: this.context.info.attempt - 1 }, (_, n) => `${this.activityKey}-${n + 1}`),
      // On the queue of one host an activity has one attempt.
      ...silent.map((activity) => `${activityKey(activity)}-1`),
    ];
    const { survivors } = await this.bench.launcher.sweep({ attempts: earlier });
    this.tellSurvivors(survivors);
    const { runId, agent } = this.request;
    await removeTemporary(this.bench.settings.raymondDir, { runId, agentId: agent.id });
  }

  private beat(slots: Slots): void {
    const { agent } = this.request;
    const beat: TurnHeartbeat = {
      host: hostname(),
      ...identifySelf(),
      state: agent.state,
      turn: agent.turn + 1,
      phase: this.phase,
      ...defined({ queue: slots.placeOf(this.claim), lastOutputAt: this.lastOutputAt }),
      ...defined({ line: this.artifacts.line() ?? this.line }),
    };
    this.context.heartbeat(beat);
  }
}
