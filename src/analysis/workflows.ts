// The other workflows that a package names, looked up as a run would do it: whether they are there, and how deep their calls go. Reads
// packages; decides nothing.
import { ScopeError } from '../packages/error.js';
import { resolveWorkflow, type WorkflowAnswer } from '../packages/locate.js';
import { openScope } from '../packages/open.js';
import type { Scope } from '../protocol/machine/agent.js';
import { originOf } from '../protocol/scope.js';
import { allEdges, graphOf, type Graph } from './graph.js';
import { readSource } from './source.js';

export type { WorkflowAnswer } from '../packages/locate.js';

/** What was found behind the names of a package. */
export interface NamedWorkflows {
  readonly answers: ReadonlyMap<string, WorkflowAnswer>;
  readonly nesting: number;
}

/** So many packages are looked at for the depth of calls. */
const MOST_PACKAGES = 50;

/** Looks up every workflow that a package names literally. */
export async function namedWorkflows(graph: Graph): Promise<NamedWorkflows> {
  const answers = await answersOf(graph);
  if (answers.size === 0) return { answers, nesting: 0 };
  return { answers, nesting: await nestingOf(graph, answers) };
}

async function answersOf(graph: Graph): Promise<ReadonlyMap<string, WorkflowAnswer>> {
  const { scope, folder } = graph.source;
  const specifiers = new Set(allEdges(graph).flatMap(({ to }) => (to.kind === 'workflow' ? [to.specifier] : [])));
  const answers = [...specifiers].map(async (specifier) => {
    const answer = await resolveWorkflow({ specifier, scope, platform: folder.platform });
    return [specifier, answer] as const;
  });
  return new Map(await Promise.all(answers));
}

/** The longest way through calls of other workflows; those that cannot be read end it. */
async function nestingOf(graph: Graph, answers: ReadonlyMap<string, WorkflowAnswer>): Promise<number> {
  const known = new Map<string, readonly Scope[]>([[originOf(graph.source.scope), calledBy(graph, answers)]]);
  const depthOf = async (scope: Scope, above: readonly string[]): Promise<number> => {
    const place = originOf(scope);
    if (above.includes(place)) return Infinity;
    const called = known.get(place) ?? (known.size < MOST_PACKAGES ? await calledIn(graph, scope) : []);
    known.set(place, called);
    let deepest = 0;
    for (const next of called) deepest = Math.max(deepest, 1 + (await depthOf(next, [...above, place])));
    return deepest;
  };
  return await depthOf(graph.source.scope, []);
}

async function calledIn({ source }: Graph, scope: Scope): Promise<readonly Scope[]> {
  try {
    const graph = graphOf(await readSource(await openScope(scope), { scope, platform: source.folder.platform }));
    return calledBy(graph, await answersOf(graph));
  } catch (error) {
    if (error instanceof ScopeError) return []; // another finding tells of it
    throw error;
  }
}

function calledBy(graph: Graph, answers: ReadonlyMap<string, WorkflowAnswer>): readonly Scope[] {
  return allEdges(graph).flatMap(({ tag, to }) => {
    const answer = to.kind === 'workflow' ? answers.get(to.specifier) : undefined;
    const calls = tag === 'call-workflow' || tag === 'function-workflow';
    return calls && answer?.kind === 'workflow' ? [answer.scope] : [];
  });
}
