// Defines a rule and its input: the graph of a package, and the results of other programs and packages. Rules are pure functions; the
// table of all rules is rules.ts.
import type { SandboxKind, SandboxRequest } from '../../protocol/sandbox.js';
import type { Graph } from '../graph.js';
import type { Mention } from '../mention.js';
import type { Position } from '../position.js';
import type { WorkflowAnswer } from '../workflows.js';

/** An error makes a run fail, a warning is probably a mistake, info is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** A change that fixes a finding: a replacement in one line, or LF for every CR LF of a file. */
export type Edit =
  | { readonly kind: 'replace'; readonly at: Position; readonly old: string; readonly text: string }
  | { readonly kind: 'line-ends'; readonly file: string };

/** A violation as a rule reports it. */
export interface FindingDetails {
  readonly at: Position;
  readonly message: string;
  /** What the author should do. */
  readonly fix?: string;
  /** The fix as a change, if there is exactly one. */
  readonly edit?: Edit;
  /** The file of the state; absent = the package as a whole. */
  readonly state?: string;
  /** Less than the severity of the rule, where the text only suggests that it is violated. */
  readonly severity?: Severity;
  /** The tag that violates the rule: the finding weighs less if the file may only speak of it. */
  readonly mention?: Mention;
}

/** A violation of a rule at a position. */
export interface Finding extends FindingDetails {
  readonly id: string;
  readonly severity: Severity;
}

/** A message of another program about a script. */
export interface ScriptRemark {
  readonly at: Position;
  readonly message: string;
  /** The id of shellcheck's rule. */
  readonly code?: string;
}

/** The keys `sandbox` and `sandbox_profiles` of a config, and the kinds of sandbox that this host has; absent = unknown. */
export interface SandboxAllowance {
  readonly owner?: SandboxRequest;
  readonly profiles?: Readonly<Record<string, SandboxRequest>>;
  readonly onHost?: readonly SandboxKind[];
}

/** A package with the results of other programs and packages. */
export interface Analysis {
  readonly graph: Graph;
  /** The states that the entry point reaches; all if there is no entry point. */
  readonly reached: ReadonlySet<string>;
  /** What the names of other workflows resolve to. */
  readonly workflows: ReadonlyMap<string, WorkflowAnswer>;
  /** Where other packages that the reachable states lead to may ask a person. */
  readonly asksInOtherPackages: readonly Position[];
  /** The packages that the reachable states lead to, each from the state that is named. */
  readonly otherPackages: readonly Analysis[];
  /** The states of this package that other packages name. */
  readonly entriesFromOutside?: readonly string[];
  /** How deep calls of other workflows nest; Infinity = they form a cycle. */
  readonly nesting: number;
  /** The syntax errors of bash, and the remarks of shellcheck, by state file. */
  readonly syntax: ReadonlyMap<string, readonly ScriptRemark[]>;
  readonly remarks: ReadonlyMap<string, readonly ScriptRemark[]>;
  /** The `@path` mentions of prompts for which no file exists. */
  readonly missingMentions: ReadonlyMap<string, 'nowhere' | 'beside'>;
  /** The files beside the states, as `lib/` also folders, that are not in the working directory; absent = unknown. */
  readonly onlyBeside?: ReadonlySet<string>;
  /** Files that states read in the folder of the package, and that are not there; absent if it is no folder. */
  readonly missingBeside?: readonly ReadBeside[];
  /** The working_directory of the manifest, if it does not exist but one beside the package has its name. */
  readonly missingDirectory?: string;
  /** What the config gives a sandbox; absent = nothing. */
  readonly sandbox?: SandboxAllowance;
}

/** A file that a state reads beside it, and that no state makes. */
export interface ReadBeside {
  readonly state: string;
  readonly at: Position;
  readonly path: string;
}

/** A lint rule; `why` explains its one-sentence `summary`. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly why: string;
  readonly check: (analysis: Analysis) => Iterable<FindingDetails>;
}
