// The parts of a diagram, independent of the output format: nodes, links, and the marks of a run. Pure.
/** What a node represents. */
export type NodeKind = 'prompt' | 'script' | 'workflow' | 'missing' | 'computed' | 'end';

/** What an agent does when it follows a link. `next` is where a forking agent itself continues. */
export type LinkKind =
  'goto' | 'reset' | 'call' | 'function' | 'return' | 'fork' | 'next' | 'ask' | 'timeout' | 'await' | 'result';

/** A state, or another target of a transition. */
export interface DiagramNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly isEntry: boolean;
  /** The agents of a run that are in this state. */
  readonly agents: readonly string[];
  /** One of them has failed. */
  readonly isStopped?: true;
  /** The file of the state. */
  readonly file?: string;
}

/** A transition from one node to another. */
export interface DiagramLink {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** How long it waits, shown beside the label. */
  readonly note?: string;
  /** How often a run has taken it; absent = no run is shown. */
  readonly count?: number;
}

/** A diagram of one package. */
export interface Diagram {
  readonly title: string;
  readonly nodes: readonly DiagramNode[];
  readonly links: readonly DiagramLink[];
}

/** The progress of a run: its agents by state file, and the links that it followed with their counts. */
export interface RunMarks {
  readonly agents: ReadonlyMap<string, readonly string[]>;
  /** The state files at which agents have failed. */
  readonly stopped: ReadonlySet<string>;
  readonly taken: readonly (DiagramLink & { readonly count: number })[];
}

/** The prefix of node ids whose target is known only at run time. */
export const COMPUTED_NODE = ' computed ';

/** The id of the node at which agents end. */
export const END = ' end';

/** The id of the node of another workflow. */
export function workflowId(specifier: string): string {
  return ` workflow ${specifier}`;
}

/** The key under which equal links are counted. */
export function linkKey({ from, to, kind }: Pick<DiagramLink, 'from' | 'to' | 'kind'>): string {
  return [from, kind, to].join('\n');
}
