// A transition for people: its target, and its tag. One wording for the live view and the history.
import { assertNever } from '../../protocol/failure.js';
import type { Order } from '../../client/look/orders.js';
import { dollars, isArtifact, type Value } from '../../protocol/text.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { MAX_REMINDERS } from '../../protocol/language/reminder.js';
import type { NextTry } from '../../protocol/machine/retry.js';
import type { TurnOutcome } from '../../protocol/machine/work-end.js';
import { problemText } from '../../protocol/machine/turn-end.js';
import type { Transition } from '../../protocol/machine/transition.js';
import { duration } from './format.js';

/** The transition of a turn, and what it replaced. */
export function endedText({ transition, overridden }: Extract<TurnOutcome, { readonly kind: 'transition' }>): string {
  const text = transitionText(transition);
  if (overridden === undefined) return text;
  return `${text} instead of ${shortText(overridden.proposed)}, because of ${shortText(overridden.pattern)}`;
}

/** `NEXT.md (goto)`, `result "done"`. */
export function transitionText(transition: Transition): string {
  switch (transition.kind) {
    case 'goto':
    case 'reset':
      return `${transition.target} (${transition.kind}${delayText(transition.delayMs)})`;
    case 'reset-workflow':
      return `${transition.target} (${transition.kind})`;
    case 'call':
    case 'function':
      if (transition.judging !== undefined)
        return `${transition.target} (evaluate, decides on ${shortText(transition.judging.tag)})`;
      return `${transition.target} (${transition.kind}, returns to ${transition.return})`;
    case 'call-workflow':
    case 'function-workflow':
      return `${transition.target} (${transition.kind}, returns to ${transition.return})`;
    case 'fork':
      return `${transition.next} (fork ${forkText(transition)}${delayText(transition.delayMs)})`;
    case 'await':
      return `${transition.next} (await)`;
    case 'ask':
      // Shown in full when the run has recorded it.
      return `${transition.next} (ask)`;
    case 'result':
      return transition.verdict === undefined
        ? `result ${shortText(transition.payload)}`
        : `instead ${transitionText(transition.verdict)}`;
    default:
      return assertNever(transition);
  }
}

function delayText(ms: number | undefined): string {
  return ms === undefined ? '' : `, in ${wholeSeconds(ms)}`;
}

/** `4 s`, not `4.0 s`: these are set, not measured. */
function wholeSeconds(ms: number): string {
  return duration(ms).replace('.0 s', ' s');
}

/** A failed turn with what follows: `(try 1 of 3, again in 1 s)`. */
export function failedText(message: string, retry: NextTry | undefined): string {
  if (retry === undefined) return message;
  const [first = '', ...more] = message.split('\n');
  const next = `try ${retry.tried} of ${retry.of}, again in ${wholeSeconds(retry.seconds * 1000)}`;
  return [`${first} (${next})`, ...more].join('\n');
}

/** A turn without a usable transition with what follows; `reminder` is the number of the one that it answered. */
export function unusableText(
  { problem, remindable }: Extract<TurnOutcome, { readonly kind: 'problem' }>,
  reminder: number | undefined,
): string {
  const next = (reminder ?? 0) + 1;
  if (remindable !== true || next > MAX_REMINDERS) return problemText(problem, reminder);
  return `${describeProblem(problem)} (reminder ${next} of ${MAX_REMINDERS} follows)`;
}

function forkText({ forks, more }: Extract<Transition, { kind: 'fork' }>): string {
  return more === undefined ? forks.map(({ target }) => target).join(', ') : `of ${more.count} agents`;
}

/** An order as people give it. */
export function orderText(order: Order): string {
  switch (order.kind) {
    case 'pause':
    case 'resume':
    case 'retry':
    case 'cancel':
      return order.kind;
    case 'withdraw':
      return 'withdrew notes';
    case 'goto':
      return `goto ${order.target}`;
    case 'budget':
      return order.usd === undefined ? 'no budget' : `a budget of ${dollars(order.usd)}`;
    case 'tell':
      return `tell ${shortText(order.text)}`;
    case 'answer':
      return `answer to ${order.askId}: ${shortText(order.text)}`;
    default:
      return assertNever(order);
  }
}

/** A text in quotes, cut when it is long. */
export function shortText(value: Value): string {
  return isArtifact(value) ? `of ${value.bytes} bytes` : JSON.stringify(value.slice(0, 80));
}
