// Finds the edge of the graph that a step of a run followed. The two may differ: a target may have been computed, and the `<goto>` beside
// forks is recorded as the `next` of the fork. Pure.
import type { TagName } from '../protocol/language/tag.js';
import type { Edge, EdgeRole } from './graph.js';

/** A transition that a run made. */
export interface RunStep {
  readonly from: string;
  readonly tag: TagName;
  readonly role: EdgeRole;
  readonly to: { readonly kind: 'state'; readonly file: string } | { readonly kind: 'workflow' | 'end' };
}

/** The edge with the same target as the step, otherwise a computed edge that fits. */
export function edgeOf(edges: readonly Edge[], step: RunStep): Edge | undefined {
  const fromState = edges.filter((edge) => edge.from === step.from);
  const sameTag = fromState.filter(({ tag, role }) => role === step.role && tagsOf(step).includes(tag));
  const siblingGotos = isFork(step) ? fromState.filter(({ tag, role }) => tag === 'goto' && role === 'target') : [];
  const candidates = [...sameTag, ...siblingGotos];
  return candidates.find((edge) => leadsTo(edge, step)) ?? candidates.find(({ to }) => to.kind === 'computed');
}

function isFork({ tag, role }: RunStep): boolean {
  return tag === 'fork' && role === 'next';
}

/** Of several forks, any one may name the common `next`. */
function tagsOf(step: RunStep): readonly TagName[] {
  return isFork(step) ? ['fork', 'fork-workflow'] : [step.tag];
}

function leadsTo({ to }: Edge, step: RunStep): boolean {
  return to.kind === 'state' ? step.to.kind === 'state' && step.to.file === to.file : to.kind === step.to.kind;
}
