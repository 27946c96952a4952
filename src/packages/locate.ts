// Finds the package that a name means: an argument of `start` (a folder, a state file, a zip or YAML file, a state in
// one, an address) or the text of a `…-workflow` tag. A mistake in a tag is a value, because the agent that wrote it
// can usually correct it.
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDirectory } from '../host/files.js';
import {
  type Scope,
  nameInScope,
  packageKind,
  scopeAt,
  isUrl,
  lastPart,
  readRemote,
  readSpecifier,
  type NamedWorkflow,
  type RemoteWorkflow,
  type WorkflowPlace,
} from '../protocol/scope.js';
import { assertNever } from '../protocol/failure.js';
import { describeProblem, type Problem } from '../protocol/language/problem.js';
import { resolveEntry, resolveState, type Platform } from '../protocol/language/resolve.js';
import { nearest } from '../protocol/text.js';
import { ScopeError } from './error.js';
import { openScope } from './open.js';
import type { ArtifactStore } from '../store/store.js';
import { fetchPackage } from './remote.js';
import { broughtAlong, isStored, missingPackage, type StoredScope } from './stored.js';

/** The folder that arguments are relative to, and the folder for downloads. */
interface ArgumentContext {
  readonly cwd: string;
  readonly cacheDir: string;
  readonly platform: Platform;
}

/** The scope that an argument names, opened once; `entry` is the file of its first state. */
export interface OpenedArgument {
  readonly scope: Scope;
  readonly entry?: string;
}

const FORMS = 'give a folder of states, a state file, a .zip or a .yaml';

/** Opens a start argument. Throws a `ScopeError` that names the mistake and the possible forms. */
export async function openArgument(argument: string, context: ArgumentContext): Promise<OpenedArgument> {
  if (argument === '') throw new ScopeError('InvalidName', `the name of the workflow is empty; ${FORMS}`);
  if (isUrl(argument)) return await openAddress(argument, context);
  const path = resolve(context.cwd, argument);
  if (packageKind(path) !== undefined) return await enter({ scope: scopeAt(path) }, context);
  const found = await stat(path).catch(() => undefined); // Absent or unreachable: the messages below report it.
  if (found?.isDirectory()) return { scope: scopeAt(path) };
  const [folder, name] = [scopeAt(dirname(path)), basename(path)];
  if (found !== undefined) return { scope: { kind: 'directory', path: folder.path }, entry: name };
  if (folder.kind !== 'directory') return await enter({ scope: folder, name }, context);
  return { scope: folder, entry: await stateIn(folder, { name, ...context }) };
}

async function openAddress(argument: string, context: ArgumentContext): Promise<OpenedArgument> {
  const remote = readRemote(argument);
  if (remote.kind !== 'remote') {
    throw new ScopeError(
      'InvalidName',
      remote.kind === 'invalid' ? remote.message : `${argument} is not a valid address`,
    );
  }
  return await enter(await fetched(remote.workflow, context.cacheDir), context);
}

/** Opens a package in one file, so that its mistakes are reported before anything starts. */
async function enter(
  { scope, name }: Pick<NamedWorkflow, 'scope' | 'name'>,
  { platform }: ArgumentContext,
): Promise<OpenedArgument> {
  const files = await (await openScope(scope)).list();
  if (name === undefined) return { scope };
  const state = resolveState({ name: nameInScope(scope, name), files, platform });
  if (state.kind === 'state') return { scope, entry: state.file };
  throw new ScopeError('Missing', `${scope.path}: ${describeProblem(state.problem)}`);
}

/** The file of the state that a path names without its extension. */
async function stateIn(
  scope: Scope,
  { name, platform }: { readonly name: string; readonly platform: Platform },
): Promise<string> {
  const files = await (await openScope(scope)).list().catch(() => []); // No folder either: nothing to suggest.
  const meant = resolveState({ name, files, platform });
  if (meant.kind === 'state') return meant.file;
  const { problem } = meant;
  if (problem.kind !== 'unknown-state') {
    throw new ScopeError('Missing', `${scope.path}: ${describeProblem(problem)}`);
  }
  throw await missingWorkflow(scope, { name, near: problem.near });
}

async function missingWorkflow(
  { path }: Scope,
  { name, near }: { readonly name: string; readonly near: string | undefined },
): Promise<ScopeError> {
  const meant = near ?? nearest(name, await namesIn(path));
  const hint = meant === undefined ? FORMS : `did you mean ${meant}?`;
  return new ScopeError('Missing', `there is no workflow at ${join(path, name)}; ${hint}`);
}

/** What may be a package in a folder: its folders, zip files and YAML files. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // No folder: nothing to suggest.
  const isPackage = /\.(zip|ya?ml)$/;
  return entries.filter((entry) => entry.isDirectory() || isPackage.test(entry.name)).map(({ name }) => name);
}

/** A specifier, and the scope of the agent that wrote it. */
interface WorkflowQuestion {
  readonly specifier: string;
  readonly scope: Scope;
  readonly platform: Platform;
  /** For a scope that travels with its run: the store of its packages, and this host's folder for downloads. */
  readonly travelling?: Travelling;
}

/** What finds the packages of a run that travel. */
interface Travelling {
  readonly store: Pick<ArtifactStore, 'locate' | 'putFile'>;
  readonly cacheDir: string;
}

/** The workflow and its entry file; or a state that cannot be resolved; or an unusable package. */
export type WorkflowAnswer =
  | { readonly kind: 'workflow'; readonly scope: Scope; readonly entry: string; readonly abbreviation: string }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'unusable'; readonly error: ScopeError };

/** Resolves a specifier; downloads a package that a downloaded workflow names. */
export async function resolveWorkflow(question: WorkflowQuestion): Promise<WorkflowAnswer> {
  try {
    return await workflowAt(await findWorkflow(question), question);
  } catch (error) {
    if (error instanceof ScopeError) return { kind: 'unusable', error };
    throw error;
  }
}

/** The package and the state that a specifier names. Throws a `ScopeError` when there is none. */
export async function findWorkflow({ specifier, scope, travelling }: WorkflowQuestion): Promise<NamedWorkflow> {
  const named = readSpecifier({ specifier, scope, resolve });
  if (isStored(scope) && travelling !== undefined && named.kind !== 'invalid')
    return await travelled(named, { scope, ...travelling });
  switch (named.kind) {
    case 'invalid':
      throw new ScopeError('InvalidName', named.message);
    case 'named':
      return named.workflow;
    case 'remote':
      return await fetched(named.workflow, dirname(scope.path));
    case 'open': {
      const { folder, state } = named;
      if (await isDirectory(folder.scope.path)) return folder;
      if (state !== undefined && (await isDirectory(state.scope.path))) return state;
      throw new ScopeError(
        'Missing',
        `there is no workflow at ${folder.scope.path}; a path is relative to ${scope.path}`,
      );
    }
    default:
      return assertNever(named);
  }
}

/** The same for a package that travels: the packages it names travel with it, or have an address. */
async function travelled(
  named: Exclude<WorkflowPlace, { readonly kind: 'invalid' }>,
  { scope, store, cacheDir }: Travelling & { readonly scope: StoredScope },
): Promise<NamedWorkflow> {
  const wanted = wantedAt(named);
  const brought = await broughtAlong(scope, { wanted, blobs: store });
  if (brought !== undefined) return brought;
  if (named.kind !== 'remote') throw missingPackage(wanted[0]?.scope.path ?? '');
  const found = await fetched(named.workflow, cacheDir);
  const { sha256: blob } = await store.putFile(found.scope.path);
  return { ...found, scope: { ...found.scope, stored: { ...scope.stored, blob } } };
}

/** What a path may mean, the likeliest first. */
function wantedAt(named: Exclude<WorkflowPlace, { readonly kind: 'invalid' }>): readonly NamedWorkflow[] {
  switch (named.kind) {
    case 'named':
      return [named.workflow];
    case 'open':
      return [named.folder, ...(named.state === undefined ? [] : [named.state])];
    case 'remote': {
      const { url, ...workflow } = named.workflow;
      return [{ ...workflow, scope: { kind: 'zip', path: lastPart(url), url } }];
    }
    default:
      return assertNever(named);
  }
}

/** The zip that an address names, as a scope on this host. */
async function fetched({ url, ...workflow }: RemoteWorkflow, cacheDir: string): Promise<NamedWorkflow> {
  const { path } = await fetchPackage(url, { cacheDir });
  return { ...workflow, scope: { kind: 'zip', path, url } };
}

async function workflowAt(
  { scope, name, abbreviation }: NamedWorkflow,
  { platform, travelling }: WorkflowQuestion,
): Promise<WorkflowAnswer> {
  const files = await (await openScope(scope, travelling?.store)).list();
  const entry =
    name === undefined
      ? resolveEntry({ files, platform, path: scope.path })
      : resolveState({ name: nameInScope(scope, name), files, platform });
  if (entry.kind === 'state') return { kind: 'workflow', scope, entry: entry.file, abbreviation };
  const { problem } = entry;
  // A folder without states: its packages were meant.
  if (problem.kind === 'unknown-state' && problem.count === 0 && scope.kind === 'directory' && name !== undefined)
    throw await missingWorkflow(scope, { name, near: undefined });
  return entry;
}
