// What a rule is, and what it looks at: the graph of a package, and what only the world could say of it. Rules are pure functions; the
// table of them is rules.ts.
import type { Graph } from '../graph.js';
import type { Position } from '../position.js';
import type { WorkflowAnswer } from '../workflows.js';

/** How much a finding matters: an error keeps a run from its end, a warning is likely a slip, info is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** A change of a file that mends a finding: other characters in one line, or LF for every CR LF. */
export type Edit =
  | { readonly kind: 'replace'; readonly at: Position; readonly old: string; readonly text: string }
  | { readonly kind: 'line-ends'; readonly file: string };

/** What a rule found. */
export interface Found {
  readonly at: Position;
  readonly message: string;
  /** What to do. */
  readonly fix?: string;
  /** The same as a change, where there is one answer. */
  readonly edit?: Edit;
  /** The file of the state that it is about; absent = the package. */
  readonly state?: string;
}

/** A message of another program about a script. */
export interface ScriptRemark {
  readonly at: Position;
  readonly message: string;
  /** The number that shellcheck gives it. */
  readonly code?: string;
}

/** A package, and what other programs and other packages say of it. */
export interface Analysis {
  readonly graph: Graph;
  /** The states that can be reached from the entry; all when there is none. */
  readonly reached: ReadonlySet<string>;
  /** What the names of other workflows lead to. */
  readonly workflows: ReadonlyMap<string, WorkflowAnswer>;
  /** Where states of other packages, to which states that can be reached lead, may ask a person. */
  readonly asksInOthers: readonly Position[];
  /** How many workflows deep calls of it may come; Infinity = they come back to themselves. */
  readonly nesting: number;
  /** What bash says of the syntax of scripts, and shellcheck of everything, by the files of states. */
  readonly syntax: ReadonlyMap<string, readonly ScriptRemark[]>;
  readonly remarks: ReadonlyMap<string, readonly ScriptRemark[]>;
  /** The `@mentions` of prompts that lead to no file, neither here nor in the package. */
  readonly lostMentions: ReadonlySet<string>;
}

/** A rule; `why` says more than its one sentence, for whoever asks. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  readonly says: string;
  readonly why: string;
  readonly check: (analysis: Analysis) => Iterable<Found>;
}
