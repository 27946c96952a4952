// The states that can be reached from an entry by literal targets, each read and checked as its turn would do it.
// Must not judge what a name in a text means: only a run tells whether it is more than an example.
import { describeProblem } from '../protocol/problem.js';
import { policyNames } from '../protocol/policy.js';
import { executorOf, literalTargets, resolveState, type Folder } from '../protocol/resolve.js';
import { readPromptFile } from '../packages/frontmatter.js';
import { placedHeader } from '../packages/state.js';
import { decodeText } from '../packages/error.js';
import type { ScopeReader } from '../packages/package.js';
import { ClientError } from './error.js';

/** Where to begin; `path` is how messages call the package. */
export interface Beginning {
  readonly folder: Folder;
  readonly entry: string;
  readonly path: string;
}

/** The files of the states, and where their policies allow to ask a person, each `file:line`. */
export interface Reached {
  readonly files: ReadonlySet<string>;
  readonly asks: readonly string[];
}

/** Reads every state from `entry` on. A state that cannot be read, or an entry that cannot run here, is an `InvalidWorkflow`. */
export async function reachable(reader: ScopeReader, { folder, entry, path }: Beginning): Promise<Reached> {
  const checked = resolveState({ ...folder, name: entry });
  if (checked.kind === 'problem') throw invalid(`${path}: ${describeProblem(checked.problem)}`);
  const seen = new Set<string>();
  const asks: string[] = [];
  const todo = [entry];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const found = await lookInto(reader, { folder, file });
    asks.push(...found.asks);
    for (const name of found.names) {
      const target = resolveState({ ...folder, name });
      if (target.kind === 'state') todo.push(target.file);
    }
  }
  return { files: seen, asks };
}

/** The states that a state's text and policy name, and where it may ask. A mistake in its frontmatter or header is an error now. */
async function lookInto(
  reader: ScopeReader,
  { folder, file }: { readonly folder: Folder; readonly file: string },
): Promise<{ readonly names: readonly string[]; readonly asks: readonly string[] }> {
  const text = decodeText(reader.placeOf(file), await reader.read(file));
  const place = (line: number): string => reader.placeOf(file, line);
  if (executorOf(file) === 'prompt') {
    const read = readPromptFile(text, { ...folder, place });
    if (read.kind === 'mistaken') throw invalid(read.mistakes.join('\n'));
    const asking = read.policy.allowed.filter(({ tag }) => tag === 'ask');
    return {
      names: [...literalTargets(read.body), ...policyNames(read.policy)],
      asks: asking.map(({ line }) => place(line)),
    };
  }
  const header = placedHeader(text, { file, place });
  if (header.kind === 'mistaken') throw invalid(header.mistakes.join('\n'));
  return { names: literalTargets(text), asks: [] };
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidWorkflow', message);
}
