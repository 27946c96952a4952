// Finds tags that lead to a state without a value that the state needs, and that other tags which lead there pass. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges, edgesInto, type Edge, type StateNode } from '../../graph.js';
import {
  hasUnknownTargets,
  isPrompt,
  matches,
  packageNamed,
  plainText,
  shownAt,
  statesOf,
  type ScriptState,
} from '../helpers.js';
import { isJudged, isShownWithout, tagsShown } from '../passed.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { variablesOfProgram } from '../scripts/program-variables.js';

interface Need {
  readonly state: StateNode;
  /** The attribute, or `input`. */
  readonly name: string;
}

/** Reports each tag that does not repeat a value. */
export function* valuesNotRepeated(analysis: Analysis): Generator<FindingDetails> {
  yield* inputsOfWorkflows(analysis);
  if (hasUnknownTargets(analysis)) return;
  const labels = analysis.graph.source.parsedManifest?.labels ?? [];
  for (const state of statesOf(analysis))
    for (const name of neededBy(analysis, state)) {
      const edges = edgesInto(analysis.graph, state.file);
      const isPassed = isInputOfRun(analysis, { state, name }) || edges.some((edge) => passes(analysis, edge, name));
      const lacking = edges.find((edge) => surelyLacks(analysis, { edge, need: { state, name } }));
      if (!isPassed || labels.includes(name) || lacking === undefined) continue;
      const at = shownAt(analysis, { ...lacking, at: lacking.mention.at });
      yield { at, state: lacking.from, ...lackOf({ state, name }, lacking) };
    }
}

/** Tags into other packages without the input that the first state there needs. */
function* inputsOfWorkflows(analysis: Analysis): Generator<FindingDetails> {
  for (const edge of allEdges(analysis.graph)) {
    const other = edge.to.kind === 'workflow' ? packageNamed(analysis, edge.to.specifier) : undefined;
    const first = other?.graph.entry.kind === 'state' ? other.graph.states.get(other.graph.entry.file) : undefined;
    if (edge.to.kind !== 'workflow' || other === undefined || first === undefined) continue;
    const need = { state: { ...first, file: `${first.file} of ${edge.to.specifier}` }, name: 'input' };
    if (!neededBy(other, first).has('input') || !surelyLacks(analysis, { edge, need })) continue;
    yield { at: edge.mention.at, state: edge.from, ...lackOf(need, edge) };
  }
}

function lackOf({ state, name }: Need, { tag }: Edge): Pick<FindingDetails, 'message' | 'fix'> {
  const fix = `add ${name}="…" to the tag`;
  if (state.kind === 'script')
    return { message: `this tag passes no ${name}, but ${state.file} needs it, so the script fails`, fix };
  const fresh = isFresh(tag) ? ', which begins with a fresh conversation' : ' this time';
  return { message: `this tag passes no ${name}, so {{${name}}} is not replaced in ${state.file}${fresh}`, fix };
}

/** The values without which a prompt has a gap, or a script fails. */
function neededBy(analysis: Analysis, state: StateNode): ReadonlySet<string> {
  if (isPrompt(state))
    return new Set([...matches(state.source.prompt.body, /\{\{(\w+)\}\}/g)].map(({ match }) => match[1] ?? ''));
  const { source } = state;
  if (source.kind !== 'script' || analysis.syntax.has(state.file)) return new Set();
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  const names = neededByScript({ ...state, source }).filter((name) => environment[name] === undefined);
  // A name in capitals may be in the environment of the run.
  const own = names.filter((name) => /^(?:[a-z]\w*|RAYMOND_INPUT(?:_FILE)?)$/.test(name));
  return new Set(own.map((name) => (name.startsWith('RAYMOND_') ? 'input' : name)));
}

/** The variables that a script uses in any case, before it can end or choose, and without which it fails. */
function neededByScript(state: ScriptState): readonly string[] {
  const code = plainText(state);
  const { shell } = state.source.script;
  if (shell !== undefined && !/^[ \t]*set[ \t]+(?:-\w*u|-\w+[ \t]+-\w*u|-o[ \t]+nounset)/m.test(code)) return [];
  const uses = shell?.variables ?? variablesOfProgram(code);
  const names = new Set(uses.map(({ name }) => name));
  return [...names].filter((name) => {
    const own = uses.filter((use) => use.name === name);
    const isGuarded = own.some(({ guarded, at }) => guarded && !code.startsWith(':?', at + name.length));
    if (shell?.isSet(name) === true || isGuarded) return false;
    const failing = own.map(({ at }) => at).filter((at) => shell !== undefined || failsWithout(state.file, code, at));
    const [first] = failing;
    if (first === undefined) return false;
    return (first === own[0]?.at && isAlwaysUsed(code, first)) || isInEachBranch(code, failing);
  });
}

/** The first `if` that is in no block, and its branches. */
const BRANCHES = /^if\b[^\n]*\n(?:(?:[ \t][^\n]*|(?:\} ?)?(?:elif|else)\b[^\n]*|)\n)*/m;

/** True for a value that each branch of the first choice of a script uses. */
function isInEachBranch(code: string, uses: readonly number[]): boolean {
  const found = BRANCHES.exec(`${code}\n`);
  const parts = found?.[0].split(/^(?=(?:\} ?)?(?:elif|else)\b)/m) ?? [];
  if (found === null || !/^(?:\} ?)?else\b(?! +if\b)/.test(parts.at(-1) ?? '') || !isAlwaysUsed(code, found.index))
    return false;
  return parts.every((part, index) => {
    const from = found.index + parts.slice(0, index).join('').length;
    const [head = ''] = /^.*(?:\bthen|\belse|[:{])[ \t]*\n/.exec(part) ?? [];
    const [indent = ''] = /^[ \t]*/.exec(part.slice(head.length)) ?? [];
    const outdented = (to?: number): string => part.slice(head.length, to).replace(new RegExp(`^${indent}`, 'gm'), '');
    const inside = uses.filter((at) => at >= from + head.length && at < from + part.length);
    return head !== '' && inside.some((at) => isAlwaysUsed(outdented(), outdented(at - from).length));
  });
}

/** What may keep a script from the lines below it. */
const CHOOSES = /\b(?:if|case|exit|return|while|until|for|def|function|try|with|trap)\b|=>|&&|\|\|/;

/** A function that the program runs as a whole, up to the end of what is searched. */
const MAIN = /^(?:async )?(?:def|function) main\(\)[^\n]*\n(?=(?:[ \t]+[^\n]*\n|\n)*(?![^]))/m;

/** True for a place of a script that every turn reaches. */
export function isAlwaysUsed(code: string, at: number): boolean {
  const start = code.lastIndexOf('\n', at - 1) + 1;
  const before = code.slice(0, start);
  const line = code.slice(start, at).replace(MAIN.test(before) ? /^(?: {4}| {2}|\t)/ : '', '');
  return (
    !CHOOSES.test(before.replace(MAIN, '')) &&
    !/^[ \t]|=>|&&|\|\||\?|\b(?:then|else|do)\b|^(?:if|while|case)\b.*[:)]\s/.test(line)
  );
}

/** True for a read of a program that ends the program if the variable is not set. */
function failsWithout(file: string, code: string, at: number): boolean {
  const before = code.slice(code.lastIndexOf('\n', at - 1) + 1, at);
  if (executorOf(file) === 'python') return /\benviron\[["']$/.test(before);
  const isArgument =
    /\b(?:(?:write|append|read|copy)File(?:Sync)?|join|JSON\.parse|Number|parseInt|parseFloat)\((?:[^()\n]|\([^()\n]*\))*$/;
  return /^\w+(?:["']\])?!?\.\w+\(/.test(code.slice(at)) || isArgument.test(before);
}

/** True for the input of the first state, where the manifest requires one. */
function isInputOfRun({ graph }: Analysis, { state, name }: Need): boolean {
  const isFirst = graph.entry.kind === 'state' && graph.entry.file === state.file;
  return name === 'input' && isFirst && graph.source.parsedManifest?.input.mode === 'required';
}

function passes(analysis: Analysis, edge: Edge, name: string): boolean {
  const { tag, role, mention } = edge;
  // An answer, a result and a list of agents are the input, too.
  if (name === 'input' && (role === 'return' || (role === 'next' && (tag === 'ask' || tag === 'await')))) return true;
  const tags = [mention, ...(mention.source === 'policy' ? tagsShown(analysis, edge) : [])];
  return role === 'target' && mention.source !== 'text' && tags.some(({ attributes }) => attributes.has(name));
}

function isFresh(tag: Edge['tag']): boolean {
  return ['reset', 'function', 'fork'].includes(tag.replace('-workflow', ''));
}

/** True for a tag that surely passes no value of this name to a state that needs one. */
function surelyLacks(
  analysis: Analysis,
  { edge, need: { state, name } }: { readonly edge: Edge; readonly need: Need },
): boolean {
  const { tag, role, mention, from } = edge;
  if (role !== 'target' || (tag !== 'goto' && tag !== 'call' && tag !== 'call-workflow' && !isFresh(tag))) return false;
  // In the same conversation, the model has seen its input.
  if (state.kind === 'prompt' && (from === state.file || (!isFresh(tag) && name === 'input'))) return false;
  if (mention.attributes.has(name) || mention.attributes.get('context') !== undefined || isJudged(mention))
    return false;
  if (mention.source === 'policy') return isShownWithout(analysis, { edge, name });
  return (
    mention.source === 'script' &&
    mention.isCertain !== false &&
    mention.malformed === undefined &&
    mention.stray === undefined
  );
}
