// The agent workflow: the interpreter. Its loop reads like the language: gate → perform the state → apply the transition → step.
// It touches the world only through activities, and money only through the run.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
} from '@temporalio/workflow';
import { continueAsNew, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { AgentState, Due, Hold, StoredRecord, WaitHold } from '../../protocol/machine/agent.js';
import { assertNever, type Failure } from '../../protocol/failure.js';
import { CHILDREN_PER_HISTORY } from '../../protocol/limits.js';
import { applyTransition } from '../../protocol/machine/step.js';
import { defined, type Value } from '../../protocol/text.js';
import { beginWait, reopened } from '../../protocol/machine/wait.js';
import { keepChapter, readRecord, storeRecord } from '../activities.js';
import { ChainedTurns } from './chained-turns.js';
import type { AgentInput } from '../contract.js';
import { startForks, type ForkOptions } from './forks.js';
import { Leases } from './leases.js';
import { probeSignal, recordQuery } from '../messages.js';
import { Operator } from './operator.js';
import { Files } from './files.js';
import { RunChannel } from './to-run.js';
import { failureOf } from './patience.js';
import { perform, type TurnRecord } from './turn.js';
import { showAgent } from '../visibility.js';
import { Inbox, waitFor } from './waits.js';

/** Runs one agent to its end; gives its result payload. */
export async function agent(input: AgentInput): Promise<Value> {
  let record = (): AgentInput['agent'] => input.agent;
  setHandler(recordQuery, () => record());
  setHandler(probeSignal, () => undefined);
  const self = new Agent(input, await recordOf(input.agent));
  record = () => self.record();
  try {
    return await self.interpret();
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    throw await CancellationScope.nonCancellable(() => self.close(error));
  }
}

/** The record as it came, or as it was kept when the agent ended in an earlier execution of the run. */
async function recordOf(agent: AgentInput['agent']): Promise<AgentState> {
  if (!('record' in agent)) return agent;
  const stored = await CancellationScope.nonCancellable(() => readRecord(agent.record));
  return reopened(stored as StoredRecord);
}

class Agent {
  state: AgentState;
  private readonly operator: Operator;
  private readonly gate: RunChannel;
  private readonly files: Files;
  private readonly inbox: Inbox;
  private readonly leases = new Leases();
  private readonly chained = new ChainedTurns();
  private turns = 0;
  private forked = 0;

  constructor(
    private readonly input: AgentInput,
    { owedUsd = 0, told = [], ...state }: AgentState,
  ) {
    this.state = state;
    this.gate = new RunChannel(input.runId, owedUsd);
    this.gate.pausedBy = input.pausedBy;
    this.gate.skipsWaits = input.settings.skipsWaits === true;
    const { runId, settings } = input;
    this.files = new Files({ runId, settings: settings.workspace, gate: this.gate, agent: () => this.state });
    this.operator = new Operator(this.gate, { told, ...defined({ move: input.move }) });
    this.inbox = new Inbox(() => this.state);
  }

  /** All that a resumption goes on from. */
  record(): AgentState {
    const { owedUsd } = this.gate;
    const { told } = this.operator;
    return { ...this.state, ...(owedUsd === 0 ? {} : { owedUsd }), ...(told.length === 0 ? {} : { told }) };
  }

  async interpret(): Promise<Value> {
    await this.gate.settle(this.state);
    // A fork that was under way when an execution was torn off may have started agents that the record does not know of.
    let torn = workflowInfo().continuedFromExecutionRunId === undefined;
    for (;;) {
      const due = await this.nextTransition();
      this.state = await this.files.kept(this.state);
      const { hold: _due, ...done } = this.state;
      const step = applyTransition(done, due.transition);
      switch (step.kind) {
        case 'continue':
          this.state = step.agent;
          break;
        case 'fork':
          this.state = await this.fork(due, { before: done, step, resumed: torn && this.turns === 0 });
          break;
        case 'wait':
          this.state = { ...step.agent, hold: beginWait(step.wait, Date.now()) };
          break;
        case 'end':
          await this.files.push(step.agent);
          await this.gate.ended(step.agent, { kind: 'completed', result: step.payload });
          return step.payload;
        default:
          assertNever(step);
      }
      torn = false;
      await this.renew();
    }
  }

  /** Where an operator sends the agent; what the last turn came to, if that has not come about; else what the next one comes to. */
  private async nextTransition(): Promise<Due> {
    for (;;) {
      const { hold } = this.state;
      // Agents of a fork that is under way are not to be forgotten.
      if (hold?.kind === 'due' && hold.progress !== undefined) return hold;
      const due = await this.dueTransition(hold);
      const moved = this.chained.isEmpty ? this.operator.moved(this.state) : undefined;
      if (moved === undefined && due !== undefined) return due;
      if (moved === undefined) continue;
      this.inbox.clear();
      this.state = moved;
      await this.gate.report(moved, { costUsd: 0, status: { kind: 'running' } });
      return moved.hold;
    }
  }

  private async dueTransition(hold: Hold | undefined): Promise<Due | undefined> {
    if (this.operator.hasMove && this.chained.isEmpty) return undefined;
    return hold?.kind === 'due' ? hold : await this.operator.heed(() => this.goOn(hold));
  }

  private async goOn(hold: WaitHold | undefined): Promise<Due> {
    if (hold !== undefined) await this.wait(hold);
    await this.pause();
    showAgent(this.state, { kind: 'running' });
    const { input, state: agent, gate, files, leases, chained, operator } = this;
    const recorded = (turn: TurnRecord): void => this.recorded(turn);
    const pause = (): Promise<void> => this.pause();
    const turn = { input, agent, gate, files, leases, chained, told: () => operator.told, recorded, pause };
    return { kind: 'due', transition: await operator.turn(() => perform(turn)) };
  }

  /** Waits for a resumption when an operator has asked for a pause. */
  private async pause(): Promise<void> {
    const { state: agent, gate } = this;
    if (gate.pausedBy === undefined || !this.chained.isEmpty) return;
    const message = `${agent.id}, ${agent.state}: paused by ${gate.pausedBy}`;
    const status = { kind: 'paused', failure: { type: 'PausedByHand', message } } as const;
    showAgent(agent, status);
    await gate.hold(agent, { status });
    await gate.report(agent, { costUsd: 0, status: { kind: 'running' } });
  }

  private async wait(hold: WaitHold): Promise<void> {
    const { input, state: agent, gate, inbox } = this;
    this.state = await waitFor({ input, agent, gate, inbox }, hold);
    // The run itself ends the waiting of an agent that awaits others.
    if (hold.kind !== 'await') await gate.report(this.state, { costUsd: 0, status: { kind: 'running' } });
  }

  /** The record moves on before the run hears of the turn: wherever the agent is torn off, no turn is done again (I1). */
  private recorded({ done, outcome, told }: TurnRecord): void {
    this.turns += 1;
    this.operator.told = this.operator.told.slice(told);
    if (outcome.kind === 'transition') this.state = { ...done, hold: { kind: 'due', transition: outcome.transition } };
    // A resumed agent does such a state again in the conversation that it had before; no turn number is used twice.
    else this.state = { ...this.state, turn: done.turn };
  }

  private async fork(
    due: Due,
    { before, step, resumed }: Pick<ForkOptions, 'before' | 'step' | 'resumed'>,
  ): Promise<AgentState> {
    const { progress } = due;
    return await startForks({
      input: this.input,
      gate: this.gate,
      before,
      step,
      resumed,
      ...(progress === undefined ? {} : { progress }),
      started: async (agents, how) => {
        this.forked += agents;
        this.state = { ...before, hold: { ...due, progress: how } };
        if (how.page !== undefined) await this.renew();
      },
    });
  }

  private async renew(): Promise<void> {
    if (!this.chained.isEmpty) return;
    const { turnsPerHistory, forksPerHistory = CHILDREN_PER_HISTORY } = this.input.settings;
    const full = this.turns >= turnsPerHistory || this.forked >= forksPerHistory;
    if (!full && !workflowInfo().continueAsNewSuggested) return;
    // Scripts tell the run nothing: here at the latest their agent learns that its run is gone.
    await this.gate.report(this.state, { costUsd: 0, status: { kind: 'running' } });
    await keepChapter({ runId: this.input.runId, agentIds: [this.state.id] });
    // What was asked for would not reach the next history; in this one it takes effect before the next turn ends.
    const { gate, operator, files } = this;
    if (CancellationScope.current().consideredCancelled || gate.pausedBy !== undefined || operator.hasMove) return;
    if (files.moves) return;
    await condition(allHandlersFinished);
    // An answer that came before the question was shown is not in the record yet.
    if (this.inbox.holdsAnswer()) return;
    const { pausedBy: _over, move: _made, ...input } = this.input;
    await continueAsNew<typeof agent>({ ...input, agent: this.record() });
  }

  /** Tells the run how the agent ended, and where the record is that it goes on from; gives the error to close with. */
  async close(error: unknown): Promise<unknown> {
    if (isCancellation(error)) {
      await this.gate.ended(this.state, { kind: 'cancelled', record: await this.keep() });
      return error;
    }
    const failure: Failure = failureOf(error, this.state);
    showAgent(this.state, { kind: 'failed', failure });
    // A run that is gone asks closed workflows for their records.
    if (failure.type !== 'RunGone')
      await this.gate.ended(this.state, { kind: 'failed', failure, record: await this.keep(failure) });
    return ApplicationFailure.create({ ...failure, nonRetryable: true });
  }

  private async keep(failure?: Failure): Promise<Value> {
    const record: StoredRecord = { agent: this.record(), ...(failure === undefined ? {} : { failure }) };
    return await storeRecord(JSON.stringify(record));
  }
}
