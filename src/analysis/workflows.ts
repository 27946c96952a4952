// The other workflows that a package names, looked up as a run would do it: whether they are there, and how deep their calls go. Reads
// packages; decides nothing.
import { ScopeError } from '../packages/error.js';
import { resolveWorkflow, type WorkflowAnswer } from '../packages/locate.js';
import { openScope } from '../packages/open.js';
import type { Scope } from '../protocol/machine/agent.js';
import { originOf } from '../protocol/scope.js';
import { allEdges, asksOf, graphOf, reachableFrom, type Graph } from './graph.js';
import type { Position } from './position.js';
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

async function calledIn(from: Graph, scope: Scope): Promise<readonly Scope[]> {
  const graph = await graphAt(from, scope);
  return graph === undefined ? [] : calledBy(graph, await answersOf(graph));
}

/** The graph of another package; undefined when it cannot be read: another finding tells of that. */
async function graphAt({ source }: Graph, scope: Scope, entry?: string): Promise<Graph | undefined> {
  try {
    return graphOf(await readSource(await openScope(scope), { scope, platform: source.folder.platform }), entry);
  } catch (error) {
    if (error instanceof ScopeError) return undefined;
    throw error;
  }
}

/** States of one package that agents can come to, and what its names of other workflows lead to. */
interface Reached {
  readonly graph: Graph;
  readonly reached: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, WorkflowAnswer>;
}

/** Where states of other packages, to which these states lead, may ask a person. */
export async function asksInOthers(from: Reached): Promise<readonly Position[]> {
  const asks: Position[] = [];
  const seen = new Set<string>();
  const todo = [...ledTo(from)];
  for (let next = todo.pop(); next !== undefined && seen.size < MOST_PACKAGES; next = todo.pop()) {
    const { scope, entry } = next;
    const name = `${originOf(scope)} ${entry}`;
    const graph = seen.has(name) ? undefined : await graphAt(from.graph, scope, entry);
    seen.add(name);
    if (graph === undefined) continue;
    const reached = reachableFrom(graph, { from: [entry] });
    asks.push(...asksIn(graph, reached));
    todo.push(...ledTo({ graph, reached, answers: await answersOf(graph) }));
  }
  return asks;
}

/** Where these states of a package may ask a person. */
export function asksIn({ states }: Graph, reached: ReadonlySet<string>): readonly Position[] {
  return [...reached].flatMap((file) => {
    const state = states.get(file);
    return state === undefined ? [] : asksOf(state).map(({ at }) => at);
  });
}

function ledTo({ graph, reached, answers }: Reached): readonly (WorkflowAnswer & { readonly kind: 'workflow' })[] {
  return allEdges(graph).flatMap(({ from, to }) => {
    const answer = to.kind === 'workflow' && reached.has(from) ? answers.get(to.specifier) : undefined;
    return answer?.kind === 'workflow' ? [answer] : [];
  });
}

function calledBy(graph: Graph, answers: ReadonlyMap<string, WorkflowAnswer>): readonly Scope[] {
  return allEdges(graph).flatMap(({ tag, to }) => {
    const answer = to.kind === 'workflow' ? answers.get(to.specifier) : undefined;
    const calls = tag === 'call-workflow' || tag === 'function-workflow';
    return calls && answer?.kind === 'workflow' ? [answer.scope] : [];
  });
}
