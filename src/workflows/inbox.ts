// What an agent hears from outside while it waits: answers of people, and that the agents it forked have ended.
// Must not change the agent's record: waits.ts does, when the agent goes on.
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import type { AgentState } from '../protocol/agent.js';
import { refusalOf, type Answer } from '../protocol/wait.js';
import type { Value } from '../protocol/text.js';
import { answerUpdate, forksEndedSignal } from './messages.js';

/** What has been heard and not yet been taken up. `agent` gives the record as it stands. */
export class Inbox {
  private answer: Answer | undefined;
  private ended: { readonly last: number; readonly results: Value } | undefined;

  constructor(agent: () => AgentState) {
    setHandler(forksEndedSignal, (news) => void (this.ended = news));
    setHandler(answerUpdate, (answer: Answer) => this.take(answer), {
      validator: (answer: Answer) => {
        const known = this.answer?.askId === answer.askId;
        const refusal = known ? `${answer.askId} has been answered already` : refusalOf(agent(), answer);
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
