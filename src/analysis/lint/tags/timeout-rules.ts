// Rules about questions: the state after a timeout gets no value, and every choice needs its state.
import { allEdges, edgesInto, type Edge, type StateNode } from '../../graph.js';
import { displayText } from '../../mention.js';
import { COMPUTED } from '../../shell/words.js';
import { codeIn, plainText, scriptsOf, statesOf } from '../helpers.js';
import type { ScriptState } from '../helpers.js';
import { neverGetsValue } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* unsetAfterTimeout(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const { file, source } = state;
    const timeout = allEdges(analysis.graph).find(
      ({ to, role }) => role === 'timeout' && to.kind === 'state' && to.file === file,
    );
    if (timeout === undefined || neverGetsValue(analysis, state)) continue;
    if (source.kind !== 'prompt' && source.kind !== 'script') continue;
    const use = source.kind === 'prompt' ? placeholderIn(source.prompt.body.text) : failingRead(state as ScriptState);
    if (use === undefined) continue;
    const text = source.kind === 'prompt' ? source.prompt.body : source.raw;
    yield {
      at: text.at(use.at),
      state: file,
      message: `${use.what} has no value after the timeout of <${timeout.tag}> in ${timeout.from}: ${use.then}`,
      fix:
        source.kind === 'prompt'
          ? 'name another state in timeout_next'
          : 'read it with a default, such as ${RAYMOND_INPUT:-}, or name another state in timeout_next',
    };
  }
}

interface Use {
  readonly at: number;
  readonly what: string;
  readonly then: string;
}

function placeholderIn(text: string): Use | undefined {
  const isCode = codeIn(text);
  const match = [...text.matchAll(/\{\{(?:input|result)\}\}/g)].find(({ index }) => !isCode(index));
  return match && { at: match.index, what: match[0], then: 'it stays in the text as it is' };
}

const UNSET: Pick<Use, 'what' | 'then'> = { what: 'RAYMOND_INPUT', then: 'the script fails' };

/** The first place at which a script fails without its value; undefined if it knows that the value may be absent. */
function failingRead(state: ScriptState): Use | undefined {
  const code = plainText(state);
  // These show whether there was an answer.
  if (/RAYMOND_(?:ASK_ID|INPUT_FILE|RESULT)|ask_id/.test(code)) return undefined;
  const { shell, program } = state.source.script;
  if (shell !== undefined) {
    if (!/^\s*set\s+(?:-[a-z]*u|-o nounset|-[a-z]*o? ?[a-z]* -[a-z]*u)|^#!.*\s-[a-z]*u/m.test(state.source.raw.text))
      return undefined;
    if (/\$\{RAYMOND_INPUT\s*:?[-+=?]|-v\s+["']?RAYMOND_INPUT|set \+u/.test(code) || shell.isSet('RAYMOND_INPUT'))
      return undefined;
    const use = shell.variables.find(({ name, guarded }) => name === 'RAYMOND_INPUT' && !guarded);
    return use && { at: use.at, ...UNSET };
  }
  if (program === undefined) return undefined;
  if (
    /\.get\(\s*["']RAYMOND_INPUT|getenv\(\s*["']RAYMOND_INPUT|["']RAYMOND_INPUT["']\s+(?:not\s+)?in\b|\btry\b/.test(
      code,
    )
  )
    return undefined;
  const python = /\bos\.environ\[["']RAYMOND_INPUT["']\]|(?<![\w.])environ\[["']RAYMOND_INPUT["']\]/.exec(code);
  if (python !== null) return { at: python.index, ...UNSET };
  const uses = [...code.matchAll(/\bprocess\.env\.RAYMOND_INPUT\b/g)];
  const [node] = uses;
  const fails = /\bprocess\.env\.RAYMOND_INPUT!?\.\w+\(|\bJSON\.parse\(\s*process\.env\.RAYMOND_INPUT!?\s*\)/.test(
    code,
  );
  return node !== undefined && uses.length === 1 && fails ? { at: node.index, ...UNSET } : undefined;
}

function* choicesWithoutState(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  const stems = new Set(statesOf(analysis).map(({ name }) => name));
  for (const state of scriptsOf(analysis)) {
    const choices = choicesInto(analysis, state);
    const targets = state.edges.filter(
      ({ to, role, tag }) => role === 'target' && to.kind === 'computed' && tag !== 'fork',
    );
    const [target, ...others] = targets;
    if (choices === undefined || target === undefined || others.length > 0) continue;
    const name = target.to.kind === 'computed' ? target.to.text.trim() : '';
    const [before = '', after = '', ...more] = name.split(COMPUTED);
    if (more.length > 0 || (before === '' && after === '') || !/^\w*$/.test(before + after)) continue;
    const missing = choices.filter((choice) => !formsOf(choice).some((form) => stems.has(`${before}${form}${after}`)));
    const [lost] = missing.filter((choice) => !isHandled(state, { choice, choices, target }));
    if (lost === undefined || missing.length === choices.length || graph.source.scope.kind === 'zip') continue;
    yield {
      at: target.at,
      state: state.file,
      message: `for the choice "${lost}" there is no state ${before}${formLike(lost, { before, after, stems, choices })}${after}: the agent fails after this answer`,
      fix: `add this state, or remove "${lost}" from choices; the name here is ${displayText(name)}`,
    };
  }
}

/** The choices of the questions that lead to a state, if only questions lead to it. */
function choicesInto({ graph, entriesFromOutside = [] }: Analysis, { file }: StateNode): readonly string[] | undefined {
  const edges = edgesInto(graph, file);
  if (edges.length === 0 || entriesFromOutside.includes(file)) return undefined;
  const lists = edges.map(({ tag, role, mention }) =>
    tag === 'ask' && role === 'next' ? mention.attributes.get('choices')?.value : undefined,
  );
  if (lists.some((list) => list === undefined || list.includes(COMPUTED))) return undefined;
  return [...new Set(lists.flatMap((list) => (list ?? '').split(',').map((choice) => choice.trim())))].filter(Boolean);
}

/** The forms that a script gives an answer to make it part of a name. */
function formsOf(choice: string): readonly string[] {
  const plain = [choice, choice.replace(/[\s-]+/g, '_'), choice.replace(/\W+/g, '')];
  const capital = plain.map((text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase());
  return [...plain, ...plain.map((text) => text.toUpperCase()), ...plain.map((text) => text.toLowerCase()), ...capital];
}

/** The form in which the states of the other choices are named. */
function formLike(
  lost: string,
  names: {
    readonly before: string;
    readonly after: string;
    readonly stems: ReadonlySet<string>;
    readonly choices: readonly string[];
  },
): string {
  const { before, after, stems, choices } = names;
  const indices = choices.map((choice) => formsOf(choice).findIndex((form) => stems.has(`${before}${form}${after}`)));
  return formsOf(lost)[indices.find((index) => index >= 0) ?? 0] ?? lost;
}

/** True if the script may treat a choice in another way than by the computed name. */
function isHandled(
  { source, mentions, edges }: ScriptState,
  { choice, choices, target }: { readonly choice: string; readonly choices: readonly string[]; readonly target: Edge },
): boolean {
  const lines = source.raw.text.toLowerCase().split('\n');
  const names = (line: string, one: string): boolean => line.includes(one.toLowerCase().split(/\s/)[0] ?? one);
  const naming = lines.flatMap((line, index) => {
    if (!names(line, choice) || line.includes('choices')) return [];
    const isAtTarget = index + 1 === target.at.line;
    // A condition for this choice and for others, just above the tag.
    const isAbove = index + 1 < target.at.line && target.at.line - index < 5;
    return [isAtTarget || (isAbove && choices.some((other) => other !== choice && names(line, other)))];
  });
  if (naming.length > 0) return naming.includes(false);
  const others = mentions.filter((mention) => mention !== target.mention);
  return others.length > 0 && edges.length > 1 && /\bcase\b|\bif\b|\bin\b|\?/.test(source.raw.text);
}

/** Rules about questions. */
export const TIMEOUT_RULES: readonly Rule[] = [
  {
    id: 'no-value-after-timeout',
    severity: 'warning',
    summary:
      'A state reads its value, but the timeout of an <ask> or of an <await> can also lead to this state, and then the state has no value.',
    why: 'After a timeout, the state that timeout_next names gets no value: {{input}} is not replaced, and RAYMOND_INPUT is not set.',
    check: unsetAfterTimeout,
  },
  {
    id: 'choice-without-state',
    severity: 'warning',
    summary:
      'A script builds the name of the next state from the answer to an <ask>, but for one of the answers in the attribute choices, there is no state with this name.',
    why: 'The agent fails when a person takes this choice.',
    check: choicesWithoutState,
  },
];
