// What to do about a state whose file is gone: it may have become one of another kind, or its whole package been moved. The kind of a file
// decides which activity does the turn, so an agent goes to a file of another kind only when a person sends it there.
import { ScopeError } from '../../packages/error.js';
import { listScope } from '../../packages/state.js';
import type { Blobs } from '../../packages/stored.js';
import { stem } from '../../protocol/ids.js';
import { resolveState } from '../../protocol/language/resolve.js';
import type { TurnRequest } from '../types.js';

/** The same error with what a person does about it, where it says that the state's file or its package is gone. */
export async function explainMissing(
  error: unknown,
  { runId, agent: { id, scope, state, pending } }: TurnRequest,
  blobs: Blobs,
): Promise<unknown> {
  const isKept = scope.stored !== undefined || scope.origin !== undefined;
  if (!(error instanceof ScopeError) || error.code !== 'Missing' || isKept) return error;
  const folder = await listScope(scope, blobs).catch(() => undefined); // it is gone, too
  const missing = (text: string): ScopeError => new ScopeError('Missing', text, { cause: error });
  if (folder === undefined) {
    const what = scope.kind === 'directory' ? 'folder' : 'file';
    return missing(`the ${what} ${scope.path} was deleted or moved; restore it or create a link, then resume`);
  }
  const found = resolveState({ ...folder, name: stem(state) });
  const goto = `raymond goto ${runId} ${id}`;
  // A link to nothing is a file, too.
  if (found.kind === 'problem' || found.file === state)
    return missing(`${error.message}; restore it, or continue at another state: ${goto} STATE`);
  const input = pending === undefined ? '' : ' --input TEXT (the state had an input)';
  return missing(
    `${state} is missing in ${scope.path}, but ${found.file} exists; continue with it: ${goto} ${found.file}${input}`,
  );
}
