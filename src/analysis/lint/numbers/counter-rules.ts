// Rules about counters that tags pass along a loop: a counter that no state of the loop raises, and one that a state does not pass back.
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { loopsIn, isOwnTransition } from '../../loops.js';
import type { Edge, StateNode } from '../../graph.js';
import type { Position } from '../../position.js';
import {
  isPrompt,
  hasUnknownTargets,
  plainText,
  searchableText,
  withoutLongLines,
  type PromptState,
  type ScriptState,
} from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { carriedVariable, type CarriedVariable } from './carried-variables.js';
import { comparisonsOf, type Comparison } from './number-comparisons.js';
import { edgesTo, isGivenFromOutside, numbersReaching, passedOn, type Passed } from './passed-numbers.js';

type Loop = readonly StateNode[];

function isScript(state: StateNode): state is ScriptState {
  return state.source.kind === 'script';
}

/** The transitions by which the loop itself leads to a state. */
function edgesWithin(
  analysis: Analysis,
  { loop, file }: { readonly loop: Loop; readonly file: string },
): readonly Edge[] {
  const files = new Set(loop.map((state) => state.file));
  return edgesTo(analysis, file).filter((edge) => files.has(edge.from) && isOwnTransition(edge));
}

/** A name that says that the number counts something. */
const COUNTS =
  /^(?:n|i|no|nr|num|number|index|page|step|pass|passes|left|remaining|sent|asked|done|waited|offset|lap|loop|cycle|cycles|turns?|\w*(?:round|attempt|try|tries|retry|retries|count|counter|iteration|poll|check|probe|ping|guess|reminder)s?\w*)$/i;

/** True for a comparison by which a loop ends when its counter has reached a number. */
function isLimit(
  { limit }: Comparison,
  { name, numbers }: { readonly name: string; readonly numbers: readonly number[] },
): boolean {
  const isFar = numbers.every((one) => (one <= 1 ? limit >= 2 : limit <= 1));
  return isFar || (COUNTS.test(name) && numbers.every((one) => one !== limit));
}

function isConstant({ isTrue, added }: Comparison, numbers: readonly number[]): boolean {
  if (added.some(Number.isNaN)) return false;
  return new Set(numbers.flatMap((one) => added.map((more) => isTrue(one + more)))).size === 1;
}

/** The variables that tags of the package pass and that a state reads. */
function namesOf({ graph }: Analysis, state: StateNode): readonly string[] {
  const code = searchableText(state);
  const passed = [...graph.states.values()].flatMap(({ mentions }) =>
    mentions.flatMap(({ tag, attributes }) => [...attributes.keys()].filter((name) => isOwnAttribute(tag, name))),
  );
  const own = [...new Set(passed)].filter((name) => code.includes(name));
  return /\bRAYMOND_INPUT\b|\{\{input\}\}/.test(code) ? [...new Set([...own, 'input'])] : own;
}

function* countersNotRaised(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  for (const loop of loopsIn(analysis.graph, analysis.reached)) {
    const found =
      firstOf(loop.filter(isScript), (state) => notRaisedIn(analysis, { loop, state })) ??
      firstOf(loop.filter(isPrompt), (state) => notRaisedInPrompt(analysis, { loop, state }));
    if (found !== undefined) yield found;
  }
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => FindingDetails | undefined,
): FindingDetails | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A counter of a script whose comparison gives the same result in every round. */
function notRaisedIn(
  analysis: Analysis,
  { loop, state }: { readonly loop: Loop; readonly state: ScriptState },
): FindingDetails | undefined {
  return firstOf(namesOf(analysis, state), (name) => {
    const variable = carriedVariable(state, name);
    const comparisons = variable === undefined ? [] : comparisonsOf(state, variable);
    if (variable === undefined || comparisons.length === 0) return undefined;
    const numbers = numbersOf(analysis, { state, name, variable });
    const isFixed = comparisons.some((one) => isLimit(one, { name, numbers }) && isConstant(one, numbers));
    if (numbers.length === 0 || !isFixed) return undefined;
    const within = edgesWithin(analysis, { loop, file: state.file });
    const passed = within.map((edge) => ({ edge, passed: passedOn(analysis, edge, name) }));
    const isReset = passed.length > 0 && passed.every((one) => one.passed.kind === 'number');
    if (!isReset && !passed.some((one) => one.passed.kind === 'same')) return undefined;
    return finding(sourceOf(analysis, { loop, state, name, passed }), { name, numbers, file: state.file });
  });
}

function finding(
  { at, state }: { readonly at: Position; readonly state: string },
  { name, numbers, file }: { readonly name: string; readonly numbers: readonly number[]; readonly file: string },
): FindingDetails {
  return {
    at,
    state,
    message: `no state of this loop changes ${name}, so it is ${numbers.join(' or ')} in every round and ${file} never sees its limit reached`,
    fix: `pass on ${name} with one added or subtracted in one state of the loop`,
  };
}

function numbersOf(
  analysis: Analysis,
  { state, name, variable }: { readonly state: StateNode; readonly name: string; readonly variable: CarriedVariable },
): readonly number[] {
  const reaching = numbersReaching(analysis, { file: state.file, name });
  return [...(reaching ?? [])].flatMap((one) => one ?? variable.fallback ?? []);
}

/** Where the state passes its counter on, or where another state of the loop does. */
function sourceOf(
  analysis: Analysis,
  {
    loop,
    state,
    name,
    passed,
  }: {
    readonly loop: Loop;
    readonly state: StateNode;
    readonly name: string;
    readonly passed: readonly { readonly edge: Edge; readonly passed: Passed }[];
  },
): { readonly at: Position; readonly state: string } {
  const files = new Set(loop.map(({ file }) => file));
  const own = state.edges.find(
    (edge) =>
      edge.role === 'target' &&
      edge.to.kind === 'state' &&
      files.has(edge.to.file) &&
      [...edge.mention.attributes.keys()].some((one) => {
        const given = passedOn(analysis, edge, one);
        return given.kind === 'same' && given.name === name;
      }),
  );
  if (own !== undefined) return { at: own.mention.at, state: state.file };
  const other = passed.find((one) => one.passed.kind === 'same') ?? passed.find((one) => one.passed.kind === 'number');
  return other?.passed.kind === 'same' || other?.passed.kind === 'number'
    ? { at: other.passed.at, state: other.edge.from }
    : { at: state.at, state: state.file };
}

/** A prompt that ends a loop at a number of rounds, which is the same in every round. */
function notRaisedInPrompt(
  analysis: Analysis,
  { loop, state }: { readonly loop: Loop; readonly state: PromptState },
): FindingDetails | undefined {
  const text = withoutLongLines(state.source.prompt.body.text).replaceAll('\n', ' ');
  const names = namesOf(analysis, state).filter((name) => COUNTS.test(name));
  return firstOf(names, (name) => {
    const limit = new RegExp(
      String.raw`\{\{${name}\}\}\s+(?:of|/)\s*\d|\b(?:if|until|after|when|once|unless)\b[^.{}]{0,60}\b${name}\b[^.\d{}]{0,30}\b(?:\d|two|three|four|five|six|seven|eight|nine|ten)|\b(?:if|until|after|when|once|unless)\b[^.{}]{0,40}\{\{${name}\}\}[^.{}\d]{0,40}\b\d`,
      'i',
    );
    const reaching = numbersReaching(analysis, { file: state.file, name });
    const [number] = reaching ?? [];
    if (!limit.test(text) || reaching?.size !== 1 || number === undefined) return undefined;
    const passed = edgesWithin(analysis, { loop, file: state.file }).map((edge) => ({
      edge,
      passed: passedOn(analysis, edge, name),
    }));
    if (!passed.some((one) => one.passed.kind === 'same')) return undefined;
    const source = sourceOf(analysis, { loop, state, name, passed });
    return finding(
      { ...source, at: shownAt(state, { ...source, name }) },
      { name, numbers: [number], file: state.file },
    );
  });
}

/** In a prompt, the tag that it shows, not the entry of its policy. */
function shownAt(
  { file, mentions }: StateNode,
  { at, state, name }: { readonly at: Position; readonly state: string; readonly name: string },
): Position {
  const shown = mentions.find((one) => one.source === 'text' && one.attributes.get(name)?.value === `{{${name}}}`);
  return state === file && shown !== undefined ? shown.at : at;
}

/** A counter with a default that no state of the loop passes back to the script. */
function* countersNotReturned(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  for (const loop of loopsIn(analysis.graph, analysis.reached))
    for (const state of loop.filter(isScript))
      for (const name of namesWithDefault(state)) {
        const found = notReturned(analysis, { loop, state, name });
        if (found === undefined) continue;
        yield found;
        break;
      }
}

const DEFAULTS =
  /\$\{([a-z]\w*|RAYMOND_INPUT):?[-=]["']?\d+["']?\}|\b(?:environ\.get|getenv)\(\s*["']([a-z]\w*|RAYMOND_INPUT)["']|\bprocess\.env(?:\.|\[["'])([a-z]\w*|RAYMOND_INPUT)|\{([^{}]*)\}(?:\s*:[^=\n]{1,60})?\s*=\s*process\.env\b/g;

/** The variables for which a script has a default. */
function namesWithDefault(state: ScriptState): readonly string[] {
  const names = [...plainText(state).matchAll(DEFAULTS)].flatMap(([, bash, python, node, list]) =>
    list === undefined
      ? [bash ?? python ?? node ?? '']
      : [...list.matchAll(/(?<![\w:.] ?)([a-z]\w*)/g)].map(([one]) => one),
  );
  return [...new Set(names)].map((name) => (name === 'RAYMOND_INPUT' ? 'input' : name)).filter((name) => name !== '');
}

function notReturned(
  analysis: Analysis,
  { loop, state, name }: { readonly loop: Loop; readonly state: ScriptState; readonly name: string },
): FindingDetails | undefined {
  const variable = carriedVariable(state, name);
  if (variable?.fallback === undefined) return undefined;
  // What a round adds is lost, whatever the run was started with.
  const isRaised = name === 'input' && variable.forms.some(({ added }) => added.some((one) => one > 0));
  if (!isRaised && isGivenFromOutside(analysis, { file: state.file, name })) return undefined;
  const within = edgesWithin(analysis, { loop, file: state.file });
  const passed = within.map((edge) => passedOn(analysis, edge, name));
  if (passed.length === 0 || passed.some(({ kind }) => kind !== 'nothing')) return undefined;
  if (!isCounter(analysis, { loop, state, name, variable })) return undefined;
  const [only] = passed;
  const isOwn = within.length === 1 && within[0]?.from === state.file;
  return {
    at: isOwn && only?.kind === 'nothing' ? only.at : state.source.raw.at(variable.at),
    state: state.file,
    message: isOwn
      ? `this tag does not pass ${name} on, so every round of ${state.file} begins with ${variable.fallback}`
      : `no state passes ${name} back to ${state.file}, so it counts from the start in every round`,
    fix: `pass ${name} on in each state of the loop, or keep it in a file`,
  };
}

/** True for a variable that counts the rounds: the script changes it, passes it on in the loop, or compares it with a limit. */
function isCounter(
  analysis: Analysis,
  {
    loop,
    state,
    name,
    variable,
  }: { readonly loop: Loop; readonly state: ScriptState; readonly name: string; readonly variable: CarriedVariable },
): boolean {
  const files = new Set(loop.map(({ file }) => file));
  const isPassed = state.edges.some(
    ({ role, to, mention }) =>
      role === 'target' && to.kind === 'state' && files.has(to.file) && mention.attributes.has(name),
  );
  const isGiven = edgesTo(analysis, state.file).some(
    (edge) => !files.has(edge.from) && edge.role === 'target' && edge.mention.attributes.has(name),
  );
  const isChanged = variable.forms.some(({ added }) => added.some((one) => one !== 0));
  if (name === 'input' && !isGiven && !isChanged) return false;
  if (isPassed || isChanged) return true;
  const numbers = [variable.fallback ?? 0];
  return (
    (isGiven || COUNTS.test(name)) && comparisonsOf(state, variable).some((one) => isLimit(one, { name, numbers }))
  );
}

/** Rules about the counters of loops. */
export const COUNTER_RULES: readonly Rule[] = [
  {
    id: 'counter-not-raised',
    severity: 'warning',
    summary:
      'States pass a counter along a loop, but no state of the loop raises or lowers it, so the loop never reaches its limit.',
    why: 'Each state passes on the number that it has got. The comparison with the limit gives the same result in every round, and the prompts of the loop are paid without end.',
    check: countersNotRaised,
  },
  {
    id: 'counter-not-returned',
    severity: 'warning',
    summary:
      'A script reads a counter from an attribute or its input, but no state of the loop passes it back, so the script uses its default.',
    why: 'An attribute reaches the next state only. The script takes its default in every round, so the limit is never reached and the prompts of the loop are paid without end.',
    check: countersNotReturned,
  },
];
