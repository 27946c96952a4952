// Explains what to do about a state whose file is missing: its kind may have changed, or its whole
// package was moved. The kind decides which activity executes the turn, so only a person can send
// an agent to a file of another kind.
import { ScopeError } from '../../packages/error.js';
import { listScope } from '../../packages/state.js';
import type { Blobs } from '../../packages/stored.js';
import { stem } from '../../protocol/ids.js';
import { resolveState } from '../../protocol/language/resolve.js';
import type { TurnRequest } from '../../contract/turns.js';

/** Adds what a person can do to an error about a missing state or package. */
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
  // A dangling link is a file as well.
  if (found.kind === 'problem' || found.file === state)
    return missing(`${error.message}; restore it, or continue at another state: ${goto} STATE`);
  const input = pending === undefined ? '' : ' --input TEXT (the state had an input)';
  return missing(
    `${state} is missing in ${scope.path}, but ${found.file} exists; continue with it: ${goto} ${found.file}${input}`,
  );
}
