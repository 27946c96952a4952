// What an operator says to one agent: words for its next prompt, another state to go to, a pause that does not wait for the end of a turn.
// What is recorded stays recorded; only a turn that is under way is torn, when that was asked for, and then done again.
import {
  CancellationScope,
  isCancellation,
  proxySinks,
  setHandler,
  workflowInfo,
  type Sinks,
} from '@temporalio/workflow';
import type { AgentState, Due, Told } from '../../protocol/machine/agent.js';
import type { Move } from '../contract.js';
import { moveSignal, pauseSignal, tellSignal } from '../messages.js';
import type { RunChannel } from './to-run.js';

/** What the worker hears that interprets an agent: a chain of its turns that the same worker is doing ends with the turn that runs. */
export interface OperatorSinks extends Sinks {
  readonly raymondOperator: { asked(): void };
}

const { raymondOperator } = proxySinks<OperatorSinks>();

/** Whatever an operator asks for takes effect when the turn that runs has ended. */
function endChain(): void {
  // A worker that only replays has no such ear.
  if (!workflowInfo().unsafe.isReplaying) raymondOperator.asked();
}

/** The agent's ear for its operator. */
export class Operator {
  /** Words that no prompt has taken up. */
  told: readonly Told[];
  private move: Move | undefined;
  /** What is being done, as long as it may be torn. */
  private scope: CancellationScope | undefined;
  private torn: CancellationScope | undefined;
  private isTurn = false;

  constructor(gate: RunChannel, { told = [], move }: { readonly told?: readonly Told[]; readonly move?: Move }) {
    this.told = told;
    this.move = move;
    setHandler(tellSignal, (words) => void (this.told = [...this.told, words]));
    setHandler(pauseSignal, ({ by, now }) => {
      gate.pausedBy = by;
      endChain();
      if (now === true && this.isTurn) this.tear();
    });
    setHandler(moveSignal, (asked) => {
      this.move = asked;
      endChain();
      if (asked.now === true || !this.isTurn) this.tear();
    });
    void CancellationScope.current().cancelRequested.catch(endChain);
  }

  /** True when an operator has named a state to go to. */
  get hasMove(): boolean {
    return this.move !== undefined;
  }

  /** The agent as it goes to the state that an operator has named, whatever it waited for; undefined when nobody has. */
  moved(agent: AgentState): (AgentState & { readonly hold: Due }) | undefined {
    const { move } = this;
    if (move === undefined) return undefined;
    this.move = undefined;
    const { hold: _hold, pending: _pending, ...record } = agent;
    const { kind, target, input } = move;
    const transition = { kind, target, ...(input === undefined ? {} : { input }) };
    return { ...record, hold: { kind: 'due', transition } };
  }

  /** Does what an agent does between two transitions; undefined when an operator has torn it. */
  async heed<T>(work: () => Promise<T>): Promise<T | undefined> {
    const scope = new CancellationScope();
    this.scope = scope;
    try {
      return await scope.run(work);
    } catch (error) {
      const ofAgent = CancellationScope.current().consideredCancelled;
      if (this.torn === scope && isCancellation(error) && !ofAgent) return undefined;
      throw error;
    } finally {
      this.scope = undefined;
    }
  }

  /** Does a turn: it ends by itself, unless an operator cannot wait. */
  async turn<T>(work: () => Promise<T>): Promise<T> {
    this.isTurn = true;
    try {
      return await work();
    } finally {
      this.isTurn = false;
    }
  }

  private tear(): void {
    this.torn = this.scope;
    this.scope?.cancel();
  }
}
