// The messages to an agent: every signal and update only writes the inbox. protocol/machine/hold.ts
// decides what follows.
import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import type { Agent, Inbox, Order } from '../../protocol/machine/inbox.js';
import { answerProblem, type Answer } from '../../protocol/machine/wait.js';
import * as messages from '../messages.js';

/** Where an agent's messages arrive. */
export class Mailbox {
  /** True when something has arrived since the last look. */
  changed = false;
  /** The run cannot get the result of this workflow. */
  mustSendEnd = false;

  /** `agent` = the agent in its current state; `put` stores what has arrived. */
  constructor(
    private readonly agent: () => Agent,
    private readonly put: (inbox: Inbox) => void,
  ) {
    this.acceptOrders();
    this.acceptRunMessages();
    setHandler(messages.probeSignal, () => undefined);
    setHandler(messages.sendEndSignal, () => void (this.mustSendEnd = true));
    void CancellationScope.current().cancelRequested.catch(() => this.write({ cancelled: true }));
  }

  /** Stores what has arrived. */
  write(arrived: Partial<Inbox>): void {
    this.put({ ...this.agent().inbox, ...arrived });
    this.changed = true;
  }

  private order(order: Order): void {
    this.write({ orders: [...this.agent().inbox.orders, order] });
  }

  private acceptOrders(): void {
    setHandler(messages.tellSignal, (note) => this.order({ kind: 'note', note }));
    setHandler(messages.withdrawSignal, () => this.order({ kind: 'withdraw' }));
    setHandler(messages.pauseSignal, (pause) => this.order({ kind: 'pause', ...pause }));
    setHandler(messages.resumeSignal, (order) => this.order({ ...order, kind: 'resume' }));
    setHandler(messages.moveSignal, (move) => this.order({ kind: 'move', move }));
    setHandler(messages.askExpiredSignal, ({ askId }) => this.write({ expired: askId }));
  }

  /** Answers wait in the server until the agent's record is read: only then is it known what fits. */
  acceptAnswers(): void {
    setHandler(messages.answerUpdate, (answer: Answer): undefined => void this.write({ answer }), {
      validator: (answer: Answer) => {
        const refusal = refusalOf(this.agent(), answer);
        if (refusal !== undefined)
          throw ApplicationFailure.create({ type: 'AnswerRefused', message: refusal, nonRetryable: true });
      },
    });
  }

  private acceptRunMessages(): void {
    setHandler(messages.grantSignal, (grant) => this.write({ grant }));
    setHandler(messages.recallSignal, () => this.write({ recalled: true }));
    setHandler(messages.forksEndedSignal, (results) => this.write({ results }));
    setHandler(messages.leaseSignal, ({ requestId }) => this.write({ leased: requestId }));
    setHandler(messages.placementSignal, (message) => {
      this.write(message.kind === 'moves' ? { moves: 'asked' } : { placement: message });
    });
  }
}

/** Why an answer cannot be taken; undefined when it can. */
function refusalOf({ inbox, record, memory }: Agent, answer: Answer): string | undefined {
  if (inbox.answer?.askId === answer.askId) return `${answer.askId} has been answered already`;
  const isEnding = inbox.cancelled === true || memory.ending !== undefined || record.move !== undefined;
  return isEnding ? `${record.id} no longer waits for an answer to ${answer.askId}` : answerProblem(record, answer);
}
