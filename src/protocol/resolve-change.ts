// From the names in an output's tags to files, all of them before anything else is looked at.
// Must not check directories or store values: activities/outcome.ts does.
import { assertNever } from './assert.js';
import type { Change } from './combine.js';
import type { Problem } from './problem.js';
import { resolveState, type Folder } from './resolve.js';
import type { ForkTag, Tag } from './tag.js';

/** The change with file names in the place of names, or the first name that is no state. */
export type ResolvedChange =
  { readonly kind: 'change'; readonly change: Change } | { readonly kind: 'problem'; readonly problem: Problem };

/** Resolves every name of a change in the folder of its states. */
export function resolveChange(change: Change, folder: Folder): ResolvedChange {
  const files = new Map<string, string>();
  for (const name of namesOf(change)) {
    const found = resolveState({ ...folder, name });
    if (found.kind === 'problem') return found;
    files.set(name, found.file);
  }
  return { kind: 'change', change: withFiles(change, (name) => files.get(name) ?? name) };
}

function namesOf(change: Change): readonly string[] {
  if (change.kind === 'fork') return [...change.workers.map(({ target }) => target), change.next];
  const { tag } = change;
  if (tag.kind === 'result') return [];
  return 'return' in tag ? [tag.target, tag.return] : [tag.target];
}

function withFiles(change: Change, file: (name: string) => string): Change {
  if (change.kind === 'one') return { ...change, tag: tagWithFiles(change.tag, file) };
  const workers = change.workers.map(({ next, ...fork }) => ({
    ...fork,
    target: file(fork.target),
    ...(next === undefined ? {} : { next: file(next) }),
  }));
  return { ...change, workers, next: file(change.next) };
}

function tagWithFiles(tag: Exclude<Tag, ForkTag>, file: (name: string) => string): Exclude<Tag, ForkTag> {
  switch (tag.kind) {
    case 'goto':
    case 'reset':
      return { ...tag, target: file(tag.target) };
    case 'call':
    case 'function':
      return { ...tag, target: file(tag.target), return: file(tag.return) };
    case 'result':
      return tag;
    default:
      return assertNever(tag);
  }
}
