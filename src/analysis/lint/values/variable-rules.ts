// Rules about the variables that prompts, policies and scripts use.
import { nearest } from '../../../protocol/text.js';
import { allEdges, type StateNode } from '../../graph.js';
import { codeIn, hasUnknownTargets, matches, promptsOf, scriptsOf, searchableText, statesOf } from '../helpers.js';
import { edgeBeforeAwait } from '../flow/before-await-rules.js';
import { alwaysDefault, fieldOfInput, isLost, isOurs, unreadSetting } from './default-variables.js';
import type { PromptState, ScriptState } from '../helpers.js';
import {
  attributesPassed,
  BUILT_IN,
  edgesWithValue,
  emptyTagInto,
  isJudged,
  mayBeBound,
  mayLeadAnywhere,
  nearVariable,
  neverGetsValue,
  SCRIPT_VARIABLES,
} from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { isShownAsIs } from '../prompts/prompt-text.js';
import { composedReads } from './json-reads.js';
import { variablesOfProgram, variablesOfReaders } from '../scripts/program-variables.js';

function unboundVariables(analysis: Analysis): readonly FindingDetails[] {
  const found = [...unbound(analysis), ...unboundInPolicies(analysis), ...unboundInScripts(analysis)];
  const keyOf = ({ at: { file, line, column } }: FindingDetails): string => `${file}:${line}:${column}`;
  // A tag without an input is reported once, however often the next state reads its input.
  return [...new Map(found.map((finding) => [keyOf(finding), finding] as const).reverse()).values()].reverse();
}

/** A value that is read, but that no tag passes. */
function withoutValue(
  analysis: Analysis,
  { state, name }: { readonly state: StateNode; readonly name: string },
): Pick<FindingDetails, 'message' | 'fix'> & Partial<FindingDetails> {
  const isLost = state.source.kind === 'prompt' ? 'is not replaced' : 'is not set';
  const tag = emptyTagInto(analysis, state);
  if (tag !== undefined)
    return {
      ...tag,
      message: `this tag passes no input, so ${name} ${isLost} in ${state.file}`,
      fix: 'add input="…" to the tag',
    };
  return {
    message: `no transition to ${state.file} passes a value, so ${name} ${isLost}`,
    fix: state.source.kind === 'prompt' ? 'pass input="…", or remove it' : `pass input="…", or write \${${name}:-}`,
  };
}

/** A policy fills `{{input}}` and the like into the attributes of a reply. */
function* unboundInPolicies(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { source, file } = state;
    const passed = attributesPassed(analysis, file);
    for (const { attributes } of source.prompt.entries)
      for (const { value, valueAt } of attributes.values())
        for (const [whole, , name = ''] of value.matchAll(/\{\{( *)(\w+) *\}\}/g)) {
          if ((name === 'result' || name === 'input') && neverGetsValue(analysis, state))
            yield { at: valueAt, state: file, ...ownReply(whole, file) };
          if (BUILT_IN.has(name) || mayBeBound(analysis, { file, name })) continue;
          const meant = nearVariable(name, passed);
          yield {
            at: valueAt,
            state: file,
            message: `${whole} is not replaced: ${file} has no variable ${name}`,
            fix: meant === undefined ? 'remove it' : `did you mean {{${meant}}}?`,
          };
        }
  }
}

/** `input: '{{result}}'` in a state without an input: it cannot be the reply, either. */
function ownReply(whole: string, file: string): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message: `${whole} is not replaced: it is the input of ${file}, not its reply, and no transition passes ${file} an input`,
    fix: 'let the reply have the text in its tag, as in <goto input="…">, or let the prompt write a file',
  };
}

function* unboundInScripts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { source, file } = state;
    const { shell } = source.script;
    const passed = attributesPassed(analysis, file);
    const environment = Object.keys(analysis.graph.source.parsedManifest?.environment ?? {});
    const known = [...SCRIPT_VARIABLES, ...passed, ...environment];
    const reported = new Set<string>();
    const variables = shell?.variables ?? variablesIn(searchableText(state));
    const needed = new Set(variables.flatMap((one) => (one.guarded ? [] : [one.name])));
    for (const { name, at, guarded } of variables) {
      const read = { state, name, at, guarded };
      const isNear = known.includes(name) || (!/[a-z]/.test(name) && nearest(name, known) !== undefined);
      const unset =
        (isNear ? undefined : fieldOfInput(analysis, read)) ??
        (known.includes(name) ? undefined : alwaysDefault(analysis, read));
      if (unset !== undefined) {
        if (!reported.has(name)) yield { at: source.raw.at(at), state: file, ...unset };
        reported.add(name);
        continue;
      }
      if (guarded || shell?.isSet(name) === true || known.includes(name)) {
        const isOptional = guarded && !source.raw.text.startsWith(':?', at + name.length);
        const isUsedAnyway = name === 'RAYMOND_ASK_ID' && /\basks\b/.test(searchableText(state));
        const problem =
          isOptional && !isUsedAnyway
            ? (inputOfFork(analysis, { state, name }) ??
              (needed.has(name) ? undefined : neverResult(analysis, { state, name })))
            : valueProblem(analysis, { state, name });
        if (problem !== undefined) yield { at: source.raw.at(at), state: file, ...problem };
        continue;
      }
      const meant = nearest(name, known) ?? unreadSetting(analysis, name);
      const isKnownFault =
        meant !== undefined ||
        isOurs(analysis, name) ||
        isLost(analysis, { file, name }) ||
        isNowhere(analysis, { state, name });
      if (/^RAYMOND_RESULT_/.test(name)) {
        const problem = valueProblem(analysis, { state, name });
        if (problem !== undefined) yield { at: source.raw.at(at), state: file, ...problem };
        continue;
      }
      if (!isKnownFault) continue;
      const message = `${name} is not set: neither the script nor a tag that leads here sets it`;
      const fix =
        meant === undefined ? `the variables are ${known.join(', ')}` : `did you mean ${shell ? '$' : ''}${meant}?`;
      yield { at: source.raw.at(at), state: file, message, fix };
    }
    for (const { name, at } of composedReads(state)) {
      const problem = neverResult(analysis, { state, name });
      if (problem !== undefined) yield { at: source.raw.at(at), state: file, ...problem };
    }
  }
}

/** What a program reads; of what its functions read by name, only the value. */
function variablesIn(text: string): ReturnType<typeof variablesOfProgram> {
  const values = variablesOfReaders(text).filter(({ name }) => /^RAYMOND_(?:INPUT|RESULT)/.test(name));
  return [...variablesOfProgram(text), ...values];
}

/** How bash sets a variable, besides an assignment that is a command of its own. */
const SETS = 'read|local|declare|typeset|for|getopts|mapfile|readarray|select|export|let|unset|printf\\s+-v';

/** Names in lower case that programs read from the environment nevertheless. */
const INHERITED = /^(?:https?|no|ftp|all)_proxy$|^npm_|^_/;

/**
 * True for a name in lower case that neither the script nor a tag sets: hardly anything else is in the environment in
 * lower case.
 */
function isNowhere(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): boolean {
  const { file, source } = state;
  const { parsedManifest, manifest } = analysis.graph.source;
  if (!/^[a-z]\w+$/.test(name) || INHERITED.test(name) || parsedManifest?.environment[name] !== undefined) return false;
  if (manifest !== undefined && parsedManifest === undefined) return false;
  // Without an entry point, other packages name the states, and may pass anything.
  if (analysis.graph.entry.kind !== 'state') return false;
  if (analysis.entriesFromOutside?.includes(file) === true || mayBeBound(analysis, { file, name })) return false;
  if (mayLeadAnywhere(analysis, file)) return false;
  const isSet = new RegExp(
    `(?<![$\\w{])${name}(?:\\[[^\\]]*\\])?(?:\\+?=|\\+\\+|--|\\s*[-+*/]?=)|(?:${SETS})\\b[^\\n;|&]*\\b${name}\\b|\\(\\([^)]*\\b${name}\\b`,
  );
  return source.script.shell === undefined || !isSet.test(searchableText(state));
}

/** Why a script gets no value in a variable. */
function valueProblem(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): (Pick<FindingDetails, 'message' | 'fix'> & Partial<FindingDetails>) | undefined {
  if (name === 'RAYMOND_ASK_ID' && !mayGetAnswer(analysis, state))
    return {
      message: `RAYMOND_ASK_ID is set only in the state after an <ask>, and ${state.file} is none`,
      fix: 'pass it as an attribute of the tag that leads here',
    };
  const isField = /^RAYMOND_RESULT_(?!FILE$)/.test(name);
  const isFile = /^RAYMOND_(?:INPUT|RESULT)_FILE$/.test(name);
  if (name !== 'RAYMOND_INPUT' && name !== 'RAYMOND_RESULT' && !isField && !isFile) return undefined;
  // results-before-await reports the tag that should be an <await>.
  if (edgeBeforeAwait(analysis, state) !== undefined) return undefined;
  if (neverGetsValue(analysis, state)) return withoutValue(analysis, { state, name });
  if (name.startsWith('RAYMOND_INPUT') || mayBeReturnedTo(analysis, state)) return undefined;
  return withoutCall(analysis, { state, name });
}

function withoutCall(
  analysis: Analysis,
  { state: { file }, name }: { readonly state: ScriptState; readonly name: string },
): Pick<FindingDetails, 'message' | 'fix'> {
  const edges = edgesWithValue(analysis, file);
  if (edges.length > 0 && edges.every(({ tag, role }) => tag === 'ask' && role === 'next'))
    return {
      message: `${file} gets the answer to a question, not the result of a call, so ${name} is not set`,
      fix: 'read the answer from RAYMOND_INPUT; keep an earlier result in a file of the task folder',
    };
  const isField = /^RAYMOND_RESULT_(?!FILE$)/.test(name);
  const other = name.endsWith('_FILE') ? 'RAYMOND_INPUT_FILE' : 'RAYMOND_INPUT';
  return {
    message: `no call returns to ${file}, so ${name} is not set; other values are in ${other}`,
    fix: isField
      ? 'read the field from the JSON in RAYMOND_INPUT, or let a call return to this state'
      : `write ${other}, or let a call return to this state`,
  };
}

/** A result that a script reads with a default, in a state to which no call returns; with RAYMOND_INPUT, it knows of both. */
function neverResult(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): Pick<FindingDetails, 'message' | 'fix'> | undefined {
  if (!/^RAYMOND_RESULT(?:_\w+)?$/.test(name) || mayBeReturnedTo(analysis, state)) return undefined;
  // unseen-reply is about judges.
  if (
    allEdges(analysis.graph).some(
      ({ to, mention }) => to.kind === 'state' && to.file === state.file && isJudged(mention),
    )
  )
    return undefined;
  if (/\bRAYMOND_INPUT(?:_FILE)?\b/.test(searchableText(state))) return undefined;
  return withoutCall(analysis, { state, name });
}

/** A value that the forking agent wants to read, though its tag gives it to the forked agents. */
function inputOfFork(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): Pick<FindingDetails, 'message' | 'fix'> | undefined {
  if (name !== 'RAYMOND_INPUT' || !neverGetsValue(analysis, state)) return undefined;
  const isGiven = allEdges(analysis.graph).some(
    ({ tag, role, to, mention }) =>
      tag.startsWith('fork') &&
      role === 'next' &&
      to.kind === 'state' &&
      to.file === state.file &&
      mention.attributes.has('input'),
  );
  return isGiven
    ? {
        message: `the input of <fork> is the value of the new agent, so ${name} is not set in ${state.file}, where the forking agent continues`,
        fix: `write <goto input="…">${state.name}</goto> beside the forks`,
      }
    : undefined;
}

function mayGetAnswer(analysis: Analysis, { file }: StateNode): boolean {
  if (analysis.entriesFromOutside?.includes(file) === true) return true;
  if (statesOf(analysis).some(mayAskUnseen)) return true;
  return allEdges(analysis.graph).some(
    ({ tag, role, to }) => tag === 'ask' && role === 'next' && (to.kind !== 'state' || to.file === file),
  );
}

/** True for a state that may write an `<ask>` which its text does not show. */
function mayAskUnseen({ source, edges, hasUnknownTargets: isOpen }: StateNode): boolean {
  if (!isOpen) return false;
  const computed = edges.filter(({ to }) => to.kind === 'computed');
  const isOpaque = source.kind === 'script' && source.script.opaque;
  return isOpaque || computed.length === 0 || computed.some(({ tag }) => tag === 'ask');
}

function mayBeReturnedTo(analysis: Analysis, { file }: StateNode): boolean {
  if (hasUnknownTargets(analysis)) return true;
  return allEdges(analysis.graph).some(
    ({ role, to }) => role === 'return' && (to.kind !== 'state' || to.file === file),
  );
}

function* unbound(analysis: Analysis): Generator<FindingDetails> {
  const open = mayLeadAnywhere(analysis);
  for (const state of promptsOf(analysis)) {
    const attributes = attributesPassed(analysis, state.file);
    yield* spaced(analysis, state);
    const code = codeIn(state.source.prompt.body.text);
    for (const { match, at } of matches(
      state.source.prompt.body,
      /\{\{([A-Za-z_]\w*)(?:(?<=\{result)(?:\.\w+)+)?\}\}/g,
    )) {
      const [written, name = ''] = match;
      const meant = nearVariable(name, attributes);
      if (
        meant === undefined &&
        !BUILT_IN.has(name) &&
        (code(match.index) || isShownAsIs(state.source.prompt.body, match.index))
      )
        continue;
      if (BUILT_IN.has(name)) {
        if (name === 'ask_id' && !attributes.has(name) && !mayGetAnswer(analysis, state))
          yield {
            at,
            state: state.file,
            message: `{{ask_id}} is set only in the state after an <ask>, and ${state.file} is none`,
            fix: 'pass it as an attribute of the tag that leads here',
          };
        else if (
          (name === 'input' || name === 'result') &&
          neverGetsValue(analysis, state) &&
          edgeBeforeAwait(analysis, state) === undefined
        )
          yield { at, state: state.file, ...withoutValue(analysis, { state, name: written }) };
      } else if (!open && !mayBeBound(analysis, { file: state.file, name }))
        yield {
          at,
          state: state.file,
          message: `{{${name}}} is not replaced: no tag passes ${state.file} an attribute of this name`,
          fix:
            meant === undefined
              ? `add ${name}="…" to the tag that leads here, or list ${name} in \`labels\` of the manifest if --label sets it`
              : `did you mean {{${meant}}}?`,
        };
    }
  }
}

/** `{{ result }}`: with blanks inside, nothing is replaced. */
function* spaced(analysis: Analysis, { source, file }: PromptState): Generator<FindingDetails> {
  const attributes = attributesPassed(analysis, file);
  const isShown = (name: string): boolean =>
    statesOf(analysis).some((state) => state.mentions.some((tag) => tag.attributes.has(name)));
  for (const { match, at } of matches(source.prompt.body, /\{\{(?: +(\w+(?:\.\w+)*) *| *(\w+(?:\.\w+)*) +)\}\}/g)) {
    const name = match[1] ?? match[2] ?? '';
    const [base = ''] = name.split('.');
    if (base === 'result' || BUILT_IN.has(name) || attributes.has(name) || isShown(name))
      yield {
        at,
        state: file,
        message: `${match[0]} is not replaced, because of the blanks`,
        fix: `write {{${name}}}`,
      };
  }
}

/** The rules about variables. */
export const VARIABLE_RULES: readonly Rule[] = [
  {
    id: 'unbound-variable',
    severity: 'warning',
    summary:
      'A prompt, an entry of a policy or a script uses a variable that nothing sets. No tag that leads to the state sets the variable, and the labels in the manifest do not list it. For a script, the environment in the manifest does not set the variable either.',
    why: '{{input}} and {{result}} are the input of a state; {{workflow_id}}, {{agent_id}}, {{task_folder}} and {{state_dir}} are always set. Attributes of your own on <goto>, <reset>, <call>, <function> and <fork> are variables of the next state, but not of later ones. `labels` in the manifest lists the variables that `start --label` sets. Blanks in {{ input }} prevent the replacement.',
    check: unboundVariables,
  },
];
