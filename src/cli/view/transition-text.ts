// A transition for people: its target, and its tag. One wording for the live view and the history.
import { assertNever } from '../../protocol/failure.js';
import { isArtifact, type Value } from '../../protocol/text.js';
import type { Transition } from '../../protocol/machine/transition.js';

/** `NEXT.md (goto)`, `result "done"`. */
export function transitionText(transition: Transition): string {
  switch (transition.kind) {
    case 'goto':
    case 'reset':
    case 'reset-workflow':
      return `${transition.target} (${transition.kind})`;
    case 'call':
    case 'function':
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
      return `result ${shortText(transition.payload)}`;
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
