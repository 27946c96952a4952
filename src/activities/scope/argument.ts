// What a person names to start: a folder, a state file, a package in one file, a state in one, or an address.
// Must not resolve the entry point: `entry` is only there when the argument names a state.
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Scope } from '../../protocol/agent.js';
import { describeProblem } from '../../protocol/problem.js';
import { resolveState, type Platform } from '../../protocol/resolve.js';
import { nameInScope, packageKind, scopeAt } from '../../protocol/scope.js';
import { isUrl, readRemote, type NamedWorkflow } from '../../protocol/specifier.js';
import { fetched } from './crossWorkflow.js';
import { ScopeError } from './error.js';
import { openScope } from './reader.js';

/** Where an argument is read, and where downloads are kept. */
export interface ArgumentContext {
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
  if (found !== undefined) return { scope: { kind: 'directory', path: dirname(path) }, entry: basename(path) };
  if (packageKind(dirname(path)) !== undefined) {
    return await enter({ scope: scopeAt(dirname(path)), name: basename(path) }, context);
  }
  throw await nothingAt(path, context);
}

async function openAddress(argument: string, context: ArgumentContext): Promise<OpenedArgument> {
  const place = readRemote(argument);
  if (place.kind !== 'remote') {
    throw new ScopeError('InvalidName', place.kind === 'mistake' ? place.message : `${argument} is no address`);
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

async function nothingAt(path: string, { platform }: ArgumentContext): Promise<ScopeError> {
  const folder = scopeAt(dirname(path));
  const files = await (await openScope(folder)).list().catch(() => []); // no folder either: nothing to suggest
  const meant = resolveState({ name: basename(path), files, platform });
  const hint = meant.kind === 'state' ? `did you mean ${meant.file}?` : FORMS;
  return new ScopeError('Missing', `there is no workflow at ${path}; ${hint}`);
}
