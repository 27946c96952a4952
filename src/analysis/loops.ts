// The loops of a graph: groups of states from each of which an agent can come to each other one of its group, and back. Tarjan's way, in
// one pass and without recursion: a package may be one long chain. Pure.
import type { Edge, Graph, StateNode } from './graph.js';

/** An agent itself goes this way: not the one that it forks. */
export function isOwnWay({ tag, role }: Edge): boolean {
  return !(role === 'target' && (tag === 'fork' || tag === 'fork-workflow'));
}

interface Visit {
  readonly file: string;
  readonly ways: readonly string[];
  next: number;
}

/** The loops among these states. */
export function loopsIn(graph: Pick<Graph, 'states'>, files: ReadonlySet<string>): readonly (readonly StateNode[])[] {
  const search = new LoopSearch(graph, files);
  return [...files].flatMap((file) => search.from(file));
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

  /** The loops that are closed on the way through everything that follows `file`, and was not visited before. */
  from(file: string): readonly (readonly StateNode[])[] {
    if (this.order.has(file)) return [];
    const loops: (readonly StateNode[])[] = [];
    const path = [this.visit(file)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const to = at.ways[at.next++];
      if (to === undefined) {
        path.pop();
        loops.push(...this.closed(at));
        const above = path.at(-1);
        if (above !== undefined) this.lower(above.file, this.lowest.get(at.file));
      } else if (!this.order.has(to)) path.push(this.visit(to));
      else if (this.isOpen.has(to)) this.lower(at.file, this.order.get(to));
    }
    return loops;
  }

  private visit(file: string): Visit {
    this.order.set(file, this.order.size);
    this.lowest.set(file, this.order.size - 1);
    this.open.push(file);
    this.isOpen.add(file);
    return { file, ways: this.waysFrom(file), next: 0 };
  }

  private waysFrom(file: string): readonly string[] {
    const edges = this.graph.states.get(file)?.edges.filter(isOwnWay) ?? [];
    return edges.flatMap(({ to }) => (to.kind === 'state' && this.files.has(to.file) ? [to.file] : []));
  }

  private lower(file: string, order: number | undefined): void {
    if (order !== undefined && order < (this.lowest.get(file) ?? 0)) this.lowest.set(file, order);
  }

  /** The group that is complete with this state, when it is the first of one; a state alone is a loop if it leads to itself. */
  private closed({ file, ways }: Visit): readonly (readonly StateNode[])[] {
    if (this.lowest.get(file) !== this.order.get(file)) return [];
    const group = this.open.splice(this.open.lastIndexOf(file));
    for (const member of group) this.isOpen.delete(member);
    if (group.length === 1 && !ways.includes(file)) return [];
    return [group.flatMap((member) => this.graph.states.get(member) ?? [])];
  }
}
