// Resolves the other workflows that a package names, as a run would: whether they exist, how deep their calls nest, and where they may ask
// a person.
import { ScopeError } from '../packages/error.js';
import { resolveWorkflow, type WorkflowAnswer } from '../packages/locate.js';
import { openScope } from '../packages/open.js';
import { packagesBeside } from '../packages/search.js';
import { type Scope, originOf, scopeAt } from '../protocol/scope.js';
import { allEdges, asksOf, graphOf, reachableFrom, type Graph } from './graph.js';
import type { Position } from './position.js';
import { readSource } from './source.js';

export type { WorkflowAnswer } from '../packages/locate.js';

/** What the workflow names in a package resolve to, and how deep their calls nest. */
interface NamedWorkflows {
  readonly resolutions: ReadonlyMap<string, WorkflowAnswer>;
  readonly nesting: number;
}

/** At most this many packages are read for one analysis. */
const MAX_PACKAGES = 50;

/** Resolves every workflow that a package names literally. */
export async function namedWorkflows(graph: Graph): Promise<NamedWorkflows> {
  const resolutions = await resolveNamed(graph);
  if (resolutions.size === 0) return { resolutions, nesting: 0 };
  return { resolutions, nesting: await nestingOf(graph, resolutions) };
}

async function resolveNamed(graph: Graph): Promise<ReadonlyMap<string, WorkflowAnswer>> {
  const { scope, folder } = graph.source;
  const specifiers = new Set(allEdges(graph).flatMap(({ to }) => (to.kind === 'workflow' ? [to.specifier] : [])));
  const resolutions = [...specifiers].map(async (specifier) => {
    const resolution = await resolveWorkflow({ specifier, scope, platform: folder.platform });
    return [specifier, resolution] as const;
  });
  return new Map(await Promise.all(resolutions));
}

/** The length of the longest chain of calls; a package that cannot be read ends a chain. */
async function nestingOf(graph: Graph, resolutions: ReadonlyMap<string, WorkflowAnswer>): Promise<number> {
  const calledByOrigin = new Map<string, readonly Scope[]>([
    [originOf(graph.source.scope), calledBy(graph, resolutions)],
  ]);
  const depthOf = async (scope: Scope, callers: readonly string[]): Promise<number> => {
    const origin = originOf(scope);
    if (callers.includes(origin)) return Infinity;
    const callees =
      calledByOrigin.get(origin) ?? (calledByOrigin.size < MAX_PACKAGES ? await calledIn(graph, scope) : []);
    calledByOrigin.set(origin, callees);
    let deepest = 0;
    for (const callee of callees) deepest = Math.max(deepest, 1 + (await depthOf(callee, [...callers, origin])));
    return deepest;
  };
  return await depthOf(graph.source.scope, []);
}

async function calledIn(from: Graph, scope: Scope): Promise<readonly Scope[]> {
  const graph = await readGraph(from, scope);
  return graph === undefined ? [] : calledBy(graph, await resolveNamed(graph));
}

/** The graph of another package; undefined if it cannot be read, which another rule reports. */
async function readGraph({ source }: Graph, scope: Scope, entry?: string): Promise<Graph | undefined> {
  try {
    return graphOf(await readSource(await openScope(scope), { scope, platform: source.folder.platform }), entry);
  } catch (error) {
    if (error instanceof ScopeError) return undefined;
    throw error;
  }
}

/** The reachable states of one package, and the workflows that it names. */
export interface ReachedStates {
  readonly graph: Graph;
  readonly reached: ReadonlySet<string>;
  readonly resolutions: ReadonlyMap<string, WorkflowAnswer>;
}

/** The other packages that these states lead to, each from the state that is named. */
export async function otherPackages(from: ReachedStates): Promise<readonly ReachedStates[]> {
  const others: ReachedStates[] = [];
  const seen = new Set<string>();
  const pending = [...workflowsNamedBy(from)];
  for (let next = pending.pop(); next !== undefined && seen.size < MAX_PACKAGES; next = pending.pop()) {
    const { scope, entry } = next;
    const key = `${originOf(scope)} ${entry}`;
    const graph = seen.has(key) ? undefined : await readGraph(from.graph, scope, entry);
    seen.add(key);
    if (graph === undefined) continue;
    const reached = reachableFrom(graph, { from: [entry] });
    const other = { graph, reached, resolutions: await resolveNamed(graph) };
    others.push(other);
    pending.push(...workflowsNamedBy(other));
  }
  return others;
}

/** The states of a package on disk that the packages beside it name. */
export async function entriesNamedBeside(graph: Graph): Promise<readonly string[]> {
  const { scope, path } = graph.source;
  if (originOf(scope) !== path) return [];
  const beside = (await packagesBeside(path)).map(async (other) => {
    const caller = await readGraph(graph, scopeAt(other));
    return caller === undefined ? [] : entriesAmong(await resolveNamed(caller), path);
  });
  return (await Promise.all(beside)).flat();
}

/** The states of the package at a path, among what names of workflows resolve to. */
export function entriesAmong(answers: ReadonlyMap<string, WorkflowAnswer>, path: string): readonly string[] {
  return [...answers.values()].flatMap((answer) =>
    answer.kind === 'workflow' && originOf(answer.scope) === path ? [answer.entry] : [],
  );
}

/** Where these states of a package may ask a person. */
export function asksIn({ states }: Graph, reached: ReadonlySet<string>): readonly Position[] {
  return [...reached].flatMap((file) => {
    const state = states.get(file);
    return state === undefined ? [] : asksOf(state).map(({ at }) => at);
  });
}

function workflowsNamedBy({
  graph,
  reached,
  resolutions,
}: ReachedStates): readonly (WorkflowAnswer & { readonly kind: 'workflow' })[] {
  return allEdges(graph).flatMap(({ from, to }) => {
    const resolution = to.kind === 'workflow' && reached.has(from) ? resolutions.get(to.specifier) : undefined;
    return resolution?.kind === 'workflow' ? [resolution] : [];
  });
}

function calledBy(graph: Graph, resolutions: ReadonlyMap<string, WorkflowAnswer>): readonly Scope[] {
  return allEdges(graph).flatMap(({ tag, to }) => {
    const resolution = to.kind === 'workflow' ? resolutions.get(to.specifier) : undefined;
    const calls = tag === 'call-workflow' || tag === 'function-workflow';
    return calls && resolution?.kind === 'workflow' ? [resolution.scope] : [];
  });
}
