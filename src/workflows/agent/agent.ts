// The agent workflow. One loop: decide (protocol/machine/hold.ts, pure), then do what was decided. It waits in one place, `suspend`; it
// touches the world through activities only, and money through its run.
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  patched,
  proxySinks,
  setHandler,
  workflowInfo,
  type Sinks,
} from '@temporalio/workflow';
import type { AgentState, PendingTransition, StoredRecord } from '../../protocol/machine/agent.js';
import { assertNever } from '../../protocol/failure.js';
import { next, type Action, type Context } from '../../protocol/machine/hold.js';
import { newAgent, type Agent as AgentData, type Ending } from '../../protocol/machine/inbox.js';
import { withoutLease } from '../../protocol/machine/lease.js';
import type { Report } from '../../protocol/machine/report.js';
import { applyTransition } from '../../protocol/machine/step.js';
import { statusOf } from '../../protocol/machine/status.js';
import { afterFailure } from '../../protocol/machine/retry.js';
import type { WorkEnd } from '../../protocol/machine/work-end.js';
import { CHILDREN_PER_HISTORY } from '../../protocol/limits.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { WantedLease } from '../../protocol/leases.js';
import { DEFAULT_PRIORITY } from '../../protocol/priority.js';
import { defined, exactly, type Value } from '../../protocol/text.js';
import { activities } from '../activities.js';
import type { AgentInput, AgentResult, AgentStatus, AgentWorkflow } from '../../contract/runs.js';
import * as messages from '../messages.js';
import { show, showAgent } from '../visibility.js';
import { startForks } from './forks.js';
import { Mailbox } from './inbox.js';
import { askForLease, releaseLease, RunChannel } from './to-run.js';
import { doTurn, doWork, workFailureOf } from './turn.js';

/** What an agent's workflow tells its worker: a chain of turns there stops after the turn in progress. */
export interface OperatorSinks extends Sinks {
  readonly raymondOperator: { orderArrived(): void };
}

const { raymondOperator } = proxySinks<OperatorSinks>();

/**
 * After this time, a chapter that could not be stored is stored again; a history with this many
 * events goes without.
 */
const CHAPTER_AGAIN_MS = 60_000;
const LONGEST_HISTORY = 40_000;

/** A cancel is a message like any other: it interrupts nothing by itself. */
export const agent: AgentWorkflow = async (input) => {
  const interpreter = new Interpreter(input);
  return await CancellationScope.nonCancellable(() => interpreter.untilEnd());
};

class Interpreter {
  private agent: AgentData;
  private readonly mailbox: Mailbox;
  private readonly run: RunChannel;
  /** The activity in progress. */
  private scope: CancellationScope | undefined;
  private readonly continued = workflowInfo().continuedFromExecutionRunId !== undefined;
  /** An execution that ended in the middle of a fork may have started agents that are not in the record. */
  private mayRepeatFork = !this.continued;
  private turns = 0;
  private forked = 0;
  private renewAt = 0;
  private shownStatus: string | undefined = this.continued ? undefined : 'running';
  private mistake: { readonly error: unknown } | undefined;

  constructor(private readonly input: AgentInput) {
    const { agent: given, pausedBy, forksPausedBy, move, runId } = input;
    const { record, inbox, memory } = newAgent(given);
    // The run lists a new agent as running; what it knows of one that continued may be older.
    const reported = { status: { kind: 'running' }, at: Date.now() } as const;
    this.agent = {
      inbox,
      record: { ...record, ...defined({ pausedBy, forksPausedBy, move }) },
      memory: this.continued ? memory : { ...memory, reported },
    };
    this.run = new RunChannel(runId);
    this.mailbox = new Mailbox(
      () => this.agent,
      (arrived) => void (this.agent = { ...this.agent, inbox: arrived }),
    );
    setHandler(messages.recordQuery, () => (this.agent.memory.stored === undefined ? this.agent.record : given));
  }

  private get endsByResult(): boolean {
    return this.input.endsByResult === true && !this.mailbox.mustSendEnd;
  }

  async untilEnd(): Promise<Value | AgentResult> {
    for (;;) {
      // A bug in Raymond blocks the workflow task until a worker with the fix runs.
      if (this.mistake !== undefined) throw this.mistake.error;
      this.mailbox.changed = false;
      const { agent, action } = next(this.agent, this.context());
      this.agent = agent;
      if (agent.memory.stored === undefined) this.mailbox.acceptAnswers();
      this.show();
      if (action.kind !== 'end') await this.act(action);
      else if (await this.end(action.ending)) return this.resultOf(action.ending);
    }
  }

  private context(): Context {
    const { runId, settings } = this.input;
    return {
      runId,
      now: Date.now(),
      skipsWaits: settings.skipsWaits === true,
      rejectsAsks: settings.rejectAsks === true,
      hidesRejectedAsks: settings.rejectAsks === true && patched('rejected-asks-are-not-reported'),
      // The mark of a patch adds events: only an agent that uses it gets one.
      get carriesReports() {
        return patched('turns-carry-reports');
      },
      get leavesMoneyToRun() {
        return patched('run-shows-waits-for-money');
      },
      get movesFromTrouble() {
        return settings.workspace?.onHostLoss === 'move' && patched('workspaces-leave-full-hosts');
      },
      get asksForUnsaved() {
        return settings.workspace !== undefined && patched('unsaved-files-can-be-given-up');
      },
      pauseAtLimit: settings.pauseAtLimit === true,
      pushes: settings.workspace?.outputBranch !== undefined,
      isFull: this.isFull(),
    };
  }

  private isFull(): boolean {
    const { turnsPerHistory, forksPerHistory = CHILDREN_PER_HISTORY } = this.input.settings;
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    const isLong = this.turns >= turnsPerHistory || this.forked >= forksPerHistory || continueAsNewSuggested;
    return isLong && (Date.now() >= this.renewAt || historyLength >= LONGEST_HISTORY);
  }

  private show(): void {
    const { record } = this.agent;
    const status = statusOf(record, Date.now());
    showAgent({ runId: this.input.runId, agent: record, status });
    if (status.kind === this.shownStatus) return;
    this.shownStatus = status.kind;
    show({ RaymondStatus: status.kind }, this.input.settings.searchAttributes);
  }

  private async act(action: Exclude<Action, { kind: 'end' }>): Promise<void> {
    const { agent, run, input } = this;
    const { record } = agent;
    const { id: agentId, state } = record;
    switch (action.kind) {
      case 'wait':
        return await this.suspend(action.until);
      case 'turn':
        if (executorOf(record.state) === 'prompt')
          show({ RaymondState: record.state }, input.settings.searchAttributes);
        this.mayRepeatFork = false;
        return this.begin(() => doTurn(input, record, action));
      case 'work':
        return this.begin(() => doWork(input, agent, action.work));
      case 'interrupt':
        this.scope?.cancel();
        return endChain();
      case 'end-chain':
        return endChain();
      case 'fork':
        return await this.fork(action.pending);
      case 'refuse':
        return await run.send(messages.refusedSignal, { agentId, by: action.by, why: action.why });
      case 'report':
        return await this.report(action);
      case 'saved':
        return await run.send(messages.savedSignal, { agentId, workspace: action.workspace });
      case 'quiet':
        return await run.send(messages.quietSignal, { agentId, workspace: action.workspace });
      case 'release':
        return await releaseLease(action.request);
      case 'ask-money':
        return await run.send(messages.allowanceSignal, { agentId, turnId: action.turnId, state });
      case 'ask-lease':
        return await this.askLease(action.request);
      case 'ask-place': {
        const { askId, workspace, loss } = action;
        return await run.send(messages.placementRequestSignal, {
          agentId,
          askId,
          workspace,
          ...defined({ lost: loss }),
        });
      }
      case 'renew':
        return await this.renew();
      default:
        return assertNever(action);
    }
  }

  /** The only function in which an agent waits: until a message arrives, or until a time (epoch ms). */
  private async suspend(until: number | undefined): Promise<void> {
    const arrived = (): boolean => this.mailbox.changed;
    if (until === undefined) await condition(arrived);
    else await condition(arrived, Math.max(1, until - Date.now()));
  }

  /** Starts an activity. Its end arrives as a message. */
  private begin(work: () => Promise<WorkEnd>): void {
    const scope = new CancellationScope();
    this.scope = scope;
    const ended = (end: WorkEnd): void => {
      if (end.kind === 'reported') this.turns += 1 + end.chain.length;
      this.mailbox.write({ workEnd: end });
    };
    void scope.run(work).then(ended, (error: unknown) => {
      this.mistake = { error };
      this.mailbox.changed = true;
    });
  }

  private async report({ kind: _sent, ...report }: Report): Promise<void> {
    const { record } = this.agent;
    try {
      await this.run.send(messages.reportSignal, { agentId: record.id, ...report });
    } catch (error) {
      this.agent = { ...this.agent, record: withUnsent(record, report) };
      throw error;
    }
  }

  private async askLease(request: WantedLease): Promise<void> {
    const { priority = DEFAULT_PRIORITY } = this.input.settings.turn;
    if (!(await askForLease(request, priority))) this.agent = withoutLease(this.agent);
  }

  private async fork(pending: PendingTransition): Promise<void> {
    const { input, run, mayRepeatFork: resumed } = this;
    const { hold: _pending, nextTurn: _tried, ...before } = this.agent.record;
    const step = applyTransition(before, pending.transition);
    if (step.kind !== 'fork') throw new TypeError(`${before.id}: ${pending.transition.kind} starts no agents`);
    try {
      const { started, agent } = await startForks({ input, run, before, step, pending, resumed });
      this.forked += started;
      this.mayRepeatFork &&= agent.hold?.kind === 'pending';
      this.agent = { ...this.agent, record: agent };
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      this.agent = afterFailure(this.agent, workFailureOf(error, before), { work: undefined, now: Date.now() });
    }
  }

  /** Continues as new, unless something has arrived meanwhile. */
  private async renew(): Promise<void> {
    const { pausedBy: _kept, forksPausedBy: _too, move: _made, endsByResult: _before, ...input } = this.input;
    try {
      await activities.keepChapter({ runId: input.runId, agentIds: [this.agent.record.id] });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      this.renewAt = Date.now() + CHAPTER_AGAIN_MS;
      if (workflowInfo().historyLength < LONGEST_HISTORY) return;
    }
    if (this.mailbox.changed) return;
    const ends = this.endsByResult ? ({ endsByResult: true } as const) : {};
    await continueAsNew<typeof agent>({ ...input, ...ends, agent: this.agent.record });
  }

  /** Reports to the run how the agent ended; false when an order has arrived that may change it. */
  private async end(ending: Ending): Promise<boolean> {
    const { record, memory } = this.agent;
    if (ending.kind === 'completed') {
      if (!this.endsByResult) await this.sendEnd(ending.agent, { kind: 'completed', result: ending.result });
      return true;
    }
    const stored = memory.stored ?? (await storeRecord(record, ending));
    if (this.mailbox.changed) return false;
    await this.sendEnd(record, { ...ending, ...defined({ record: stored }) });
    await this.forwardOrders();
    // Operator notes that arrived in the meantime go into the record.
    return this.agent.inbox.orders.length === 0;
  }

  /**
   * An order that arrived after the agent's last message is for its run, which starts the agent
   * again.
   */
  private async forwardOrders(): Promise<void> {
    const { inbox, record } = this.agent;
    const orders = inbox.orders.filter(({ kind }) => kind === 'note' || kind === 'withdraw');
    this.agent = { ...this.agent, inbox: { ...inbox, orders } };
    const move = inbox.orders.flatMap((order) => (order.kind === 'move' ? [order.move] : [])).at(-1);
    const resumption = inbox.orders.find((order) => order.kind === 'resume');
    if (move === undefined && resumption === undefined) return;
    const by = move?.by ?? resumption?.by ?? 'an operator';
    await this.run.sendLast(messages.reviveSignal, { agentId: record.id, by, ...defined({ move }) });
  }

  private async sendEnd(record: AgentState, status: AgentStatus): Promise<void> {
    const { id: agentId, state } = record;
    await this.run.sendLast(messages.endedSignal, { agentId, state, status, ...awaitedBy(record) });
  }

  private resultOf(ending: Ending): Value | AgentResult {
    if (ending.kind === 'completed') {
      const { agent: record, result } = ending;
      return this.endsByResult ? { state: record.state, result, ...awaitedBy(record) } : result;
    }
    const { id, state } = this.agent.record;
    if (ending.kind === 'cancelled') throw new CancelledFailure(`${id}, ${state} was cancelled`);
    throw ApplicationFailure.create({ ...ending.failure, nonRetryable: true });
  }
}

/** The forks whose results the agent has used; nothing when it forked none. */
function awaitedBy({ forks, awaited = 0 }: AgentState): { readonly awaited?: number } {
  return forks === 0 ? {} : { awaited };
}

/** The record of an agent whose run is gone: a later execution of the run gets the report. */
function withUnsent(record: AgentState, { number, state, costUsd }: Omit<Report, 'kind'>): AgentState {
  if (number !== undefined) return { ...record, carried: { number, state, costUsd } };
  const owedUsd = exactly((record.owedUsd ?? 0) + costUsd);
  return owedUsd > 0 ? { ...record, owedUsd } : record;
}

/** An operator's order takes effect when the turn in progress has ended. */
function endChain(): void {
  // A worker that only replays executes no chain.
  if (!workflowInfo().unsafe.isReplaying) raymondOperator.orderArrived();
}

/**
 * Stores what the agent can continue from. If that fails, its run asks the closed workflow for it.
 */
async function storeRecord(
  record: AgentState,
  ending: Exclude<Ending, { readonly kind: 'completed' }>,
): Promise<Value | undefined> {
  const stored: StoredRecord = { agent: record, ...(ending.kind === 'failed' ? { failure: ending.failure } : {}) };
  try {
    return await activities.storeRecord(JSON.stringify(stored));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return undefined;
  }
}
