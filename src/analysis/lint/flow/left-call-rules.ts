// The rule about calls that are left: a state of the call continues in another workflow with <reset-workflow>, although the caller needs the result.
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { isComputed } from '../../mention.js';
import { mayReturn } from './flow-rules.js';
import { packageNamed, plainText, readsInput } from '../helpers.js';
import { passesNoValue } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { neededAt } from '../values/needed-variables.js';

const CALLS = /^(?:call|function)(?:-workflow)?$/;

/** A state in which an agent is, and the package of the state. */
interface Step {
  readonly analysis: Analysis;
  readonly file: string;
}

function* leftCalls(analysis: Analysis): Generator<FindingDetails> {
  for (const edge of allEdges(analysis.graph)) {
    if (!CALLS.test(edge.tag) || edge.role !== 'target' || !analysis.reached.has(edge.from)) continue;
    const called = stepBehind(analysis, edge);
    const back = returnOf(analysis, edge);
    if (called === undefined || back === undefined || !readsInput(back)) continue;
    for (const { leaving, place } of leavesOf(analysis, called)) {
      const next = stepBehind(place, leaving);
      if (next === undefined) continue;
      const isBack = next.analysis.graph.source.path === analysis.graph.source.path;
      const isLost = isBack
        ? next.file === back.file && (passesNoValue(place, leaving) || needsResult(back))
        : wouldSuit(leaving, { next, back });
      if (!isLost) continue;
      const isOwn = place === analysis;
      // The rule about calls that never return reports this.
      if (isOwn && !mayReturn(analysis.graph, called.file)) continue;
      yield {
        at: isOwn || isBack ? leaving.at : edge.at,
        state: isOwn ? leaving.from : edge.from,
        message: `${isOwn ? 'this' : `a <reset-workflow> in ${leaving.from} of ${edge.to.kind === 'workflow' ? edge.to.specifier : 'the call'}`} ends the call without a result, so ${back.file} ${isBack ? 'gets no result' : 'does not run'}`,
        fix: isBack
          ? `end with <result>…</result>, which continues at ${back.file}`
          : 'call the other workflow with <call-workflow> or <function-workflow>, and return its result',
      };
      if (!isOwn) break;
    }
  }
}

/** Where an edge leads; undefined if that is not known. */
function stepBehind(analysis: Analysis, { to }: Edge): Step | undefined {
  if (to.kind === 'state') return { analysis, file: to.file };
  const other = to.kind === 'workflow' ? packageNamed(analysis, to.specifier) : undefined;
  if (other?.graph.entry.kind !== 'state') return undefined;
  // Only the analysis of the whole package knows all others.
  return { analysis: { ...other, otherPackages: analysis.otherPackages }, file: other.graph.entry.file };
}

function returnOf({ graph }: Analysis, { from, mention }: Edge): StateNode | undefined {
  const edge = graph.states.get(from)?.edges.find((one) => one.mention === mention && one.role === 'return');
  return edge?.to.kind === 'state' ? graph.states.get(edge.to.file) : undefined;
}

/** The tags with which the agent may leave the call. */
function leavesOf(analysis: Analysis, called: Step): readonly { readonly leaving: Edge; readonly place: Analysis }[] {
  const place = called.analysis.graph === analysis.graph ? analysis : called.analysis;
  const inside = reachableFrom(place.graph, { from: [called.file], accepts: isOwnTransition });
  const seen = new Set<number>();
  return allEdges(place.graph).flatMap((leaving) => {
    const isLeaving = leaving.tag === 'reset-workflow' && leaving.role === 'target' && inside.has(leaving.from);
    if (!isLeaving || seen.has(leaving.at.line) || leaving.to.kind !== 'workflow') return [];
    seen.add(leaving.at.line);
    return [{ leaving, place }];
  });
}

/** True for a script that reads the result of a call, which is not its input. */
function needsResult({ source }: StateNode): boolean {
  const names = plainText({ source }).match(/\bRAYMOND_(?:INPUT|RESULT)(?:_\w+)?/g) ?? [];
  return (
    names.every((name) => name.startsWith('RAYMOND_R')) && names.some((name) => neededAt(source, name) !== undefined)
  );
}

/** True if the other workflow ends with a result that the caller could use: it is meant for the caller. */
function wouldSuit(leaving: Edge, { next, back }: { readonly next: Step; readonly back: StateNode }): boolean {
  if (leaving.to.kind === 'workflow' && OF_FAILURE.test(leaving.to.specifier)) return false;
  const { graph } = next.analysis;
  const files = reachableFrom(graph, { from: [next.file], accepts: isOwnTransition });
  const results = [...files].flatMap(
    (file) => graph.states.get(file)?.mentions.filter(({ tag }) => tag === 'result') ?? [],
  );
  return results.some(({ body, source }) => {
    const text = body?.value.trim() ?? '';
    if (source !== 'script' && /^(?:the|your|its|a|an)\s|^[^a-z]*$/i.test(text)) return true;
    return isComputed(text) || isCompared(text, back);
  });
}

/** The name of a workflow that deals with a failure: the call is given up on purpose. */
const OF_FAILURE =
  /alarm|alert|incident|escalat|abort|fail|error|emergenc|roll-?back|clean-?up|cancel|reject|refus|give-?up|stop|repair|recover/i;

/** True for a text with which a state compares the result. */
function isCompared(text: string, back: StateNode): boolean {
  const word = literalPattern(text);
  return (
    text.length > 1 &&
    new RegExp(`(?:[=!]=*|\\bin)\\s*\\(?["']?${word}(?![\\w-])|^[ \\t]*["']?${word}["']?\\)`, 'm').test(
      plainText(back).replace(/<[^<>]*>[^<>]*<\/[\w-]+>/g, ' '),
    )
  );
}

/** The rule about calls that are left. */
export const LEFT_CALL_RULES: readonly Rule[] = [
  {
    id: 'call-left-by-reset',
    severity: 'warning',
    summary:
      'A called state may continue in another workflow with <reset-workflow>. This ends the call without a result, so the state that the attribute return names never runs.',
    why: '<reset-workflow> ends all calls that have not returned yet, also those of other workflows. A <result> of the new workflow ends the agent and does not go to the caller. To get the result of another workflow, call it.',
    check: leftCalls,
  },
];
