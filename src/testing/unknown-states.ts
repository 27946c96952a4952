// Finds replies and answers for states that the workflow does not have, so that a misspelt key fails before the run.
import { allEdges, graphOf } from '../analysis/graph.js';
import { readSource } from '../analysis/source.js';
import { ClientError } from '../client/error.js';
import type { OpenPackage } from '../client/start/package.js';
import { openScope } from '../packages/open.js';
import { PLATFORM } from '../packages/state.js';
import { stem } from '../protocol/ids.js';
import { meant, type TestCase } from './case-file.js';

/** A case with misspelt keys. */
export class UnknownStates extends ClientError {
  constructor(readonly differences: readonly { readonly key: string; readonly text: string }[]) {
    super('InvalidWorkflow', differences.map(({ key, text }) => `${key}: ${text}`).join('\n'));
  }
}

/**
 * Checks the case's own keys. A workflow that runs states of other workflows is not checked: those states are not
 * known before the run. Throws `UnknownStates`.
 */
export async function checkStateNames({ ownReplies }: TestCase, { scope }: OpenPackage): Promise<void> {
  const graph = graphOf(await readSource(await openScope(scope), { scope, platform: PLATFORM }));
  if (allEdges(graph).some(({ tag }) => tag.endsWith('-workflow'))) return;
  const states = [...graph.states.keys()].map(stem);
  const unknown = ownReplies.filter(({ selector }) => !states.includes(stem(selector.state)));
  const differences = unknown.map(({ kind, name, selector }) => ({
    key: `${kind}.${name}`,
    text: `the workflow has no state ${selector.state}${meant(selector.state, states)}`,
  }));
  if (differences.length > 0) throw new UnknownStates(differences);
}
