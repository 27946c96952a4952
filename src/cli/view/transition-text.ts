// A transition for people: its target, and its tag. One wording for the live view and the history.
import { assertNever } from '../../protocol/failure.js';
import { isArtifact, type Value } from '../../protocol/text.js';
import type { TurnOutcome } from '../../protocol/machine/turn-end.js';
import type { Transition } from '../../protocol/machine/transition.js';

/** The transition of a turn, and what it replaced. */
export function endedText({ transition, overridden }: Extract<TurnOutcome, { readonly kind: 'transition' }>): string {
  const text = transitionText(transition);
  if (overridden === undefined) return text;
  return `${text} instead of ${shortText(overridden.proposed)}, because of ${shortText(overridden.pattern)}`;
}

/** `NEXT.md (goto)`, `result "done"`. */
function transitionText(transition: Transition): string {
  switch (transition.kind) {
    case 'goto':
    case 'reset':
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
      return `${transition.next} (fork ${forkText(transition)})`;
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

function forkText({ forks, more }: Extract<Transition, { kind: 'fork' }>): string {
  return more === undefined ? forks.map(({ target }) => target).join(', ') : `of ${more.count} agents`;
}

/** A text in quotes, cut when it is long. */
export function shortText(value: Value): string {
  return isArtifact(value) ? `of ${value.bytes} bytes` : JSON.stringify(value.slice(0, 80));
}
