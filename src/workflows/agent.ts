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
import { applyTransition } from '../protocol/apply.js';
import { assertNever } from '../protocol/assert.js';
import type { Failure } from '../protocol/failure.js';
import { renumbered } from '../protocol/fork.js';
import { begun } from '../protocol/hold.js';
import type { Value } from '../protocol/value.js';
import { startForked } from './agents.js';
import { Gate } from './gate.js';
import { Inbox } from './inbox.js';
import type { AgentInput } from './contract.js';
import { probeSignal, recordQuery } from './messages.js';
import { failureOf, perform } from './perform.js';
import { showAgent } from './visibility.js';
import { waitFor } from './waits.js';

/** Forks after which an agent continues as new: Temporal allows 2,000 open children per execution. */
const FORKS_PER_HISTORY = 1000;

/** So many are started together: Temporal allows 2,000 signals and children that are under way. */
const FORKS_AT_ONCE = 100;

/** A worker to start, as the parent's fork of this number. */
interface Numbered {
  readonly worker: AgentState;
  readonly parent: string;
  readonly number: number;
}

/** Runs one agent to its end; gives its result payload. */
export async function agent(input: AgentInput): Promise<Value> {
  const self = new Agent(input);
  setHandler(recordQuery, () => self.state);
  setHandler(probeSignal, () => undefined);
  try {
    return await self.live();
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    throw await CancellationScope.nonCancellable(() => self.bury(error));
  }
}

class Agent {
  state: AgentState;
  private readonly gate: Gate;
  private readonly inbox: Inbox;
  private turns = 0;
  private forked = 0;

  constructor(private readonly input: AgentInput) {
    this.state = input.agent;
    this.gate = new Gate(input.runId);
    this.inbox = new Inbox(() => this.state);
  }

  async live(): Promise<Value> {
    for (;;) {
      await this.wait();
      showAgent(this.state, { kind: 'running' });
      const { agent: done, transition } = await perform({
        input: this.input,
        agent: this.state,
        gate: this.gate,
        recorded: (agent) => this.recorded(agent),
      });
      const step = applyTransition(done, transition);
      this.turns += 1;
      switch (step.kind) {
        case 'continue':
          this.state = step.agent;
          break;
        case 'fork':
          this.state = await this.fork(step.agent, step.workers);
          break;
        case 'wait':
          this.state = { ...step.agent, hold: begun(step.wait, Date.now()) };
          break;
        case 'end':
          this.state = step.agent;
          await this.gate.ended(this.state, { kind: 'completed', result: step.payload });
          return step.payload;
        default:
          assertNever(step);
      }
      await this.renew();
    }
  }

  private async wait(): Promise<void> {
    const { input, state: agent, gate, inbox } = this;
    if (agent.hold !== undefined) this.state = await waitFor({ input, agent, gate, inbox }, agent.hold);
  }

  /** A resumed agent does such a state again in the conversation that it had before; no turn number is used twice. */
  private recorded(agent: AgentState): void {
    this.turns += 1;
    this.state = { ...this.state, turn: agent.turn };
    showAgent(agent, { kind: 'running' });
  }

  /** Starts the workers; one whose name was ever used in the run gets the next free number. */
  private async fork(parent: AgentState, workers: readonly AgentState[]): Promise<AgentState> {
    const before = parent.forks - workers.length;
    const waiting = workers.map((worker, index): Numbered => ({
      worker,
      parent: parent.id,
      number: before + index + 1,
    }));
    let forks = parent.forks;
    while (waiting.length > 0) {
      const together = waiting.splice(0, FORKS_AT_ONCE);
      const refused = await this.startWorkers(together);
      for (const { worker, number } of refused) {
        forks += 1;
        const again = renumbered(worker, { from: number, to: forks });
        waiting.push({ worker: again, parent: parent.id, number: forks });
      }
    }
    this.forked += workers.length;
    return { ...parent, forks };
  }

  /** Gives those that could not be started, because their names were used before. */
  private async startWorkers(workers: readonly Numbered[]): Promise<readonly Numbered[]> {
    // The run must know of the workers before they exist, or it could end between the two. That is not torn by a cancel.
    return await CancellationScope.nonCancellable(async () => {
      await this.gate.starting(
        workers.map(({ worker, ...one }) => ({ ...one, agentId: worker.id, state: worker.state })),
      );
      const started = await Promise.all(workers.map(({ worker }) => startForked(this.input, worker)));
      const refused = workers.filter((_one, index) => !started[index]);
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
    await continueAsNew<typeof agent>({ ...this.input, agent: this.state });
  }

  /** Tells the run how the agent ended, with its record to go on from; gives the error to close with. */
  async bury(error: unknown): Promise<unknown> {
    if (isCancellation(error)) {
      await this.gate.ended(this.state, { kind: 'cancelled', record: this.state });
      return error;
    }
    const failure: Failure = failureOf(error, this.state);
    showAgent(this.state, { kind: 'failed', failure, record: this.state });
    await this.gate.ended(this.state, { kind: 'failed', failure, record: this.state });
    return ApplicationFailure.create({ ...failure, nonRetryable: true });
  }
}
