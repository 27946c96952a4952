// How much of a workflow its tests have been through: the states that an agent can come to, and the ways between them, against the turns of the
// runs.
import { graphOf, reachableFrom, type Edge, type Graph } from '../analysis/graph.js';
import { readSource } from '../analysis/source.js';
import { openScope } from '../packages/open.js';
import { PLATFORM } from '../packages/state.js';
import type { Scope } from '../protocol/machine/agent.js';
import { stem } from '../protocol/ids.js';
import { originOf } from '../protocol/scope.js';
import type { RecordedTurn } from '../history/turns.js';
import type { CaseRecord } from './case-run.js';

/** What of one workflow was covered; the names of what was not. */
export interface Coverage {
  readonly workflow: string;
  readonly states: CoveredPart;
  readonly edges: CoveredPart;
}

/** How many of how many, and which are missing. */
export interface CoveredPart {
  readonly covered: number;
  readonly of: number;
  readonly missing: readonly string[];
}

/** The coverage of every workflow that the runs began in. */
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
  const states = reachableFrom(graph, { from: [...new Set(records.map((record) => record.workflow.entry))] });
  const turns = records.flatMap((record) => record.turns).filter(({ before }) => isIn(scope, before?.scope));
  const seen = new Set(turns.map(({ state }) => state));
  const edges = edgesIn(graph, states);
  const taken = takenBy(turns);
  return {
    workflow,
    states: partOf([...states].map((file) => ({ name: stem(file), covered: seen.has(file) }))),
    edges: partOf([...edges].map(([name, keys]) => ({ name, covered: keys.some((key) => taken.has(key)) }))),
  };
}

function isIn(scope: Scope, other: Scope | undefined): boolean {
  return other !== undefined && originOf(other) === originOf(scope);
}

function partOf(parts: readonly { readonly name: string; readonly covered: boolean }[]): CoveredPart {
  const missing = parts.filter(({ covered }) => !covered).map(({ name }) => name);
  return { covered: parts.length - missing.length, of: parts.length, missing };
}

/** The ways that can be told from what a turn ends with, by how people read them; a way that is written twice is one. */
function edgesIn(graph: Graph, states: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const named = [...states]
    .flatMap((file) => graph.states.get(file)?.edges ?? [])
    .flatMap((edge) => {
      const to = targetOf(edge);
      if (to === undefined) return [];
      const word = edge.role === 'target' ? edge.tag : `${edge.tag} ${edge.role}`;
      const name = to === '' ? `${stem(edge.from)} ends (${word})` : `${stem(edge.from)} → ${stem(to)} (${word})`;
      return [[name, [keyOf({ from: edge.from, tag: edge.tag, role: edge.role, to })]] as const];
    });
  return new Map(named);
}

function targetOf({ to }: Edge): string | undefined {
  if (to.kind === 'state') return to.file;
  return to.kind === 'end' ? '' : undefined;
}

interface Step {
  readonly from: string;
  readonly tag: string;
  readonly role: string;
  readonly to: string;
}

function keyOf({ from, tag, role, to }: Step): string {
  return JSON.stringify([from, tag, role, to]);
}

function takenBy(turns: readonly RecordedTurn[]): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    for (const step of stepsOf(turn)) taken.add(keyOf(step));
    const next = turns.slice(index + 1).find((one) => one.agentId === turn.agentId && one.startedAt >= turn.endedAt);
    for (const step of waitedSteps(turn, next)) taken.add(keyOf(step));
  }
  // What came back went the way that its caller had laid out.
  for (const turn of turns) {
    if (turn.before?.pending?.returning !== true) continue;
    for (const caller of turns) {
      const { end } = caller;
      if (end.kind !== 'transition' || !('return' in end.transition) || end.transition.return !== turn.state) continue;
      taken.add(keyOf({ from: caller.state, tag: end.transition.kind, role: 'return', to: turn.state }));
    }
  }
  return taken;
}

function stepsOf({ state: from, end }: RecordedTurn): readonly Step[] {
  if (end.kind !== 'transition') return [];
  const { transition } = end;
  const step = (to: string, role = 'target'): Step => ({ from, tag: transition.kind, role, to });
  switch (transition.kind) {
    case 'fork':
      return [...transition.forks.map(({ target }) => step(target)), step(transition.next, 'next')];
    case 'result':
      return [step('')];
    case 'ask':
    case 'await':
      return [];
    default:
      return [step(transition.target)];
  }
}

/** Where a question or a wait went on is seen by the next turn alone. */
function waitedSteps({ state: from, end }: RecordedTurn, next: RecordedTurn | undefined): readonly Step[] {
  if (end.kind !== 'transition' || next === undefined) return [];
  const { kind: tag } = end.transition;
  if (tag !== 'ask' && tag !== 'await') return [];
  const late = next.before?.via === 'ask, no answer';
  return [{ from, tag, role: late ? 'timeout' : 'next', to: next.state }];
}

/** Lines for people. */
export function coverageLines(coverages: readonly Coverage[], show: (path: string) => string): readonly string[] {
  return coverages.flatMap(({ workflow, states, edges }) => [
    `${show(workflow)}: ${states.covered} of ${states.of} states, ${edges.covered} of ${edges.of} ways`,
    ...states.missing.map((name) => `    not reached: ${name}`),
    ...edges.missing.map((name) => `    not taken: ${name}`),
  ]);
}

/** The part of states and ways that was covered, in percent; 100 where there is nothing to cover. */
export function percentOf(coverages: readonly Coverage[]): number {
  const parts = coverages.flatMap(({ states, edges }) => [states, edges]);
  const all = parts.reduce((sum, part) => sum + part.of, 0);
  const covered = parts.reduce((sum, part) => sum + part.covered, 0);
  return all === 0 ? 100 : Math.floor((100 * covered) / all);
}
