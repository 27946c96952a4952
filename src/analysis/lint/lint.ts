// Lints a package: what its rules find, what shellcheck says, less what its author has accepted; in the order of files and lines. Pure.
import { reachableFrom, type Graph } from '../graph.js';
import { comparePositions, type Position } from '../position.js';
import { RULES, ruleOf } from './rules.js';
import type { Analysis, Found, Severity } from './rule.js';
import { unsuppressed } from './suppress.js';

/** What a rule found. */
export interface Finding extends Found {
  readonly id: string;
  readonly severity: Severity;
}

/** All findings of a package; `ignore` = ids of rules that count nowhere. */
export function lint(analysis: Analysis, ignore: readonly string[] = []): readonly Finding[] {
  const found = RULES.flatMap(({ id, severity, check }) =>
    [...check(analysis)].map((one) => ({ ...one, id, severity })),
  );
  const left = unsuppressed([...unique(found), ...remarksOf(analysis)], { graph: analysis.graph, everywhere: ignore });
  return [...left].sort(inOrder);
}

/** What a start refuses: errors in what it can reach, and those of the package as a whole. */
export function errorsIn(findings: readonly Finding[], { reached }: Pick<Analysis, 'reached'>): readonly Finding[] {
  return findings.filter(({ severity, state }) => severity === 'error' && (state === undefined || reached.has(state)));
}

/** The states that a run of the package can come to. */
export function reachedFrom(graph: Graph): ReadonlySet<string> {
  if (graph.entry.kind === 'problem') return new Set(graph.states.keys());
  return reachableFrom(graph, { from: [graph.entry.file] });
}

function remarksOf({ remarks }: Analysis): readonly Finding[] {
  return [...remarks].flatMap(([state, told]) =>
    told.map(({ at, message, code = '' }) => ({
      at,
      message,
      state,
      id: code,
      severity: ruleOf(code)?.severity ?? 'info',
    })),
  );
}

/** Two ways may lead to the same mistake. */
function unique(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ id, at, message }) => {
    const key = [id, placeOf(at), message].join(' ');
    return !seen.has(key) && seen.add(key);
  });
}

function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

function inOrder(one: Finding, other: Finding): number {
  return (
    comparePositions(one.at, other.at) || ORDER[one.severity] - ORDER[other.severity] || (one.id < other.id ? -1 : 1)
  );
}
