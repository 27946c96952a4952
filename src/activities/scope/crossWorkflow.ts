// Finds the workflow that a `…-workflow` tag names, opens it, and resolves the state that it begins with.
// What is wrong with the specifier or the package is a value: most often the author of the tag can mend it.
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Scope } from '../../protocol/agent.js';
import { assertNever } from '../../protocol/assert.js';
import type { Problem } from '../../protocol/problem.js';
import { resolveEntry, resolveState, type Platform } from '../../protocol/resolve.js';
import { nameInScope } from '../../protocol/scope.js';
import { readSpecifier, type NamedWorkflow, type RemoteWorkflow } from '../../protocol/specifier.js';
import { ScopeError } from './error.js';
import { openScope } from './reader.js';
import { fetchPackage } from './remote.js';

/** A specifier, and the scope of the agent that wrote it. */
export interface WorkflowQuestion {
  readonly specifier: string;
  readonly scope: Scope;
  readonly platform: Platform;
}

/** The workflow with the file it begins with; or a state that cannot be resolved; or a package that cannot be used. */
export type WorkflowAnswer =
  | { readonly kind: 'workflow'; readonly scope: Scope; readonly entry: string; readonly abbreviation: string }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'refused'; readonly error: ScopeError };

/** Resolves a specifier; downloads the package that a downloaded workflow names. */
export async function resolveWorkflow(question: WorkflowQuestion): Promise<WorkflowAnswer> {
  try {
    return await enter(await find(question), question.platform);
  } catch (error) {
    if (error instanceof ScopeError) return { kind: 'refused', error };
    throw error;
  }
}

async function find({ specifier, scope }: WorkflowQuestion): Promise<NamedWorkflow> {
  const place = readSpecifier({ specifier, scope, resolve });
  switch (place.kind) {
    case 'mistake':
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

/** The zip that an address names, as a scope on this host. */
export async function fetched({ url, ...workflow }: RemoteWorkflow, cacheDir: string): Promise<NamedWorkflow> {
  const { path } = await fetchPackage(url, { cacheDir });
  return { ...workflow, scope: { kind: 'zip', path, url } };
}

async function enter({ scope, name, abbreviation }: NamedWorkflow, platform: Platform): Promise<WorkflowAnswer> {
  const files = await (await openScope(scope)).list();
  const entry =
    name === undefined
      ? resolveEntry({ files, platform, path: scope.path })
      : resolveState({ name: nameInScope(scope, name), files, platform });
  if (entry.kind === 'problem') return entry;
  return { kind: 'workflow', scope, entry: entry.file, abbreviation };
}

async function isDirectory(path: string): Promise<boolean> {
  // Absent or unreachable: the caller tries the other reading of the path, or says that there is nothing.
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
