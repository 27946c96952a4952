// From what somebody names to a package: a person's argument of `start` (a folder, a state file, a package in one file, a state in
// one, an address), and the text of a `…-workflow` tag. What is wrong with a tag is a value: most often its author can mend it.
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDirectory } from '../host/files.js';
import type { Scope } from '../protocol/machine/agent.js';
import { assertNever } from '../protocol/failure.js';
import { describeProblem, type Problem } from '../protocol/language/problem.js';
import { resolveEntry, resolveState, type Platform } from '../protocol/language/resolve.js';
import {
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
import { ScopeError } from './error.js';
import { openScope } from './open.js';
import type { ArtifactStore } from '../store/store.js';
import { fetchPackage } from './remote.js';
import { broughtAlong, isStored, notBrought, type StoredScope } from './stored.js';

/** Where an argument is read, and where downloads are kept. */
interface ArgumentContext {
  readonly cwd: string;
  readonly cacheDir: string;
  readonly platform: Platform;
}

/** The scope that an argument names, opened once; `entry` is the file of the state that it names. */
export interface OpenedArgument {
  readonly scope: Scope;
  readonly entry?: string;
}

const FORMS = 'give a folder of states, a state file, a .zip or a .yaml';

/** Opens a start argument. Throws a `ScopeError` that says what is wrong and which forms there are. */
export async function openArgument(argument: string, context: ArgumentContext): Promise<OpenedArgument> {
  if (argument === '') throw new ScopeError('InvalidName', `the name of the workflow is empty; ${FORMS}`);
  if (isUrl(argument)) return await openAddress(argument, context);
  const path = resolve(context.cwd, argument);
  if (packageKind(path) !== undefined) return await enter({ scope: scopeAt(path) }, context);
  const found = await stat(path).catch(() => undefined); // absent or unreachable: the messages below say so
  if (found?.isDirectory()) return { scope: scopeAt(path) };
  const [folder, name] = [scopeAt(dirname(path)), basename(path)];
  if (found !== undefined) return { scope: { kind: 'directory', path: folder.path }, entry: name };
  if (folder.kind !== 'directory') return await enter({ scope: folder, name }, context);
  return { scope: folder, entry: await stateIn(folder, { name, ...context }) };
}

async function openAddress(argument: string, context: ArgumentContext): Promise<OpenedArgument> {
  const place = readRemote(argument);
  if (place.kind !== 'remote') {
    throw new ScopeError('InvalidName', place.kind === 'invalid' ? place.message : `${argument} is no address`);
  }
  return await enter(await fetched(place.workflow, context.cacheDir), context);
}

/** Opens a package in one file, so that what is wrong with it is said before anything starts. */
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
  const files = await (await openScope(scope)).list().catch(() => []); // no folder either: nothing to suggest
  const meant = resolveState({ name, files, platform });
  if (meant.kind === 'state') return meant.file;
  const { problem } = meant;
  if (problem.kind !== 'unknown-state') {
    throw new ScopeError('Missing', `${scope.path}: ${describeProblem(problem)}`);
  }
  const hint = problem.near === undefined ? FORMS : `did you mean ${problem.near}?`;
  throw new ScopeError('Missing', `there is no workflow at ${join(scope.path, name)}; ${hint}`);
}

/** A specifier, and the scope of the agent that wrote it. */
interface WorkflowQuestion {
  readonly specifier: string;
  readonly scope: Scope;
  readonly platform: Platform;
  /** For a scope that travels with its run: where packages are, and where this host keeps what it downloads. */
  readonly travelling?: Travelling;
}

/** What the packages of a run that travel are found by. */
export interface Travelling {
  readonly store: Pick<ArtifactStore, 'locate' | 'putFile'>;
  readonly cacheDir: string;
}

/** The workflow with the file it begins with; or a state that cannot be resolved; or a package that cannot be used. */
export type WorkflowAnswer =
  | { readonly kind: 'workflow'; readonly scope: Scope; readonly entry: string; readonly abbreviation: string }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'unusable'; readonly error: ScopeError };

/** Resolves a specifier; downloads the package that a downloaded workflow names. */
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
  const place = readSpecifier({ specifier, scope, resolve });
  if (isStored(scope) && travelling !== undefined && place.kind !== 'invalid')
    return await travelled(place, { scope, ...travelling });
  switch (place.kind) {
    case 'invalid':
      throw new ScopeError('InvalidName', place.message);
    case 'named':
      return place.workflow;
    case 'remote':
      return await fetched(place.workflow, dirname(scope.path));
    case 'open': {
      const { folder, state } = place;
      if (await isDirectory(folder.scope.path)) return folder;
      if (state !== undefined && (await isDirectory(state.scope.path))) return state;
      throw new ScopeError(
        'Missing',
        `there is no workflow at ${folder.scope.path}; a path is relative to ${scope.path}`,
      );
    }
    default:
      return assertNever(place);
  }
}

/** The same for a package that travels: what it names came along, or has an address. */
async function travelled(
  place: Exclude<WorkflowPlace, { readonly kind: 'invalid' }>,
  { scope, store, cacheDir }: Travelling & { readonly scope: StoredScope },
): Promise<NamedWorkflow> {
  const wanted = wantedAt(place);
  const brought = await broughtAlong(scope, { wanted, blobs: store });
  if (brought !== undefined) return brought;
  if (place.kind !== 'remote') throw notBrought(wanted[0]?.scope.path ?? '');
  const found = await fetched(place.workflow, cacheDir);
  const { sha256: blob } = await store.putFile(found.scope.path);
  return { ...found, scope: { ...found.scope, stored: { ...scope.stored, blob } } };
}

/** What a place may mean, the likelier first. */
function wantedAt(place: Exclude<WorkflowPlace, { readonly kind: 'invalid' }>): readonly NamedWorkflow[] {
  switch (place.kind) {
    case 'named':
      return [place.workflow];
    case 'open':
      return [place.folder, ...(place.state === undefined ? [] : [place.state])];
    case 'remote': {
      const { url, ...workflow } = place.workflow;
      return [{ ...workflow, scope: { kind: 'zip', path: lastPart(url), url } }];
    }
    default:
      return assertNever(place);
  }
}

/** The zip that an address names, as a scope on this host. */
export async function fetched({ url, ...workflow }: RemoteWorkflow, cacheDir: string): Promise<NamedWorkflow> {
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
  if (entry.kind === 'problem') return entry;
  return { kind: 'workflow', scope, entry: entry.file, abbreviation };
}
