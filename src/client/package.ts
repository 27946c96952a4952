// Opening a workflow package before a run: scope, entry state, and a check of every state that can be reached by literal targets.
// Must not start anything; what it finds wrong is an `InvalidWorkflow` error.
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Scope } from '../protocol/agent.js';
import { describeProblem } from '../protocol/problem.js';
import { policyNames } from '../protocol/policy.js';
import type { Platform } from '../protocol/resolve.js';
import { executorOf, literalTargets, resolveEntry, resolveState, stateFiles } from '../protocol/resolve.js';
import { readPromptFile } from '../activities/frontmatter.js';
import { whyUnreadable } from '../activities/scope/error.js';
import { ClientError } from './error.js';

/** A package that can be started. */
export interface OpenPackage {
  readonly name: string;
  readonly scope: Scope;
  readonly entry: string;
  /** True when a prompt can be reached, so that Claude Code is needed. */
  readonly needsClaude: boolean;
}

const PLATFORM: Platform = process.platform === 'win32' ? 'windows' : 'unix';

/** Opens `argument`, a folder or a state file, as seen from `cwd`. */
export async function openPackage(argument: string, cwd: string): Promise<OpenPackage> {
  if (argument === '') throw invalid('the name of the workflow is empty; give a folder of states or a state file');
  const path = resolve(cwd, argument);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw invalid(`there is no workflow at ${path}; give a folder of states or a state file`);
  const scope: Scope = { kind: 'directory', path: found.isDirectory() ? path : dirname(path) };
  const files = await filesOf(scope);
  const entry = found.isDirectory() ? entryOf(scope, files, argument) : basename(path);
  const reached = await reachable(scope, { files, entry });
  return {
    name: basename(scope.path),
    scope,
    entry,
    needsClaude: [...reached].some((file) => executorOf(file) === 'prompt'),
  };
}

async function filesOf({ path }: Scope): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    throw invalid(`cannot read the folder ${path}: ${whyUnreadable(error)}`);
  }
}

function entryOf(scope: Scope, files: readonly string[], argument: string): string {
  if (stateFiles(files).length === 0) {
    throw invalid(
      `${scope.path} has no states; a workflow is a folder with .md prompts or .sh scripts, one of them 1_START or START`,
    );
  }
  const entry = resolveEntry({ files, platform: PLATFORM, path: argument });
  if (entry.kind === 'problem') throw invalid(`${scope.path}: ${describeProblem(entry.problem)}`);
  return entry.file;
}

/** Reads every state from `entry` on; a state that cannot be read, or an entry that cannot run here, is an error now. */
async function reachable(
  scope: Scope,
  { files, entry }: { readonly files: readonly string[]; readonly entry: string },
): Promise<ReadonlySet<string>> {
  const checked = resolveState({ name: entry, files, platform: PLATFORM });
  if (checked.kind === 'problem') throw invalid(`${scope.path}: ${describeProblem(checked.problem)}`);
  const seen = new Set<string>();
  const todo = [entry];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const name of namesIn(await readText(resolve(scope.path, file)), { scope, file, files })) {
      const target = resolveState({ name, files, platform: PLATFORM });
      // A name in a text may be an example: only a run tells whether it is meant.
      if (target.kind === 'state') todo.push(target.file);
    }
  }
  return seen;
}

/** The states that a state's text and policy name. A mistake in its frontmatter is an error now. */
function namesIn(
  text: string,
  { scope, file, files }: { readonly scope: Scope; readonly file: string; readonly files: readonly string[] },
): readonly string[] {
  if (executorOf(file) !== 'prompt') return literalTargets(text);
  const read = readPromptFile(text, { file: resolve(scope.path, file), files, platform: PLATFORM });
  if (read.kind === 'mistaken') throw invalid(read.mistakes.join('\n'));
  return [...literalTargets(read.body), ...policyNames(read.policy)];
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw invalid(`cannot read ${path}: ${whyUnreadable(error)}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(`${path} is not UTF-8 text; save it as UTF-8`);
  }
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidWorkflow', message);
}
