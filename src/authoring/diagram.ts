// The diagram of a package, with a run laid over it: where its agents are, and how often each transition was taken.
import { resolve } from 'node:path';
import { diagramOf, linkKindOf } from '../analysis/diagram/model.js';
import { END, linkKey, workflowId, type Diagram, type DiagramLink, type RunMarks } from '../analysis/diagram/parts.js';
import { allEdges, graphOf, type Graph } from '../analysis/graph.js';
import { readSource } from '../analysis/source.js';
import { edgeOf } from '../analysis/taken.js';
import { stepsOf, type Step } from '../history/steps.js';
import type { RecordedTurn } from '../history/turns.js';
import { openArgument } from '../packages/locate.js';
import { openScope } from '../packages/open.js';
import { PLATFORM } from '../packages/state.js';
import type { Platform } from '../protocol/language/resolve.js';
import { originOf, packageName, type Scope } from '../protocol/scope.js';
import { defined } from '../protocol/text.js';
import { forAuthors, type AuthorPlace } from './convert.js';

/** A package to draw. */
export interface DrawnPackage {
  readonly graph: Graph;
  readonly name: string;
  readonly description?: string;
  readonly textOf: (file: string) => string | undefined;
}

/** Opens the package to draw. Throws `InvalidWorkflow`. */
export async function openDrawing(
  argument: string,
  { platform = PLATFORM, ...location }: AuthorPlace & { readonly platform?: Platform },
): Promise<DrawnPackage> {
  return await forAuthors(async () => {
    const { scope, entry } = await openArgument(argument, { ...location, platform });
    const graph = graphOf(await readSource(await openScope(scope), { scope, platform }), entry);
    const { parsedManifest: manifest } = graph.source;
    return {
      graph,
      name: manifest?.name ?? packageName(scope),
      ...defined({ description: manifest?.description }),
      textOf: (file) => {
        const source = graph.states.get(file)?.source;
        return source !== undefined && 'raw' in source ? source.raw.text : undefined;
      },
    };
  });
}

/** The diagram of a package, with a run on top of it when one is given. */
export function drawingOf({ graph, name }: DrawnPackage, run?: RunOnPackage): Diagram {
  return diagramOf(graph, { title: name, ...(run === undefined ? {} : { marks: marksOf(graph, run) }) });
}

/** A run: its agents, and its recorded turns. */
export interface RunOnPackage {
  readonly agents: readonly { readonly id: string; readonly status: string; readonly state: string }[];
  readonly turns: readonly RecordedTurn[];
}

function marksOf(graph: Graph, { agents, turns }: RunOnPackage): RunMarks {
  const here = new Map<string, readonly string[]>();
  for (const { id, status, state } of agents)
    if (status !== 'completed')
      here.set(state, [...(here.get(state) ?? []), status === 'running' ? id : `${id} (${status})`]);
  const taken = new Map<string, DiagramLink & { readonly count: number }>();
  for (const step of stepsOf(turns)) {
    const link = linkOf(step, graph);
    if (link !== undefined) taken.set(linkKey(link), { ...link, count: (taken.get(linkKey(link))?.count ?? 0) + 1 });
  }
  const failed = agents.filter(({ status }) => status === 'failed' || status === 'lost');
  return { agents: here, stopped: new Set(failed.map(({ state }) => state)), taken: [...taken.values()] };
}

/** The edge of a step; a run may also have been in other packages. */
function linkOf(step: Step, graph: Graph): DiagramLink | undefined {
  const { from, to, turn } = step;
  const isHere = (scope?: Scope): boolean => scope === undefined || originOf(scope) === graph.source.path;
  if (!isHere(turn.before?.scope)) return undefined;
  if (step.role === 'return') return returnLink(step, graph);
  const caller = turn.before?.stack.at(-1);
  // The result of another workflow: the step that called it counts instead.
  if (to.kind === 'end' && !isHere(caller?.scope)) return undefined;
  if (to.kind === 'end')
    return caller === undefined ? { from, to: END, kind: 'result' } : { from, to: caller.state, kind: 'return' };
  const kind = linkKindOf(edgeOf(allEdges(graph), step) ?? step);
  return { from, to: to.kind === 'state' ? to.file : workflowNode(step, graph), kind };
}

/** A result that a call within the package returned counts at the state that received it. */
function returnLink(step: Step, graph: Graph): DiagramLink | undefined {
  const { end } = step.turn;
  if (end.kind !== 'transition' || !('scope' in end.transition) || step.to.kind !== 'state') return undefined;
  const { scope } = end.transition;
  const from = workflowNode({ ...step, role: 'target', to: { kind: 'workflow', scope } }, graph);
  return { from, to: step.to.file, kind: 'return' };
}

/** The node of the other workflow that a step led to: by the name in the tag, else by the name of the workflow. */
function workflowNode({ from, tag, to }: Step, graph: Graph): string {
  if (to.kind !== 'workflow') return END;
  const origin = originOf(to.scope);
  const named = allEdges(graph).flatMap((edge) =>
    edge.from === from && edge.tag === tag && edge.to.kind === 'workflow' ? [edge.to.specifier] : [],
  );
  const isNamed = (specifier: string): boolean => `${resolve(graph.source.path, specifier)}/`.startsWith(`${origin}/`);
  return workflowId(named.find(isNamed) ?? (named.length === 1 ? named[0] : undefined) ?? packageName(to.scope));
}
