// What an agent does between two states: waits for a time, for a person's answer, or for the agents that it forked, and what it hears
// meanwhile. Every wait is in the agent's record, so that it goes on over continue-as-new, restarts and resumptions.
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import type { AgentState, Ask, WaitHold } from '../../protocol/machine/agent.js';
import { assertNever } from '../../protocol/failure.js';
import type { Value } from '../../protocol/text.js';
import {
  afterAnswer,
  afterAwait,
  answerProblem,
  afterDelay,
  afterTimeout,
  type Answer,
} from '../../protocol/machine/wait.js';
import type { AgentInput, AgentStatus, AskLine } from '../contract.js';
import { answerUpdate, forksEndedSignal, timeOverSignal } from '../messages.js';
import type { RunChannel } from './to-run.js';
import { show, showAgent } from '../visibility.js';

/** An agent that waits. */
interface WaitOptions {
  readonly input: AgentInput;
  readonly agent: AgentState;
  readonly gate: RunChannel;
  readonly inbox: Inbox;
}

/**
 * Waits until the agent's hold is over; gives its record as it goes on, or throws the failure that ends it. Does nothing after
 * the wait that takes time: what is said to the agent then must meet its new record.
 */
export async function waitFor(waiting: WaitOptions, hold: WaitHold): Promise<AgentState> {
  if (hold.kind === 'ask' && waiting.input.settings.rejectAsks === true) throw rejected(waiting);
  const status = statusOf(hold, waiting.agent);
  const { searchAttributes } = waiting.input.settings;
  showAgent(waiting.agent, status);
  show({ RaymondStatus: status.kind }, searchAttributes);
  const next = await nextAfter(waiting, { hold, status });
  waiting.inbox.clear();
  show({ RaymondStatus: 'running' }, searchAttributes);
  return next;
}

/** The status of a wait. */
type WaitStatus = Extract<AgentStatus, { kind: 'sleeping' | 'asking' | 'awaiting' }>;

function statusOf(hold: WaitHold, { awaited = 0, forks }: AgentState): WaitStatus {
  switch (hold.kind) {
    case 'delay':
      return { kind: 'sleeping', until: hold.until };
    case 'ask': {
      return { kind: 'asking', ask: lineOf(hold) };
    }
    case 'await':
      return { kind: 'awaiting', forks: { after: awaited, last: forks } };
    default:
      return assertNever(hold);
  }
}

/** What the run's ledger keeps of a question: files that are too long for it lie in the artifact store. */
function lineOf({ id, prompt, until, upload, shown, storedFiles }: Ask): AskLine {
  const files = {
    ...(upload === undefined ? {} : { upload }),
    ...(shown === undefined ? {} : { shown }),
  };
  return {
    id,
    prompt,
    ...(until === undefined ? {} : { until }),
    ...(storedFiles === undefined ? files : { storedFiles }),
  };
}

async function nextAfter(
  { agent, gate, inbox }: WaitOptions,
  { hold, status }: { readonly hold: WaitHold; readonly status: WaitStatus },
): Promise<AgentState> {
  switch (hold.kind) {
    case 'delay':
      await gate.hold(agent, { status, until: hold.until });
      return afterDelay(agent);
    case 'ask': {
      const until = hold.until === undefined ? {} : { until: hold.until };
      await gate.hold(agent, { status, over: () => inbox.isSettled(hold.id), ...until });
      const answer = inbox.answerTo(hold.id);
      const next = answer === undefined ? afterTimeout(agent, hold) : afterAnswer(agent, { ask: hold, answer });
      if (next === undefined) throw late(agent, hold.id);
      return next;
    }
    case 'await': {
      await gate.hold(agent, { status, over: () => inbox.resultsUpTo(agent.forks) !== undefined });
      return afterAwait(agent, { next: hold.next, results: inbox.resultsUpTo(agent.forks) ?? '[]' });
    }
    default:
      return assertNever(hold);
  }
}

function late({ id, state }: AgentState, askId: string): ApplicationFailure {
  const message = `${id}, ${state}: nobody answered ${askId} in time, and it names no timeout_next`;
  return ApplicationFailure.create({ type: 'AskTimedOut', message, nonRetryable: true });
}

function rejected({ agent: { id, state }, input: { runId } }: WaitOptions): ApplicationFailure {
  const why = 'the state asks a person, but --on-ask=reject was given';
  const message = `${id}, ${state}: ${why}; let it ask with: raymond resume ${runId} --on-ask=exit`;
  return ApplicationFailure.create({ type: 'AskRejected', message, nonRetryable: true });
}

/** What has been heard and not yet been taken up. `agent` gives the record as it stands. */
export class Inbox {
  private answer: Answer | undefined;
  /** The question whose time is over. */
  private lateAsk: string | undefined;
  private ended: { readonly last: number; readonly results: Value } | undefined;

  constructor(agent: () => AgentState) {
    setHandler(forksEndedSignal, (news) => void (this.ended = news));
    setHandler(timeOverSignal, ({ askId }) => void (this.lateAsk = askId));
    setHandler(answerUpdate, (answer: Answer) => this.take(answer), {
      validator: (answer: Answer) => {
        const known = this.answer?.askId === answer.askId;
        const refusal = known ? `${answer.askId} has been answered already` : answerProblem(agent(), answer);
        if (refusal !== undefined) throw refused(refusal);
      },
    });
  }

  private take(answer: Answer): undefined {
    this.answer = answer;
  }

  /** The answer to this question, if it is there. */
  answerTo(askId: string): Answer | undefined {
    return this.answer?.askId === askId ? this.answer : undefined;
  }

  /** True once it has been answered, or its time was said to be over. */
  isSettled(askId: string): boolean {
    return this.lateAsk === askId || this.answerTo(askId) !== undefined;
  }

  /** True while an answer has not been taken up. */
  holdsAnswer(): boolean {
    return this.answer !== undefined;
  }

  /** The results of the agents forked up to number `last`, if they are there. */
  resultsUpTo(last: number): Value | undefined {
    return this.ended?.last === last ? this.ended.results : undefined;
  }

  /** Forgets what has been taken up. */
  clear(): void {
    this.answer = undefined;
    this.ended = undefined;
  }
}

function refused(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'AnswerRefused', message, nonRetryable: true });
}
