// The rule about tags that lead an agent to a state which needs the results of its forked agents, although no <await> has waited for them.
// Pure.
import { edgesInto, type Edge, type StateNode } from '../../graph.js';
import { isFork, isOwnTransition } from '../../loops.js';
import { isPrompt, plainText, shownAt, statesOf } from '../helpers.js';
import { passesNoValue } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { variablesOfProgram } from '../scripts/program-variables.js';
import { SPEAKS_OF_WORK } from './forked-work-rules.js';

/** The tag that leads to a state without the results that the state needs; undefined if another tag passes it a value. */
export function edgeBeforeAwait(analysis: Analysis, state: StateNode): Edge | undefined {
  const { graph, entriesFromOutside = [] } = analysis;
  const { file } = state;
  if (graph.entry.kind !== 'state' || graph.entry.file === file || entriesFromOutside.includes(file)) return undefined;
  if (!needsAgents(analysis, state) || statesOf(analysis).some(mayLeadOn)) return undefined;
  const into = reachedInto(analysis, file);
  const isLost = (edge: Edge): boolean => hasAgents(analysis, { edge }) && passesNoValue(analysis, edge);
  return into.every(isLost) ? into[0] : undefined;
}

/** True for a state with unknown transitions, unless all that it is seen to print is a result. */
function mayLeadOn(state: StateNode): boolean {
  return state.hasUnknownTargets && !ONLY_RESULTS.test(plainText(state));
}

const ONLY_RESULTS = /^(?![^]*<(?:goto|reset|call|function|fork|await|ask)\b)[^]*<result\b/;

function reachedInto({ graph, reached }: Analysis, file: string): readonly Edge[] {
  return edgesInto(graph, file).filter(({ from }) => reached.has(from));
}

/** True for an edge on which an agent surely has agents that it has forked and not waited for. */
function hasAgents(
  analysis: Analysis,
  { edge, seen = new Set() }: { readonly edge: Edge; readonly seen?: ReadonlySet<string> },
): boolean {
  const { graph, entriesFromOutside = [] } = analysis;
  const { from, tag } = edge;
  if (!isOwnTransition(edge) || tag === 'await') return false;
  if (seen.has(from) || graph.states.get(from)?.edges.some(isFork) === true) return true;
  const isFirst = graph.entry.kind === 'state' && graph.entry.file === from;
  if (isFirst || entriesFromOutside.includes(from) || edge.role === 'return') return false;
  return reachedInto(analysis, from).every((one) => hasAgents(analysis, { edge: one, seen: new Set([...seen, from]) }));
}

/** True for a state that fails, or has a gap in its text, without the list of agents that <await> delivers. */
function needsAgents(analysis: Analysis, state: StateNode): boolean {
  const code = plainText(state);
  const isNext = edgesInto(analysis.graph, state.file).some(({ tag, role }) => tag === 'await' && role === 'next');
  if (isPrompt(state)) return /\{\{(?:input|result)\}\}/.test(code) && (isNext || SPEAKS_OF_WORK.test(code));
  if (state.source.kind !== 'script') return false;
  const { shell } = state.source.script;
  const read = (shell?.variables ?? variablesOfProgram(code)).filter(
    ({ name, guarded }) => !guarded && /^RAYMOND_(?:INPUT|RESULT)(?:_FILE)?$/.test(name) && shell?.isSet(name) !== true,
  );
  const isList = /["'.](?:status|attributes)\b|\bjson\.loads?\(|\bJSON\.parse\(/.test(code);
  return read.length > 0 && (isNext || isList || read.some(({ name }) => name.endsWith('_FILE')));
}

function* resultsTooEarly(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  for (const state of statesOf(analysis)) {
    const edge = reached.has(state.file) ? edgeBeforeAwait(analysis, state) : undefined;
    if (edge === undefined) continue;
    const waiting = edgesInto(graph, state.file).find(({ tag, role }) => tag === 'await' && role === 'next');
    yield {
      at: shownAt(analysis, edge),
      state: edge.from,
      message: `${state.file} needs the results of the forked agents, but this tag leads there without an <await>, so it gets no value`,
      fix:
        waiting === undefined
          ? `continue at a state with <await next="${state.name}"/>`
          : `continue at ${waiting.from}, whose <await> delivers the results to ${state.file}`,
    };
  }
}

/** The rule about tags that lead to the results of agents too early. */
export const BEFORE_AWAIT_RULES: readonly Rule[] = [
  {
    id: 'results-before-await',
    severity: 'warning',
    summary:
      'A tag leads to a state that needs the results of forked agents, but the agent has not waited for the forked agents with <await>.',
    why: 'Only <await> delivers the results of forked agents, to the state that its attribute next names. A state to which another tag leads gets no value: RAYMOND_INPUT and RAYMOND_INPUT_FILE are not set, and {{input}} is not replaced.',
    check: resultsTooEarly,
  },
];
