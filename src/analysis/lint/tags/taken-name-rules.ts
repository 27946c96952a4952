// Rules about names that are taken: variables that Raymond or bash sets itself, whatever a package gives them, and files of programs that
// Raymond takes for prompts.
import { executorOf } from '../../../protocol/language/resolve.js';
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { allEdges, type Edge } from '../../graph.js';
import { positionOf } from '../settings/environment-rules.js';
import { mistakesOf, plainText, scriptsOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import { giversOf, schemaOfField } from '../values/result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** What every prompt has, whatever a tag passes. */
const ALWAYS_SET = ['workflow_id', 'agent_id', 'task_folder', 'state_dir'];

/** Attributes with the name of a variable that Raymond sets for each prompt. */
function* overriddenAttributes({ graph }: Analysis): Generator<FindingDetails> {
  for (const { tag, role, to, from, mention } of allEdges(graph)) {
    const state = role === 'target' && to.kind === 'state' ? graph.states.get(to.file) : undefined;
    if (state?.source.kind !== 'prompt') continue;
    for (const [name, { at, value }] of mention.attributes) {
      const isTaken = ALWAYS_SET.includes(name) || (name === 'result' && mention.attributes.has('input'));
      // The value may be the one that the variable has.
      if (!isTaken || !isOwnAttribute(tag, name) || value === `{{${name}}}`) continue;
      if (!state.source.prompt.body.text.includes(`{{${name}}}`)) continue;
      yield {
        at,
        state: from,
        mention,
        message: `{{${name}}} in ${state.file} is not this attribute: Raymond itself sets ${name}${name === 'result' ? ' to the input' : ''}`,
        fix: `choose another name, such as my_${name}`,
      };
    }
  }
}

/** Variables that bash sets itself, whatever its environment has. */
const OF_BASH = /^(?:RANDOM|SRANDOM|LINENO|PPID|BASHPID|EPOCHSECONDS|EPOCHREALTIME|BASH|IFS|OPTIND)$/;

function* variablesOfBash(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  const read = new Map(
    scriptsOf(analysis).map(({ file, source }) => [file, source.script.shell?.variables.map(({ name }) => name) ?? []]),
  );
  for (const { tag, role, to, from, mention } of allEdges(graph))
    for (const [name, { at }] of role === 'target' && to.kind === 'state' ? mention.attributes : [])
      if (OF_BASH.test(name) && isOwnAttribute(tag, name) && read.get(fileOf(to))?.includes(name) === true)
        yield { at, state: from, mention, ...setByBash(name, fileOf(to)) };
  for (const name of Object.keys(graph.source.parsedManifest?.environment ?? {})) {
    const [file] = [...read].find(([, names]) => names.includes(name)) ?? [];
    if (OF_BASH.test(name) && file !== undefined) yield { at: positionOf(analysis, name), ...setByBash(name, file) };
  }
}

function fileOf(to: Edge['to']): string {
  return to.kind === 'state' ? to.file : '';
}

function setByBash(name: string, file: string): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message: `${file} does not get this value: bash itself sets the variable ${name}`,
    fix: `choose another name, such as my_${name.toLowerCase()}`,
  };
}

/** A field FILE of a result: RAYMOND_RESULT_FILE is the path of the file with the whole result. */
function* fieldsLikeVariables(analysis: Analysis, { file, source }: ScriptState): Generator<Mistake> {
  const at = searchableText({ source }).search(/\bRAYMOND_RESULT_FILE\b/);
  const givers = at < 0 ? [] : (giversOf(analysis, file) ?? []);
  if (givers.length === 0 || !givers.every((giver) => schemaOfField(giver, 'FILE') !== undefined)) return;
  yield {
    at,
    message: 'RAYMOND_RESULT_FILE is not the field FILE of the result, but the path of a file with the whole result',
    fix: 'give the field another name, such as file_name, in the schema and here',
  };
}

const VALUE = String.raw`("[^"\n]*"|'[^'\n]*'|[^\s"';&|()<>]*)`;
const ASSIGNED = new RegExp(
  String.raw`^[ \t]*(?:(?:export|local|readonly|declare)[ \t]+)?(PATH|UID|EUID|PPID|GROUPS)=(?:${VALUE}|"?\$\([^\n]*\)"?)[ \t]*(?:$|;|#)|\b(?:for|read(?:[ \t]+-\w+)*)[ \t]+(PATH|UID|EUID|PPID|GROUPS)\b`,
  'gm',
);

/** An assignment to a variable that bash needs, or does not let a script change. */
function* assignedNames({ source }: ScriptState): Generator<Mistake> {
  if (source.script.shell === undefined) return;
  for (const match of plainText({ source }).matchAll(ASSIGNED)) {
    const [whole, first, value = '', second] = match;
    const name = first ?? second ?? '';
    if (name === 'PATH' && /\$\{?PATH|\/bin\b|getconf/.test(whole)) continue;
    if (value === '' && first !== undefined && !whole.includes('$(')) continue;
    yield {
      at: match.index + whole.search(new RegExp(`\\b${name}\\b`)),
      message:
        name === 'PATH'
          ? 'bash looks for commands in PATH, so after this the script finds no commands'
          : `bash itself sets ${name}: the variable does not get this value, or the script fails`,
      fix: `choose another name, such as my_${name.toLowerCase()}`,
    };
  }
}

/** Files that programs run or read, and that are no prompts. */
const OF_PROGRAM =
  /\.(?:rb|pl|php|go|rs|bash|zsh|ksh|fish|dash|lua|r|jl|mjs|cjs|mts|cts|jsx|tsx|java|kts?|c|cc|cpp|swift|exe|awk|tcl|cmd|exs?|hs|json|ya?ml)$/i;

function* programsAsPrompts(analysis: Analysis): Generator<FindingDetails> {
  for (const { to, at, from, mention } of allEdges(analysis.graph))
    if (to.kind === 'state' && OF_PROGRAM.test(to.file) && executorOf(to.file) === 'prompt')
      yield {
        at,
        state: from,
        mention,
        message: `Raymond does not run ${to.file}: it sends the text of this file to a model as a prompt`,
        fix: 'name a .sh, .py, .js or .ts state, which can run the program',
      };
}

/** Rules about names that are taken. */
export const TAKEN_NAME_RULES: readonly Rule[] = [
  {
    id: 'taken-variable-name',
    severity: 'warning',
    summary:
      'A package gives a value to a variable that Raymond or bash sets itself, such as agent_id in a prompt or UID in bash, so a state does not get the value.',
    why: 'In a prompt, workflow_id, agent_id, task_folder and state_dir always have the values that Raymond sets, and result is the input. RAYMOND_RESULT_FILE is a path, even if the result has a field FILE. Bash sets variables such as UID, RANDOM and LINENO itself, and needs PATH to find commands.',
    check: (analysis) => [
      ...overriddenAttributes(analysis),
      ...variablesOfBash(analysis),
      ...mistakesOf(analysis, (state) => fieldsLikeVariables(analysis, state)),
      ...mistakesOf(analysis, assignedNames),
    ],
  },
  {
    id: 'program-as-prompt',
    severity: 'warning',
    summary:
      'A tag or a policy names a file such as SUM.rb or CHECK.mjs as a state, but Raymond cannot run this file and sends its text to a model as a prompt.',
    why: 'Scripts are files with the extensions .sh, .bat, .ps1, .py, .js and .ts. Raymond treats every other file that a tag names as a prompt, which costs money and does not run the program.',
    check: programsAsPrompts,
  },
];
