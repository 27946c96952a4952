// Resolves the name of a state to its file, by the names in its folder and the platform; and all names in an output's
// tags before anything else is checked. Callers bring the file list; names are compared exactly, as on the strictest
// file system.
import { type Scope, nameInScope } from '../scope.js';
import { assertNever } from '../failure.js';
import { MAX_STATE_NAME, stem } from '../ids.js';
import type { Change } from './parse.js';
import type { Problem } from './problem.js';
import { scanElements } from './scan.js';
import { BODYLESS, TAG_NAMES, ruleOfTag } from './tag-table.js';
import type { SingleTag } from './tag.js';
import { nearest, defined } from '../text.js';

/** The scripts that a worker can run. */
export type Platform = 'unix' | 'windows';

/** The program that runs a state. */
type Executor = 'prompt' | 'bash' | 'cmd' | 'powershell' | 'python' | 'node';

/** A state's file, or why there is none. */
type Resolution =
  { readonly kind: 'state'; readonly file: string } | { readonly kind: 'problem'; readonly problem: Problem };

/**
 * The folder to resolve a name in. `files` are the names of the files directly in it, `kind` is the kind of its scope.
 */
export interface Folder {
  readonly files: readonly string[];
  readonly kind?: Scope['kind'];
  readonly platform: Platform;
}

const EXECUTORS: Readonly<Record<string, Executor>> = {
  ...{ md: 'prompt', sh: 'bash', bat: 'cmd', ps1: 'powershell' },
  ...{ py: 'python', js: 'node', ts: 'node' },
};
/** What a platform runs: a file of the first list is meant even if one of the second has the same name. */
const RUNS: Readonly<Record<Platform, readonly [first: readonly string[], second: readonly string[]]>> = {
  unix: [
    ['md', 'sh'],
    ['py', 'js', 'ts'],
  ],
  windows: [
    ['md', 'ps1', 'bat'],
    ['py', 'js', 'ts'],
  ],
};
const EXTENSIONS = Object.keys(EXECUTORS);

/** What runs `file`; a file with an unknown extension is a prompt. */
export function executorOf(file: string): Executor {
  return knownExecutor(file) ?? 'prompt';
}

function knownExecutor(file: string): Executor | undefined {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return file.includes('.') && Object.hasOwn(EXECUTORS, extension) ? EXECUTORS[extension] : undefined;
}

/** True for a program that other programs may import: it is a state only where a tag or a start names it. */
export function isModule(file: string): boolean {
  return ['python', 'node'].includes(executorOf(file));
}

/** The extensions of states. */
export const STATE_EXTENSION = new RegExp(`\\.(?:${EXTENSIONS.join('|')})$`);

/** The sorted states among `files`, without hidden files. */
export function stateFiles(files: readonly string[]): readonly string[] {
  return files.filter((file) => !file.startsWith('.') && knownExecutor(file) !== undefined).sort();
}

/**
 * The file of the state `name`. A name with a dot is taken literally; any other gets each extension that the platform
 * runs. `RUN.py` beside `RUN.sh` is a program that the script calls: the name means the script.
 */
export function resolveState({
  name: given,
  files,
  platform,
  ...scope
}: Folder & { readonly name: string }): Resolution {
  const name = nameInScope(scope, given);
  const literal = name.includes('.');
  const candidates = literal ? [[name]] : RUNS[platform].map((list) => list.map((extension) => `${name}.${extension}`));
  const lookedFor = candidates.flat();
  const found = candidates.map((list) => list.filter((file) => files.includes(file)));
  const present = found.find((list) => list.length > 0) ?? [];
  const [file, second] = present;
  if (second !== undefined) return { kind: 'problem', problem: { kind: 'ambiguous-state', name, files: present } };
  if (file !== undefined && (!literal || runsOn(file, platform))) return { kind: 'state', file };
  const foreign = literal
    ? present
    : EXTENSIONS.map((extension) => `${name}.${extension}`).filter((f) => files.includes(f));
  if (foreign.length > 0) {
    const runnable = RUNS[platform].flat().map((extension) => `${literal ? stem(name) : name}.${extension}`);
    return { kind: 'problem', problem: { kind: 'wrong-platform', name, files: foreign, lookedFor: runnable } };
  }
  return { kind: 'problem', problem: unknownState({ name, files, lookedFor }) };
}

function runsOn(file: string, platform: Platform): boolean {
  const extension = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  return knownExecutor(file) === undefined || RUNS[platform].flat().includes(extension);
}

function unknownState({
  name,
  files,
  lookedFor,
}: {
  readonly name: string;
  readonly files: readonly string[];
  readonly lookedFor: readonly string[];
}): Problem {
  const states = stateFiles(files);
  const near = meantState(name, states);
  const shown = { states: states.slice(0, 20), count: states.length };
  return { kind: 'unknown-state', name, lookedFor, ...shown, ...defined({ near }) };
}

/** A state with nearly this name, without extension. */
export function meantState(name: string, states: readonly string[]): string | undefined {
  const meant = nearest(knownExecutor(name) === undefined ? name : stem(name), states.map(stem));
  const candidates = states.filter((file) => stem(file) === meant);
  return candidates.find((file) => file.toLowerCase() === name.toLowerCase()) ?? candidates[0];
}

/** The states at which runs start. */
export const ENTRY_NAMES: readonly string[] = ['1_START', 'START'];

/** The entry point of a run: `1_START` or `START`. `path` is the folder as the user wrote it, for messages. */
export function resolveEntry({ path, ...folder }: Folder & { readonly path?: string }): Resolution {
  const [first, second] = ENTRY_NAMES.map((name) => resolveState({ ...folder, name }));
  const found = [first, second].flatMap((entry) => (entry?.kind === 'state' ? [entry] : []));
  const shown = path === undefined ? {} : { path };
  if (found.length > 1) {
    const files = found.map(({ file }) => file);
    return { kind: 'problem', problem: { kind: 'two-entries', files, ...shown } };
  }
  if (found[0] !== undefined) return found[0];
  // An entry that exists but cannot be used says more than "no entry point".
  for (const entry of [first, second]) {
    if (entry?.kind === 'problem' && entry.problem.kind !== 'unknown-state') return entry;
  }
  return { kind: 'problem', problem: { kind: 'no-entry', states: stateFiles(folder.files), ...shown } };
}

/**
 * The names in the tags of a state's own text, each once: the states that may follow. Mistakes and shell escapes are skipped.
 */
export function literalTargets(text: string): readonly string[] {
  // In scripts a tag is often in quotes: \" in bash, ^< in batch files.
  const plain = text.replace(/[\\^](?=["'<>])/g, '');
  const names = new Set<string>();
  for (const { name, body, attributes } of scanElements(plain, { names: TAG_NAMES, bodyless: BODYLESS })) {
    const rule = ruleOfTag(name);
    if (rule === undefined) continue;
    const named = [...rule.needs, ...rule.mayName].map((attribute) => attributes.get(attribute)?.trim());
    for (const target of rule.body === 'state' ? [body, ...named] : named) {
      if (target !== undefined && target.length <= MAX_STATE_NAME && /^[^/\\]+$/.test(target)) names.add(target);
    }
  }
  return [...names];
}

/** The other workflows that a state's own text names, each once; names that are computed at run time are missing. */
export function literalWorkflows(text: string): readonly string[] {
  const plain = text.replace(/[\\^](?=["'<>])/g, '');
  const found = new Set<string>();
  for (const { name, body } of scanElements(plain, { names: TAG_NAMES, bodyless: BODYLESS })) {
    const target = body.trim();
    if (ruleOfTag(name)?.body === 'workflow' && target !== '' && !/[$`\n]|\{\{|%\w+%/.test(target)) found.add(target);
  }
  return [...found];
}

/** The change with file names for names, or the first name that is not a state. */
type ResolvedChange =
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
    return [...change.forks.flatMap((fork) => (fork.kind === 'fork' ? [fork.target] : [])), change.next];
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
    case 'await':
      return tag.timeout_next === undefined ? [tag.next] : [tag.next, tag.timeout_next];
    case 'result':
    case 'reset-workflow':
      return [];
    default:
      return assertNever(tag);
  }
}

function withFiles(change: Change, file: (name: string) => string): Change {
  if (change.kind === 'one') return { ...change, tag: tagWithFiles(change.tag, file) };
  const forks = change.forks.map((fork) => ({
    ...fork,
    ...(fork.kind === 'fork' ? { target: file(fork.target) } : {}),
    ...(fork.next === undefined ? {} : { next: file(fork.next) }),
  }));
  return { ...change, forks, next: file(change.next) };
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
    case 'await':
      return {
        ...tag,
        next: file(tag.next),
        ...(tag.timeout_next === undefined ? {} : { timeout_next: file(tag.timeout_next) }),
      };
    case 'result':
    case 'reset-workflow':
      return tag;
    default:
      return assertNever(tag);
  }
}
