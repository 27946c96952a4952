// The states that can be reached from an entry by literal targets, each read and checked as its turn would do it.
// Must not judge what a name in a text means: only a run tells whether it is more than an example.
import { describeProblem } from '../protocol/problem.js';
import { policyNames } from '../protocol/policy.js';
import type { Folder } from '../protocol/resolve.js';
import { executorOf, literalTargets, resolveState } from '../protocol/resolve.js';
import { readPromptFile } from '../activities/frontmatter.js';
import { placedHeader } from '../activities/header.js';
import { decodeText } from '../activities/scope/error.js';
import type { ScopeReader } from '../activities/scope/scopeReader.js';
import { ClientError } from './error.js';

/** Where to begin; `path` is how messages call the package. */
export interface Beginning {
  readonly folder: Folder;
  readonly entry: string;
  readonly path: string;
}

/** Reads every state from `entry` on. A state that cannot be read, or an entry that cannot run here, is an `InvalidWorkflow`. */
export async function reachable(reader: ScopeReader, { folder, entry, path }: Beginning): Promise<ReadonlySet<string>> {
  const checked = resolveState({ ...folder, name: entry });
  if (checked.kind === 'problem') throw invalid(`${path}: ${describeProblem(checked.problem)}`);
  const seen = new Set<string>();
  const todo = [entry];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const name of await namesIn(reader, { folder, file })) {
      const target = resolveState({ ...folder, name });
      if (target.kind === 'state') todo.push(target.file);
    }
  }
  return seen;
}

/** The states that a state's text and policy name. A mistake in its frontmatter or header is an error now. */
async function namesIn(
  reader: ScopeReader,
  { folder, file }: { readonly folder: Folder; readonly file: string },
): Promise<readonly string[]> {
  const text = decodeText(reader.placeOf(file), await reader.read(file));
  const place = (line: number): string => reader.placeOf(file, line);
  if (executorOf(file) === 'prompt') {
    const read = readPromptFile(text, { ...folder, place });
    if (read.kind === 'mistaken') throw invalid(read.mistakes.join('\n'));
    return [...literalTargets(read.body), ...policyNames(read.policy)];
  }
  const header = placedHeader(text, { file, place });
  if (header.kind === 'mistaken') throw invalid(header.mistakes.join('\n'));
  return literalTargets(text);
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidWorkflow', message);
}
