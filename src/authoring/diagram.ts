// The diagram of a package that a person names, and what a run has made of it: where its agents are, how often each way was taken.
import {
  diagramOf,
  ELSEWHERE,
  END,
  linkKey,
  type Diagram,
  type LinkKind,
  type RunMarks,
} from '../analysis/diagram/model.js';
import { graphOf, type Graph } from '../analysis/graph.js';
import { readSource } from '../analysis/source.js';
import type { RecordedTurn } from '../history/turns.js';
import { openArgument } from '../packages/locate.js';
import { openScope } from '../packages/open.js';
import { PLATFORM } from '../packages/state.js';
import { assertNever } from '../protocol/failure.js';
import { originOf, packageName } from '../protocol/scope.js';
import { defined } from '../protocol/text.js';
import type { Transition } from '../protocol/machine/transition.js';
import { forAuthors, type AuthorPlace } from './convert.js';

/** A package to draw. */
export interface DrawnPackage {
  readonly graph: Graph;
  readonly name: string;
  readonly description?: string;
  readonly textOf: (file: string) => string | undefined;
}

/** Opens what is to be drawn. Throws `InvalidWorkflow`. */
export async function openDrawing(argument: string, place: AuthorPlace): Promise<DrawnPackage> {
  return await forAuthors(async () => {
    const { scope, entry } = await openArgument(argument, { ...place, platform: PLATFORM });
    const graph = graphOf(await readSource(await openScope(scope), { scope, platform: PLATFORM }), entry);
    const { understood: manifest } = graph.source;
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

/** The diagram of a package, with a run laid over it when there is one. */
export function drawingOf({ graph, name }: DrawnPackage, run?: RunOnPackage): Diagram {
  return diagramOf(graph, { title: name, ...(run === undefined ? {} : { marks: marksOf(graph, run) }) });
}

/** A run: its agents, and its recorded turns. */
export interface RunOnPackage {
  readonly agents: readonly { readonly id: string; readonly status: string; readonly state: string }[];
  readonly turns: readonly RecordedTurn[];
}

function marksOf({ source }: Graph, { agents, turns }: RunOnPackage): RunMarks {
  const here = new Map<string, readonly string[]>();
  for (const { id, status, state } of agents)
    if (status !== 'completed')
      here.set(state, [...(here.get(state) ?? []), status === 'running' ? id : `${id} (${status})`]);
  const taken = new Map<string, number>();
  for (const turn of turns) {
    // A run may have been in other packages, too.
    if (turn.before !== undefined && originOf(turn.before.scope) !== source.path) continue;
    for (const key of waysOf(turn)) taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return { agents: here, taken };
}

function waysOf({ state: from, end, before }: RecordedTurn): readonly string[] {
  if (end.kind !== 'transition') return [];
  const way = (kind: LinkKind, to: string): string => linkKey({ from, kind, to });
  return waysBy(end.transition, { way, caller: before?.stack.at(-1)?.state });
}

interface Ways {
  readonly way: (kind: LinkKind, to: string) => string;
  /** What a result goes back to. */
  readonly caller: string | undefined;
}

function waysBy(transition: Transition, { way, caller }: Ways): readonly string[] {
  switch (transition.kind) {
    case 'goto':
    case 'reset':
    case 'call':
    case 'function':
      return [way(transition.kind, transition.target)];
    case 'fork': {
      const forks = transition.forks.map(({ target, elsewhere }) =>
        way('fork', elsewhere === undefined ? target : ELSEWHERE),
      );
      return [...forks, way('next', transition.next)];
    }
    case 'result':
      return [caller === undefined ? way('result', END) : way('return', caller)];
    case 'ask':
    case 'await':
      return [way(transition.kind, transition.next)];
    case 'call-workflow':
      return [way('call', ELSEWHERE)];
    case 'function-workflow':
      return [way('function', ELSEWHERE)];
    case 'reset-workflow':
      return [way('reset', ELSEWHERE)];
    default:
      return assertNever(transition);
  }
}
