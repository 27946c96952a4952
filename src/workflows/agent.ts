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
import type { AgentState } from '../protocol/agent.js';
import { applyTransition, renumbered } from '../protocol/step.js';
import { assertNever, type Failure } from '../protocol/failure.js';
import { beginWait } from '../protocol/wait.js';
import type { Transition } from '../protocol/transition.js';
import type { Value } from '../protocol/text.js';
import { startForked } from './to-agents.js';
import { RunChannel } from './to-run.js';
import { Inbox, waitFor } from './waits.js';
import type { AgentInput } from './contract.js';
import { probeSignal, recordQuery } from './messages.js';
import { failureOf, perform, type TurnRecord } from './turn.js';
import { showAgent } from './visibility.js';

/** Forks after which an agent continues as new: Temporal allows 2,000 open children per execution. */
const FORKS_PER_HISTORY = 1000;

/** So many are started together: Temporal allows 2,000 signals and children that are under way. */
const FORKS_AT_ONCE = 100;

/** A worker to start, as the parent's fork of this number. */
interface NumberedFork {
  readonly worker: AgentState;
  readonly parent: string;
  readonly number: number;
}

/** Runs one agent to its end; gives its result payload. */
export async function agent(input: AgentInput): Promise<Value> {
  const self = new Agent(input);
  setHandler(recordQuery, () => self.record());
  setHandler(probeSignal, () => undefined);
  try {
    return await self.interpret();
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    throw await CancellationScope.nonCancellable(() => self.close(error));
  }
}

class Agent {
  state: AgentState;
  private readonly gate: RunChannel;
  private readonly inbox: Inbox;
  private turns = 0;
  private forked = 0;

  constructor(private readonly input: AgentInput) {
    const { owedUsd = 0, ...state } = input.agent;
    this.state = state;
    this.gate = new RunChannel(input.runId, owedUsd);
    this.inbox = new Inbox(() => this.state);
  }

  /** All that a resumption goes on from. */
  record(): AgentState {
    const { owedUsd } = this.gate;
    return owedUsd === 0 ? this.state : { ...this.state, owedUsd };
  }

  async interpret(): Promise<Value> {
    await this.gate.settle(this.state);
    for (;;) {
      await this.wait();
      const { due: before } = this.state;
      const due = before ?? (await this.perform());
      const { due: _due, ...done } = this.state;
      const step = applyTransition(done, due);
      switch (step.kind) {
        case 'continue':
          this.state = step.agent;
          break;
        case 'fork':
          this.state = await this.fork(step.agent, step.agents, { resumed: before !== undefined });
          break;
        case 'wait':
          this.state = { ...step.agent, hold: beginWait(step.wait, Date.now()) };
          break;
        case 'end':
          await this.gate.ended(step.agent, { kind: 'completed', result: step.payload });
          return step.payload;
        default:
          assertNever(step);
      }
      await this.renew();
    }
  }

  private async wait(): Promise<void> {
    const { input, state: agent, gate, inbox } = this;
    if (agent.hold === undefined) return;
    this.state = await waitFor({ input, agent, gate, inbox }, agent.hold);
    // The run itself ends the waiting of an agent that awaits others.
    if (agent.hold.kind !== 'await') await gate.report(this.state, { costUsd: 0, status: { kind: 'running' } });
  }

  private async perform(): Promise<Transition> {
    showAgent(this.state, { kind: 'running' });
    const { input, state: agent, gate } = this;
    return await perform({ input, agent, gate, recorded: (turn) => this.recorded(turn) });
  }

  /** The record moves on before the run hears of the turn: wherever the agent is torn off, no turn is done again (I1). */
  private recorded({ done, outcome }: TurnRecord): void {
    this.turns += 1;
    if (outcome.kind === 'transition') this.state = { ...done, due: outcome.transition };
    // A resumed agent does such a state again in the conversation that it had before; no turn number is used twice.
    else this.state = { ...this.state, turn: done.turn };
  }

  /** Starts the workers; one whose name was ever used in the run gets the next free number. */
  private async fork(
    parent: AgentState,
    workers: readonly AgentState[],
    { resumed }: { readonly resumed: boolean },
  ): Promise<AgentState> {
    const before = parent.forks - workers.length;
    const waiting = workers.map((worker, index): NumberedFork => ({
      worker,
      parent: parent.id,
      number: before + index + 1,
    }));
    let forks = parent.forks;
    while (waiting.length > 0) {
      const together = waiting.splice(0, FORKS_AT_ONCE);
      const refused = await this.startWorkers(together, { resumed });
      for (const { worker, number } of refused) {
        // It was started before the agent was lost.
        if (resumed && number <= parent.forks) continue;
        forks += 1;
        const again = renumbered(worker, { from: number, to: forks });
        waiting.push({ worker: again, parent: parent.id, number: forks });
      }
    }
    this.forked += workers.length;
    return { ...parent, forks };
  }

  /** Gives those that could not be started, because their names were used before. */
  private async startWorkers(
    workers: readonly NumberedFork[],
    { resumed }: { readonly resumed: boolean },
  ): Promise<readonly NumberedFork[]> {
    // The run must know of the workers before they exist, or it could end between the two. That is not torn by a cancel.
    return await CancellationScope.nonCancellable(async () => {
      await this.gate.starting(
        workers.map(({ worker, ...one }) => ({ ...one, agentId: worker.id, state: worker.state })),
      );
      const started = await Promise.all(workers.map(({ worker }) => startForked(this.input, worker)));
      const refused = workers.filter((_one, index) => !started[index]);
      // The books may know it as lost, from before it came to life.
      for (const one of resumed ? workers : [])
        if (!refused.includes(one)) await this.gate.report(one.worker, { costUsd: 0, status: { kind: 'running' } });
      for (const { worker, parent } of refused) await this.gate.notStarted(worker, parent);
      return refused;
    });
  }

  private async renew(): Promise<void> {
    const { turnsPerHistory } = this.input.settings;
    const full = this.turns >= turnsPerHistory || this.forked >= FORKS_PER_HISTORY;
    if (!full && !workflowInfo().continueAsNewSuggested) return;
    // Scripts tell the run nothing: here at the latest their agent learns that its run is gone.
    await this.gate.report(this.state, { costUsd: 0, status: { kind: 'running' } });
    // A cancel would not reach the next history; in this one it ends the next turn.
    if (CancellationScope.current().consideredCancelled) return;
    await condition(allHandlersFinished);
    // An answer that came before the question was shown is not in the record yet.
    if (this.inbox.holdsAnswer()) return;
    await continueAsNew<typeof agent>({ ...this.input, agent: this.state });
  }

  /** Tells the run how the agent ended, with its record to go on from; gives the error to close with. */
  async close(error: unknown): Promise<unknown> {
    if (isCancellation(error)) {
      await this.gate.ended(this.state, { kind: 'cancelled', record: this.record() });
      return error;
    }
    const failure: Failure = failureOf(error, this.state);
    const ended = { kind: 'failed', failure, record: this.record() } as const;
    showAgent(this.state, ended);
    await this.gate.ended(this.state, ended);
    return ApplicationFailure.create({ ...failure, nonRetryable: true });
  }
}
