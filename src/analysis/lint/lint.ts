// Lints a package: runs all rules, adds the remarks of shellcheck, removes suppressed findings, and sorts by file and line. Pure.
import { reachableFrom, type Graph } from '../graph.js';
import type { Mention } from '../mention.js';
import { comparePositions, type Position } from '../position.js';
import { RULES, ruleOf } from './rules.js';
import type { Analysis, Finding, Severity } from './rule.js';
import { unsuppressed } from './suppress.js';

/** All findings of a package; `ignore` = ids of rules to skip, `reported` = other packages whose errors are reported with them. */
export function lint(
  analysis: Analysis,
  ignore: readonly string[] = [],
  reported: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  const violations = RULES.flatMap(({ id, severity, check }) =>
    [...check(analysis)].map(({ mention, ...details }) => {
      const siblings = analysis.graph.states.get(details.state ?? '')?.mentions ?? [];
      const weight = mention === undefined ? severity : weighed(severity, { mention, siblings });
      return { id, severity: weight, ...details };
    }),
  );
  const remaining = unsuppressed([...unique(violations), ...remarksOf(analysis)], {
    graph: analysis.graph,
    ignored: ignore,
  });
  return [...unique([...remaining, ...errorsInOthers(analysis, reported)])].sort(inOrder);
}

/** A script may not print the tag; and a prompt that names another one may show it in a fence as an example of something else. */
function weighed(
  severity: Severity,
  { mention, siblings }: { readonly mention: Mention; readonly siblings: readonly Mention[] },
): Severity {
  if (mention.fenced && siblings.some(({ fenced }) => !fenced)) return 'info';
  if (mention.inCode && siblings.some(({ inCode, source }) => source === 'text' && !inCode)) return 'info';
  return mention.isCertain === false && severity === 'error' ? 'warning' : severity;
}

/** The errors of other packages that the run would find only after it has paid for the turns before. */
function errorsInOthers({ graph, otherPackages }: Analysis, reported: ReadonlySet<string>): readonly Finding[] {
  const others = otherPackages.filter(
    ({ graph: { source } }) => source.path !== graph.source.path && !reported.has(source.path),
  );
  return others.flatMap((other) =>
    errorsIn(lint(other), other).map(({ state: _state, edit: _edit, ...finding }): Finding => finding),
  );
}

/** The findings that prevent a start: errors in reachable states, and errors of the package as a whole. */
export function errorsIn(findings: readonly Finding[], { reached }: Pick<Analysis, 'reached'>): readonly Finding[] {
  return findings.filter(({ severity, state }) => severity === 'error' && (state === undefined || reached.has(state)));
}

/** The states that a run of the package can reach; all of them if there is no entry point. */
export function reachableStates(graph: Graph): ReadonlySet<string> {
  if (graph.entry.kind === 'problem') return new Set(graph.states.keys());
  return reachableFrom(graph, { from: [graph.entry.file] });
}

function remarksOf({ remarks }: Analysis): readonly Finding[] {
  return [...remarks].flatMap(([state, messages]) =>
    messages.map(({ at, message, code = '' }) => ({
      at,
      message,
      state,
      id: code,
      severity: ruleOf(code)?.severity ?? 'info',
    })),
  );
}

/** Two edges may report the same mistake. */
function unique(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ id, at, message }) => {
    const key = [id, positionKey(at), message].join(' ');
    return !seen.has(key) && seen.add(key);
  });
}

function positionKey({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

function inOrder(one: Finding, other: Finding): number {
  return (
    comparePositions(one.at, other.at) || ORDER[one.severity] - ORDER[other.severity] || (one.id < other.id ? -1 : 1)
  );
}
