// What a diagram is made of, whatever it is drawn with: nodes, links, and the marks of a run. Pure.
/** What a node stands for. */
export type NodeKind = 'prompt' | 'script' | 'workflow' | 'missing' | 'computed' | 'end';

/** What an agent does that takes a link. `next` is where a forking agent itself goes on. */
export type LinkKind =
  'goto' | 'reset' | 'call' | 'function' | 'return' | 'fork' | 'next' | 'ask' | 'timeout' | 'await' | 'result';

/** A state, or what ways lead to that is none. */
export interface DiagramNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly isEntry: boolean;
  /** The agents of a run that are here. */
  readonly agents: readonly string[];
  /** The file of the state. */
  readonly file?: string;
}

/** A way from one node to another. */
export interface DiagramLink {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** What stands beside it: how long it waits. */
  readonly note?: string;
  /** How often a run has taken it; absent = no run is shown. */
  readonly count?: number;
}

/** All that is drawn. */
export interface Diagram {
  readonly title: string;
  readonly nodes: readonly DiagramNode[];
  readonly links: readonly DiagramLink[];
}

/** Where a run is: its agents by the files of their states, and the links that it took, each with how often. */
export interface RunMarks {
  readonly agents: ReadonlyMap<string, readonly string[]>;
  readonly taken: readonly (DiagramLink & { readonly count: number })[];
}

/** How the ids of targets begin that only a run knows. */
export const COMPUTED_NODE = ' computed ';

/** The id of the node at which agents end. */
export const END = ' end';

/** The id of the node of another workflow. */
export function workflowId(specifier: string): string {
  return ` workflow ${specifier}`;
}

/** What a link is counted by. */
export function linkKey({ from, to, kind }: Pick<DiagramLink, 'from' | 'to' | 'kind'>): string {
  return [from, kind, to].join('\n');
}
