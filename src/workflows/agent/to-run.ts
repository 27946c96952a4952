// How an agent speaks to its run: allowances before prompt turns, reports of money and status, and its end.
// An agent whose run is gone ends itself; nothing else is decided here.
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import type { SignalDefinition } from '@temporalio/workflow';
import type { AgentState } from '../../protocol/machine/agent.js';
import { turnId } from '../../protocol/ids.js';
import type { Workspace } from '../../protocol/machine/workspace.js';
import * as messages from '../messages.js';
import { executorOf } from '../../protocol/language/resolve.js';
import { defined, exactly } from '../../protocol/text.js';
import type { AgentStatus } from '../contract.js';

/** A paused agent repeats itself once a day: so it learns that its run is gone. */
const REPEATED_AFTER_MS = 24 * 60 * 60 * 1000;

/** What prompt turns may spend that the agent need not ask for; absent `usd` = no limit. */
interface Standing {
  readonly turns: number;
  readonly usd?: number;
}

/** Why an agent is held, and what ends that. Times are epoch milliseconds. */
interface HoldRequest {
  readonly status: AgentStatus;
  readonly until?: number;
  readonly over?: () => boolean;
}

/** The agent's end of the line to its run. */
export class RunChannel {
  /** Who has asked for a pause that is not over. */
  pausedBy: string | undefined;
  /** Nothing is waited for that only the clock would end. */
  skipsWaits = false;
  private grant: messages.Granted | undefined;
  private standing: Standing | undefined;
  /** The turn that a report has asked for. */
  private asked: string | undefined;
  /** What to say while no turn spends anything. */
  private idle: messages.Report | undefined;
  /** The run answers what reports ask for. */
  private answersReports = false;
  private resumed = false;

  /** `owedUsd` is what has been spent and not been booked, because the run was gone. */
  constructor(
    private readonly runId: string,
    public owedUsd: number,
  ) {
    setHandler(messages.grantSignal, (grant) => {
      this.grant = grant;
      this.answersReports = grant.turns !== undefined;
    });
    setHandler(messages.recallSignal, async () => {
      this.standing = undefined;
      // What is set aside for an agent that spends nothing is wanted elsewhere.
      if (this.idle !== undefined) await this.tell(this.idle);
    });
    setHandler(messages.resumeSignal, () => {
      this.resumed = true;
      this.pausedBy = undefined;
    });
  }

  /** Waits until the run lets the agent's next prompt turn start; asks again when it hears nothing for 30 seconds. */
  async allowance(agent: AgentState): Promise<Pick<Standing, 'usd'>> {
    const wanted = this.turnAfter(agent);
    const { standing } = this;
    this.idle = undefined;
    if (standing !== undefined && this.isStanding) {
      this.standing = { ...standing, turns: standing.turns - 1 };
      return standing;
    }
    for (;;) {
      if (this.asked !== wanted)
        await this.send(messages.allowanceSignal, { agentId: agent.id, turnId: wanted, state: agent.state });
      this.asked = undefined;
      await condition(() => this.grant?.turnId === wanted, '30 seconds');
      const { grant } = this;
      if (grant?.turnId === wanted) {
        this.grant = undefined;
        const { turns = 1, usd } = grant;
        this.standing = { turns: turns - 1, ...defined({ usd }) };
        return defined({ usd });
      }
    }
  }

  private turnAfter({ id, turn }: AgentState): string {
    return turnId({ runId: this.runId, agentId: id, turn: turn + 1 });
  }

  /** True when the next prompt turn need not be asked for. */
  private get isStanding(): boolean {
    return this.standing !== undefined && this.standing.turns > 0 && (this.standing.usd ?? 1) > 0;
  }

  /** Books a turn that is over. `next` is the agent as it goes on, if it does: for a prompt the same message asks. */
  async turnEnded(done: AgentState, costUsd: number, next?: AgentState): Promise<void> {
    const { standing } = this;
    if (standing?.usd !== undefined) this.standing = { ...standing, usd: exactly(standing.usd - costUsd) };
    const { state } = next ?? done;
    const report = { agentId: done.id, state, costUsd, status: { kind: 'running' } } as const;
    this.idle = { ...report, costUsd: 0 };
    if (next !== undefined && this.isStanding) return await this.tell({ ...report, standing: true });
    this.standing = undefined;
    const isPrompt = next !== undefined && executorOf(next.state) === 'prompt';
    this.asked = isPrompt && this.answersReports ? this.turnAfter(next) : undefined;
    await this.tell({ ...report, ...defined({ asks: this.asked }) });
  }

  /** Books money and status with the run. */
  async report(
    agent: AgentState,
    { costUsd, status }: { readonly costUsd: number; readonly status: AgentStatus },
  ): Promise<void> {
    // The run takes whatever it had promised to be free again.
    this.standing = undefined;
    this.asked = undefined;
    this.idle = undefined;
    await this.tell({ agentId: agent.id, state: agent.state, costUsd, status });
  }

  private async tell(report: messages.Report): Promise<void> {
    try {
      await this.send(messages.reportSignal, report);
    } catch (error) {
      this.owedUsd += report.costUsd;
      throw error;
    }
  }

  /** Books what is owed since an earlier run of this id was gone. */
  async settle(agent: AgentState): Promise<void> {
    const costUsd = this.owedUsd;
    this.owedUsd = 0;
    if (costUsd > 0) await this.report(agent, { costUsd, status: { kind: 'running' } });
  }

  /** Asks where the agent's workspace is. */
  async askPlace(ask: messages.PlaceAsk): Promise<void> {
    await this.send(messages.placeSignal, ask);
  }

  /** Says which files a turn has left. */
  async saved(files: { readonly agentId: string; readonly workspace: Workspace }): Promise<void> {
    await this.send(messages.savedSignal, files);
  }

  /** Says that nothing is done for the agent in its workspace, and with which files. */
  async quiet(files: { readonly agentId: string; readonly workspace: Workspace }): Promise<void> {
    await this.send(messages.quietSignal, files);
  }

  /** True when somebody has asked to try again since the agent was last held. */
  get isResumed(): boolean {
    return this.resumed;
  }

  /** Announces workers that are about to start. */
  async starting(workers: readonly messages.Starting[]): Promise<void> {
    await this.send(messages.startingSignal, workers);
  }

  /** Takes an announcement back. */
  async notStarted(worker: AgentState, parent: string): Promise<void> {
    await this.send(messages.notStartedSignal, { agentId: worker.id, parent });
  }

  /** The last word of an agent. A run that is gone needs none. */
  async ended(agent: AgentState, status: AgentStatus): Promise<void> {
    try {
      await this.send(messages.endedSignal, { agentId: agent.id, state: agent.state, status });
    } catch (error) {
      if (!(error instanceof ApplicationFailure && error.type === 'RunGone')) throw error;
    }
  }

  /** Says that the agent is held, and waits for what ends that: `over` (absent = a resumption), or the time `until`. */
  async hold(agent: AgentState, { status, until, over }: HoldRequest): Promise<void> {
    // Before the report: the answer to it may come together with its receipt.
    this.resumed = false;
    const isOver = over ?? ((): boolean => this.resumed);
    for (let done = false; !done;) {
      await this.report(agent, { costUsd: 0, status });
      if (this.skipsWaits && until !== undefined) return over === undefined ? undefined : await condition(over);
      const left = until === undefined ? REPEATED_AFTER_MS : Math.max(1, until - Date.now());
      done = await condition(isOver, Math.min(left, REPEATED_AFTER_MS));
      done ||= until !== undefined && Date.now() >= until;
    }
  }

  private async send<T>(signal: SignalDefinition<[T]>, message: T): Promise<void> {
    try {
      // A cancelled agent still says what it spent and that it ended.
      await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(this.runId).signal(signal, message));
    } catch (error) {
      if (isCancellation(error)) throw error;
      // Sent from workflow code, a signal fails only when its target does not exist.
      throw ApplicationFailure.create({
        type: 'RunGone',
        nonRetryable: true,
        message: `the run ${this.runId} is no longer open; the agent ends itself`,
      });
    }
  }
}
