// Finds the loops of a graph: its strongly connected components, by Tarjan's algorithm. Iterative, because a package may be one long chain
// of states. Pure.
import type { Edge, Graph, StateNode } from './graph.js';

/** True if an edge is that of a forked agent. */
export function isFork({ tag, role }: Edge): boolean {
  return role === 'target' && (tag === 'fork' || tag === 'fork-workflow');
}

/** True if the agent itself follows the edge, not an agent that it forks. */
export function isOwnTransition(edge: Edge): boolean {
  return !isFork(edge);
}

interface Visit {
  readonly file: string;
  readonly targets: readonly string[];
  next: number;
}

/** Finds the loops among these states. */
export function loopsIn(graph: Pick<Graph, 'states'>, files: ReadonlySet<string>): readonly (readonly StateNode[])[] {
  const search = new LoopSearch(graph, files);
  return [...files].flatMap((file) => search.from(file));
}

/** The loop among these states to which a state belongs; empty if there is none. */
export function loopOf(
  graph: Pick<Graph, 'states'>,
  { file, among }: { readonly file: string; readonly among: ReadonlySet<string> },
): readonly StateNode[] {
  return loopsIn(graph, among).find((loop) => loop.some((state) => state.file === file)) ?? [];
}

/** True for a state that is in a loop of these states also without another one. */
export function isInLoopWithout(
  graph: Pick<Graph, 'states'>,
  { file, without, among }: { readonly file: string; readonly without: string; readonly among: ReadonlySet<string> },
): boolean {
  return loopOf(graph, { file, among: new Set([...among].filter((one) => one !== without)) }).length > 0;
}

class LoopSearch {
  private readonly order = new Map<string, number>();
  private readonly lowest = new Map<string, number>();
  private readonly open: string[] = [];
  private readonly isOpen = new Set<string>();

  constructor(
    private readonly graph: Pick<Graph, 'states'>,
    private readonly files: ReadonlySet<string>,
  ) {}

  /** The loops among the states that `file` reaches and that were not visited before. */
  from(file: string): readonly (readonly StateNode[])[] {
    if (this.order.has(file)) return [];
    const loops: (readonly StateNode[])[] = [];
    const path = [this.visit(file)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const to = at.targets[at.next++];
      if (to === undefined) {
        path.pop();
        loops.push(...this.completedGroup(at));
        const parent = path.at(-1);
        if (parent !== undefined) this.lowerTo(parent.file, this.lowest.get(at.file));
      } else if (!this.order.has(to)) path.push(this.visit(to));
      else if (this.isOpen.has(to)) this.lowerTo(at.file, this.order.get(to));
    }
    return loops;
  }

  private visit(file: string): Visit {
    this.order.set(file, this.order.size);
    this.lowest.set(file, this.order.size - 1);
    this.open.push(file);
    this.isOpen.add(file);
    return { file, targets: this.targetsOf(file), next: 0 };
  }

  private targetsOf(file: string): readonly string[] {
    const edges = this.graph.states.get(file)?.edges.filter(isOwnTransition) ?? [];
    return edges.flatMap(({ to }) => (to.kind === 'state' && this.files.has(to.file) ? [to.file] : []));
  }

  private lowerTo(file: string, order: number | undefined): void {
    if (order !== undefined && order < (this.lowest.get(file) ?? 0)) this.lowest.set(file, order);
  }

  /** The component whose first state this is, once complete; a single state is a loop only if it leads to itself. */
  private completedGroup({ file, targets }: Visit): readonly (readonly StateNode[])[] {
    if (this.lowest.get(file) !== this.order.get(file)) return [];
    const group = this.open.splice(this.open.lastIndexOf(file));
    for (const member of group) this.isOpen.delete(member);
    if (group.length === 1 && !targets.includes(file)) return [];
    return [group.flatMap((member) => this.graph.states.get(member) ?? [])];
  }
}
