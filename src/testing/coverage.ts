// How much of a workflow its tests cover: the reachable states and the transitions between them, compared with the
// steps that the runs took.
import { graphOf, reachableFrom, type Edge, type Graph } from '../analysis/graph.js';
import { displayText } from '../analysis/mention.js';
import { readSource } from '../analysis/source.js';
import { edgeOf, type RunStep } from '../analysis/taken.js';
import { openScope } from '../packages/open.js';
import { PLATFORM } from '../packages/state.js';
import { assertNever } from '../protocol/failure.js';
import { stem } from '../protocol/ids.js';
import { originOf } from '../protocol/scope.js';
import { stepsOf } from '../history/steps.js';
import type { RecordedTurn } from '../history/turns.js';
import type { CaseRecord } from './case-run.js';

/** The coverage of one workflow, with the names of what is missing. */
export interface Coverage {
  readonly workflow: string;
  readonly states: CoveredPart;
  readonly edges: CoveredPart;
}

/** The covered number, the total, and the missing ones. */
interface CoveredPart {
  readonly covered: number;
  readonly of: number;
  readonly missing: readonly string[];
}

/** The coverage of every workflow in which a run began. */
export async function coverageOf(records: readonly CaseRecord[]): Promise<readonly Coverage[]> {
  const workflows = new Map<string, CaseRecord[]>();
  for (const record of records) {
    const path = originOf(record.workflow.scope);
    workflows.set(path, [...(workflows.get(path) ?? []), record]);
  }
  return await Promise.all([...workflows].map(([path, own]) => coverageIn(path, own)));
}

async function coverageIn(workflow: string, records: readonly CaseRecord[]): Promise<Coverage> {
  const { scope } = (records[0] as CaseRecord).workflow;
  const graph = graphOf(await readSource(await openScope(scope), { scope, platform: PLATFORM }));
  const isHere = ({ before }: RecordedTurn): boolean => before !== undefined && originOf(before.scope) === workflow;
  const steps = records.flatMap(({ turns }) => stepsOf(turns)).filter(({ turn }) => isHere(turn));
  const seen = new Set(records.flatMap(({ turns }) => turns.filter(isHere)).map(({ state }) => state));
  const entries = records.map((record) => record.workflow.entry);
  return { workflow, ...coveredIn(graph, { entries, seen, steps }) };
}

/** The packages where runs began, and their steps there. */
interface SeenRuns {
  readonly entries: readonly string[];
  readonly seen: ReadonlySet<string>;
  readonly steps: readonly RunStep[];
}

/** The coverage of a package. A state that only a computed target leads to counts once a run has visited it. */
export function coveredIn(graph: Graph, { entries, seen, steps }: SeenRuns): Pick<Coverage, 'states' | 'edges'> {
  const states = [...reachableFrom(graph, { from: [...new Set([...entries, ...seen])] })].filter((file) =>
    graph.states.has(file),
  );
  const edges = states.flatMap((file) => graph.states.get(file)?.edges ?? []);
  const taken = new Set(steps.map((step) => edgeOf(edges, step)));
  return {
    states: partOf(states.map((file) => ({ name: stem(file), covered: seen.has(file) }))),
    edges: partOf(edgesByName(edges).map(([name, same]) => ({ name, covered: same.some((edge) => taken.has(edge)) }))),
  };
}

function partOf(parts: readonly { readonly name: string; readonly covered: boolean }[]): CoveredPart {
  const missing = parts.filter(({ covered }) => !covered).map(({ name }) => name);
  return { covered: parts.length - missing.length, of: parts.length, missing };
}

/** The edges within the package, as people read them; duplicates count once. */
function edgesByName(edges: readonly Edge[]): readonly (readonly [name: string, same: readonly Edge[]])[] {
  const named = new Map<string, Edge[]>();
  for (const edge of edges) {
    const name = nameOf(edge);
    if (name !== undefined) named.set(name, [...(named.get(name) ?? []), edge]);
  }
  return [...named];
}

function nameOf({ from, tag, role, to }: Edge): string | undefined {
  const word = role === 'target' ? tag : `${tag} ${role}`;
  switch (to.kind) {
    case 'state':
      return `${stem(from)} → ${stem(to.file)} (${word})`;
    case 'computed':
      return `${stem(from)} → ${displayText(to.text)} (${word})`;
    case 'end':
      return `${stem(from)} ends (${word})`;
    case 'missing':
    case 'workflow':
      return undefined;
    default:
      return assertNever(to);
  }
}

/** Lines for people. */
export function coverageLines(coverages: readonly Coverage[], show: (path: string) => string): readonly string[] {
  return coverages.flatMap(({ workflow, states, edges }) => [
    `${show(workflow)}: ${states.covered} of ${states.of} states, ${edges.covered} of ${edges.of} transitions`,
    ...states.missing.map((name) => `    not reached: ${name}`),
    ...edges.missing.map((name) => `    not taken: ${name}`),
  ]);
}

/** The covered share of states and transitions, in percent; 100 when there is nothing to cover. */
export function percentOf(coverages: readonly Coverage[]): number {
  const parts = coverages.flatMap(({ states, edges }) => [states, edges]);
  const all = parts.reduce((sum, part) => sum + part.of, 0);
  const covered = parts.reduce((sum, part) => sum + part.covered, 0);
  return all === 0 ? 100 : Math.floor((100 * covered) / all);
}
