// From the names in an output's tags to files, all of them before anything else is looked at.
// Must not check directories or store values: activities/outcome.ts does.
import { assertNever } from './assert.js';
import type { Change } from './combine.js';
import type { Problem } from './problem.js';
import { resolveState, type Folder } from './resolve.js';
import type { SingleTag } from './tag.js';

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
  if (change.kind === 'fork') {
    return [...change.workers.flatMap((fork) => (fork.kind === 'fork' ? [fork.target] : [])), change.next];
  }
  const { tag } = change;
  switch (tag.kind) {
    case 'goto':
    case 'reset':
      return [tag.target];
    case 'call':
    case 'function':
      return [tag.target, tag.return];
    case 'call-workflow':
    case 'function-workflow':
      return [tag.return];
    case 'ask':
      return tag.timeout_next === undefined ? [tag.next] : [tag.next, tag.timeout_next];
    case 'await':
      return [tag.next];
    case 'result':
    case 'reset-workflow':
      return [];
    default:
      return assertNever(tag);
  }
}

function withFiles(change: Change, file: (name: string) => string): Change {
  if (change.kind === 'one') return { ...change, tag: tagWithFiles(change.tag, file) };
  const workers = change.workers.map((fork) => ({
    ...fork,
    ...(fork.kind === 'fork' ? { target: file(fork.target) } : {}),
    ...(fork.next === undefined ? {} : { next: file(fork.next) }),
  }));
  return { ...change, workers, next: file(change.next) };
}

function tagWithFiles(tag: SingleTag, file: (name: string) => string): SingleTag {
  switch (tag.kind) {
    case 'goto':
    case 'reset':
      return { ...tag, target: file(tag.target) };
    case 'call':
    case 'function':
      return { ...tag, target: file(tag.target), return: file(tag.return) };
    case 'call-workflow':
    case 'function-workflow':
      return { ...tag, return: file(tag.return) };
    case 'ask':
      return {
        ...tag,
        next: file(tag.next),
        ...(tag.timeout_next === undefined ? {} : { timeout_next: file(tag.timeout_next) }),
      };
    case 'await':
      return { ...tag, next: file(tag.next) };
    case 'result':
    case 'reset-workflow':
      return tag;
    default:
      return assertNever(tag);
  }
}
