// Rules about the values that states pass on, and about secrets in files.
import { isOwnAttribute, TAG_RULES } from '../../protocol/language/tag-table.js';
import { allEdges, type Edge, type StateNode } from '../graph.js';
import type { PositionedText } from '../position.js';
import { nearest } from '../../protocol/text.js';
import { matches, promptsOf, readsInput, scriptsOf, searchableText, statesOf } from './helpers.js';
import type { PromptState, ScriptState } from './helpers.js';
import type { Analysis, FindingDetails, Rule } from './rule.js';

/** The variables that every prompt may use, though not always with a value. */
const BUILT_IN = new Set(['input', 'result', 'ask_id', 'workflow_id', 'agent_id', 'task_folder', 'state_dir']);

/** True for a label of the runs, and for a name that a tag which leads to the state may pass as an attribute. */
function mayBeBound(analysis: Analysis, { file, name }: { readonly file: string; readonly name: string }): boolean {
  if (analysis.graph.source.parsedManifest?.labels?.includes(name) === true) return true;
  return allEdges(analysis.graph).some(({ from, tag, role, to, mention }) => {
    if (role !== 'target' || !TAG_RULES[tag].free) return false;
    if (to.kind === 'computed') return true;
    if (to.kind !== 'state' || to.file !== file) return false;
    if (mention.attributes.has(name)) return true;
    // A policy does not compare attributes, so a reply may add any; that of a fork need not name them.
    return mention.source === 'policy' && (tag === 'fork' || mentionsWord(analysis, { file: from, word: name }));
  });
}

function mentionsWord({ graph }: Analysis, { file, word }: { readonly file: string; readonly word: string }): boolean {
  const state = graph.states.get(file);
  // To read it is not to pass it on.
  const text = state === undefined ? '' : searchableText(state).replaceAll(`{{${word}}}`, '');
  return new RegExp(`\\b${word}\\b`).test(text);
}

/** The names of all attributes that tags pass to a state, and of the labels of its runs. */
function attributesPassed({ graph }: Analysis, file: string): ReadonlySet<string> {
  const edges = allEdges(graph).filter(({ to }) => to.kind === 'state' && to.file === file);
  const labels = graph.source.parsedManifest?.labels ?? [];
  return new Set([...labels, ...edges.flatMap(({ mention }) => [...mention.attributes.keys()])]);
}

function* unboundVariables(analysis: Analysis): Generator<FindingDetails> {
  yield* unbound(analysis);
  yield* unboundInPolicies(analysis);
  yield* unboundInScripts(analysis);
}

/** A policy fills `{{input}}` and the like into the attributes of a reply. */
function* unboundInPolicies(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const passed = attributesPassed(analysis, file);
    for (const { attributes } of source.prompt.entries)
      for (const { value, valueAt } of attributes.values())
        for (const [whole, , name = ''] of value.matchAll(/\{\{( *)(\w+) *\}\}/g)) {
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

/** The variables that Raymond sets for a script. */
const SCRIPT_VARIABLES = [
  'INPUT',
  'RESULT',
  'INPUT_FILE',
  'RESULT_FILE',
  'WORKFLOW_ID',
  'AGENT_ID',
  'STATE_DIR',
  'STATE_FILE',
  'TASK_FOLDER',
  'TURN_ID',
  'ATTEMPT',
  'ASK_ID',
].map((name) => `RAYMOND_${name}`);

function* unboundInScripts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { source, file } = state;
    const { shell } = source.script;
    const passed = attributesPassed(analysis, file);
    const known = [...SCRIPT_VARIABLES, ...passed];
    for (const { name, at, guarded } of shell?.variables ?? variablesOfProgram(source.raw.text)) {
      if (guarded || shell?.isSet(name) === true || known.includes(name)) {
        const problem = guarded ? undefined : valueProblem(analysis, { state, name });
        if (problem !== undefined) yield { at: source.raw.at(at), state: file, ...problem };
        continue;
      }
      const meant = nearest(name, known);
      const isKnownFault = meant !== undefined || isOurs(analysis, name) || isLost(analysis, { file, name });
      if (/^RAYMOND_RESULT_/.test(name) || !isKnownFault) continue;
      const message = `${name} is not set: neither the script nor a tag that leads here sets it`;
      const fix =
        meant === undefined ? `the variables are ${known.join(', ')}` : `did you mean ${shell ? '$' : ''}${meant}?`;
      yield { at: source.raw.at(at), state: file, message, fix };
    }
  }
}

/** True for an attribute that tags pass to other states only; attributes reach the next state, but no later one. */
function isLost(analysis: Analysis, { file, name }: { readonly file: string; readonly name: string }): boolean {
  const { entry, source } = analysis.graph;
  if (entry.kind !== 'state' || entry.file === file || source.parsedManifest?.environment[name] !== undefined)
    return false;
  const isPassed = allEdges(analysis.graph).some(
    ({ tag, mention }) => isOwnAttribute(tag, name) && mention.source === 'script' && mention.attributes.has(name),
  );
  const isOpen = statesOf(analysis).some((state) => state.hasUnknownTargets);
  return isPassed && !isOpen && !mayBeBound(analysis, { file, name });
}

/** True for a name that only Raymond sets: inherited variables of this prefix are dropped. */
function isOurs({ graph }: Analysis, name: string): boolean {
  return name.startsWith('RAYMOND_') && graph.source.parsedManifest?.environment[name] === undefined;
}

/** The variables that a Python or JavaScript program reads. */
function variablesOfProgram(
  text: string,
): readonly { readonly name: string; readonly at: number; readonly guarded: boolean }[] {
  const use = /\benviron(?:\.get\(|\[)\s*["'](\w+)["']\s*(,)?|\bprocess\.env(?:\.|\[["'])(\w+)["'\])]*\s*(\?\?|\|\|)?/g;
  const assigned = new Set([...text.matchAll(/\b(\w+)["']?\]?\s*=(?!=)/g)].map(([, name]) => name));
  return [...text.matchAll(use)].map(({ 0: whole, 1: python, 2: comma, 3: node, 4: otherwise, index }) => {
    const name = python ?? node ?? '';
    const guarded = comma !== undefined || otherwise !== undefined || assigned.has(name);
    return { name, at: index + whole.indexOf(name), guarded };
  });
}

/** Why a script gets no value in a variable. */
function valueProblem(
  analysis: Analysis,
  { state, name }: { readonly state: ScriptState; readonly name: string },
): Pick<FindingDetails, 'message' | 'fix'> | undefined {
  if (name !== 'RAYMOND_INPUT' && name !== 'RAYMOND_RESULT') return undefined;
  if (neverGetsValue(analysis, state))
    return {
      message: `no transition to ${state.file} passes a value, so ${name} is not set`,
      fix: `pass input="…", or write \${${name}:-}`,
    };
  if (name !== 'RAYMOND_RESULT' || mayBeReturnedTo(analysis, state)) return undefined;
  return {
    message: `no call returns to ${state.file}, so RAYMOND_RESULT is not set; other values are in RAYMOND_INPUT`,
    fix: 'write RAYMOND_INPUT',
  };
}

function mayBeReturnedTo(analysis: Analysis, { file }: StateNode): boolean {
  if (statesOf(analysis).some((state) => state.hasUnknownTargets)) return true;
  return allEdges(analysis.graph).some(
    ({ role, to }) => role === 'return' && (to.kind !== 'state' || to.file === file),
  );
}

function* unbound(analysis: Analysis): Generator<FindingDetails> {
  const open = statesOf(analysis).some((state) => state.hasUnknownTargets);
  for (const state of promptsOf(analysis)) {
    const attributes = attributesPassed(analysis, state.file);
    yield* spaced(state, attributes);
    const code = codeIn(state.source.prompt.body.text);
    for (const { match, at } of matches(state.source.prompt.body, /\{\{([A-Za-z_]\w*)\}\}/g)) {
      const name = match[1] ?? '';
      const meant = nearVariable(name, attributes);
      if (code(match.index) && meant === undefined && !BUILT_IN.has(name)) continue;
      if (BUILT_IN.has(name)) {
        if ((name === 'input' || name === 'result') && neverGetsValue(analysis, state))
          yield {
            at,
            state: state.file,
            message: `no transition to ${state.file} passes a value, so {{${name}}} is not replaced`,
            fix: 'pass input="…", or remove it',
          };
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

/** The variable that a name is nearly the name of. */
function nearVariable(name: string, attributes: ReadonlySet<string>): string | undefined {
  const known = [...BUILT_IN, ...attributes];
  return known.find((variable) => variable !== name && variable === name.toLowerCase()) ?? nearest(name, known);
}

/** `{{ result }}`: with blanks inside, nothing is replaced. */
function* spaced({ source, file }: PromptState, attributes: ReadonlySet<string>): Generator<FindingDetails> {
  for (const { match, at } of matches(source.prompt.body, /\{\{(?: +(\w+) *| *(\w+) +)\}\}/g)) {
    const name = match[1] ?? match[2] ?? '';
    if (BUILT_IN.has(name) || attributes.has(name))
      yield {
        at,
        state: file,
        message: `${match[0]} is not replaced, because of the blanks`,
        fix: `write {{${name}}}`,
      };
  }
}

/** Tells whether an offset of a Markdown text is in a code span or a code fence. */
function codeIn(text: string): (offset: number) => boolean {
  const ranges = [...text.matchAll(/^ {0,3}(```+|~~~+)[^]*?(?:^ {0,3}\1|$(?![^]))|(`+)(?!`)[^]*?[^`]\2(?!`)/gm)].map(
    ({ index, 0: whole }) => [index, index + whole.length] as const,
  );
  return (offset) => ranges.some(([from, to]) => offset >= from && offset < to);
}

/** True for a state that other states lead to, none of which passes a value. */
function neverGetsValue(analysis: Analysis, { file }: StateNode): boolean {
  const { graph } = analysis;
  if (
    graph.entry.kind !== 'state' ||
    graph.entry.file === file ||
    statesOf(analysis).some((state) => state.hasUnknownTargets)
  )
    return false;
  const incoming = allEdges(graph).filter(({ to }) => to.kind === 'state' && to.file === file);
  return incoming.length > 0 && incoming.every((edge) => !mayPassValue(edge));
}

function mayPassValue({ role, mention, tag }: Edge): boolean {
  if (role === 'return' || role === 'timeout' || tag === 'ask' || tag === 'await') return true;
  // The input of a fork is for the forked agent.
  if (tag.startsWith('fork') && role === 'next') return false;
  // A policy does not compare input, so a reply may add it.
  return (
    mention.attributes.has('input') ||
    mention.malformed !== undefined ||
    mention.source === 'policy' ||
    tag.startsWith('fork')
  );
}

function* unusedInputs(analysis: Analysis): Generator<FindingDetails> {
  for (const { role, to, mention, from } of allEdges(analysis.graph)) {
    const input = mention.attributes.get('input');
    const state = to.kind === 'state' ? analysis.graph.states.get(to.file) : undefined;
    if (role !== 'target' || input === undefined || state === undefined || state.kind === 'unreadable') continue;
    if (readsInput(state) || (state.source.kind === 'script' && state.source.script.opaque && state.hasUnknownTargets))
      continue;
    yield {
      at: input.at,
      state: from,
      message: `${state.file} does not read its input`,
      fix: 'use {{input}} or RAYMOND_INPUT there, or remove input',
    };
  }
}

/** A credential of a documentation, such as AKIAIOSFODNN7EXAMPLE, or one of few different characters. */
function isPlaceholder(text: string): boolean {
  if (/example|placeholder|your|x{6}|\*{4}|dummy|fake|changeme|password@|secret@|pass@/i.test(text)) return true;
  return new Set(text).size < 12;
}

/** Patterns that only credentials match. */
const SECRETS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an API key of Anthropic', /\bsk-ant-[A-Za-z0-9_-]{16,}/g],
  ['an API key of OpenAI', /\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b/g],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{30,})\b/g],
  ['a token of GitLab', /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ['a token of Slack', /\bxox[abprs]-[A-Za-z0-9-]{20,}/g],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['an API key of Google', /\bAIza[A-Za-z0-9_-]{35}\b/g],
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+(?:[\w-]+: .*\s+)*[A-Za-z0-9+/=]{40,}/g],
  ['a password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/$<{]+:[^\s:@/$<{]{4,}@[\w.-]+/g],
];

function* secrets(analysis: Analysis): Generator<FindingDetails> {
  for (const source of analysis.graph.source.files.values()) {
    const raw: PositionedText | undefined = 'raw' in source ? source.raw : undefined;
    if (raw === undefined) continue;
    const isState = analysis.graph.states.has(source.file);
    for (const [what, pattern] of SECRETS)
      for (const { at, match } of matches(raw, pattern))
        if (!isPlaceholder(match[0]))
          yield {
            at,
            message: `this looks like ${what}`,
            fix: 'remove it, revoke it, and read it from the environment',
            ...(isState ? { state: source.file } : {}),
          };
  }
}

/** Rules about values and secrets. */
export const VALUE_RULES: readonly Rule[] = [
  {
    id: 'unbound-variable',
    severity: 'warning',
    summary: 'A prompt or a script uses a variable that nothing sets.',
    why: '{{input}} and {{result}} are the input of a state; {{workflow_id}}, {{agent_id}}, {{task_folder}} and {{state_dir}} are always set. Attributes of your own on <goto>, <reset>, <call>, <function> and <fork> are variables of the next state, but not of later ones. `labels` in the manifest lists the variables that `start --label` sets.',
    check: unboundVariables,
  },
  {
    id: 'unused-input',
    severity: 'info',
    summary: 'A value is passed to a state that does not read it.',
    why: 'The value is lost after that state.',
    check: unusedInputs,
  },
  {
    id: 'secret-in-file',
    severity: 'warning',
    summary: 'A file of the package contains a credential.',
    why: 'Packages are copied, uploaded and stored with runs, and prompts are sent to a model. Everyone who has seen the credential can use it, so revoke it as well.',
    check: secrets,
  },
];
