// How many tags of one output make one transition: exactly one tag, or forks that share one continuation.
// Must not resolve names; names are compared as they were written.
import type { Problem } from './problem.js';
import { outlineTag } from './render-tag.js';
import type { SingleTag, StartingTag, Tag } from './tag.js';

/** The single change that an output asks for. A fork's `input` is what the forking agent itself goes on with. */
export type Combined =
  | { readonly kind: 'one'; readonly tag: SingleTag }
  | { readonly kind: 'fork'; readonly workers: readonly StartingTag[]; readonly next: string; readonly input?: string }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** What an output asks for, when it is no mistake. */
export type Change = Exclude<Combined, { readonly kind: 'problem' }>;

/** How many tags a problem shows. */
const SHOWN = 20;

/** Makes one of all tags of an output, or says why that cannot be. */
export function combineTags(tags: readonly Tag[]): Combined {
  const [first, ...more] = tags;
  if (first === undefined) return { kind: 'problem', problem: { kind: 'no-tag' } };
  if (!isStarting(first) && more.length === 0) return { kind: 'one', tag: first };
  const forks = tags.filter(isStarting);
  const gotos = tags.filter((tag) => tag.kind === 'goto');
  if (forks.length === 0 || gotos.length > 1 || forks.length + gotos.length < tags.length) return several(tags);
  const continuations = [...forks.flatMap(({ next }) => next ?? []), ...gotos.map(({ target }) => target)];
  const [next, ...others] = new Set(continuations);
  if (next === undefined) {
    return {
      kind: 'problem',
      problem: { kind: 'missing-attribute', tag: forks[0]?.kind ?? 'fork', attribute: 'next' },
    };
  }
  if (others.length > 0) {
    return { kind: 'problem', problem: { kind: 'several-continuations', names: [next, ...others].slice(0, SHOWN) } };
  }
  const input = gotos[0]?.input;
  return { kind: 'fork', workers: forks, next, ...(input === undefined ? {} : { input }) };
}

function isStarting(tag: Tag): tag is StartingTag {
  return tag.kind === 'fork' || tag.kind === 'fork-workflow';
}

function several(tags: readonly Tag[]): Combined {
  const shown = tags.slice(0, SHOWN).map(outlineTag);
  return { kind: 'problem', problem: { kind: 'several-tags', count: tags.length, tags: shown } };
}
