// Which edge of the graph a step of a run took. What a state wrote and what its run did need not look alike: a target may have been computed,
// and the `<goto>` beside forks is recorded as where the forking agent goes on. Pure.
import type { TagName } from '../protocol/language/tag.js';
import type { Edge, EdgeRole } from './graph.js';

/** A step of a run. */
export interface Taken {
  readonly from: string;
  readonly tag: TagName;
  readonly role: EdgeRole;
  readonly to: { readonly kind: 'state'; readonly file: string } | { readonly kind: 'workflow' | 'end' };
}

/** The edge of its state that says what was done, else one that leaves it open. */
export function edgeOf(edges: readonly Edge[], step: Taken): Edge | undefined {
  const own = edges.filter((edge) => edge.from === step.from);
  const saying = own.filter(({ tag, role }) => role === step.role && tagsOf(step).includes(tag));
  const beside = isFork(step) ? own.filter(({ tag, role }) => tag === 'goto' && role === 'target') : [];
  const fitting = [...saying, ...beside];
  return fitting.find((edge) => leadsTo(edge, step)) ?? fitting.find(({ to }) => to.kind === 'computed');
}

function isFork({ tag, role }: Taken): boolean {
  return tag === 'fork' && role === 'next';
}

/** Any of several forks names the common `next`. */
function tagsOf(step: Taken): readonly TagName[] {
  return isFork(step) ? ['fork', 'fork-workflow'] : [step.tag];
}

function leadsTo({ to }: Edge, step: Taken): boolean {
  return to.kind === 'state' ? step.to.kind === 'state' && step.to.file === to.file : to.kind === step.to.kind;
}
