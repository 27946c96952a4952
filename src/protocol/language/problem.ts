// Protocol mistakes in a state's output, as values, and their messages for a person or a model.
// External failures are in failure.ts. Texts in a problem are short, because it travels through Temporal.
import { assertNever } from '../failure.js';
import { clip } from '../text.js';

/** Why an attribute cannot be a variable: programs read settings from it, or the environment already has it. */
export type NameConflict = 'setting' | 'inherited';

/** A mistake in the language. `line` counts from 1 in the output that was read; `count` is the length of a list that may be cut. */
export type Problem =
  | { readonly kind: 'no-tag' }
  | { readonly kind: 'open-tag'; readonly tag: string; readonly line: number; readonly lacks: 'slash' | 'closing' }
  | { readonly kind: 'several-tags'; readonly count: number; readonly tags: readonly string[] }
  | { readonly kind: 'several-continuations'; readonly names: readonly string[] }
  | { readonly kind: 'empty-target'; readonly tag: string; readonly line: number }
  | { readonly kind: 'path-in-target'; readonly tag: string; readonly target: string; readonly line: number }
  | { readonly kind: 'long-target'; readonly tag: string; readonly target: string; readonly line: number }
  | { readonly kind: 'missing-attribute'; readonly tag: string; readonly attribute: string; readonly line?: number }
  | { readonly kind: 'long-attributes'; readonly tag: string; readonly limit: number; readonly line: number }
  | { readonly kind: 'malformed-attribute'; readonly tag: string; readonly text: string; readonly line: number }
  | {
      readonly kind: 'bad-attribute';
      readonly tag: string;
      readonly attribute: string;
      readonly value: string;
      readonly expected: string;
      readonly line: number;
    }
  | {
      readonly kind: 'taken-name';
      readonly tag: string;
      readonly target: string;
      readonly attribute: string;
      readonly conflict: NameConflict;
    }
  | ({
      readonly kind: 'unknown-state';
      readonly near?: string;
      readonly states: readonly string[];
      readonly count: number;
    } & Search)
  | { readonly kind: 'ambiguous-state'; readonly name: string; readonly files: readonly string[] }
  | ({ readonly kind: 'wrong-platform'; readonly files: readonly string[] } & Search)
  | { readonly kind: 'no-entry'; readonly states: readonly string[]; readonly path?: string }
  | { readonly kind: 'two-entries'; readonly files: readonly string[]; readonly path?: string }
  | { readonly kind: 'unusable-workflow'; readonly tag: string; readonly target: string; readonly why: string }
  | { readonly kind: 'too-deep'; readonly tag: string; readonly limit: number }
  | { readonly kind: 'stack-full'; readonly tag: string; readonly limit: number }
  | { readonly kind: 'no-conversation'; readonly target: string }
  | { readonly kind: 'unusable-file'; readonly tag: string; readonly path: string; readonly why: string }
  | { readonly kind: 'missing-directory'; readonly tag: string; readonly path: string; readonly host: string }
  | { readonly kind: 'unfit-result'; readonly why: string }
  | { readonly kind: 'bad-verdict'; readonly state: string; readonly why: string }
  | { readonly kind: 'not-allowed'; readonly tag: string; readonly allowed: readonly string[]; readonly count: number };

/** A state's name, and the files that it could mean. */
interface Search {
  readonly name: string;
  readonly lookedFor: readonly string[];
}

/** Why an attribute cannot be a variable of a script, to follow "it". */
export const CONFLICTS: Readonly<Record<NameConflict, string>> = {
  setting: 'is a setting that programs read',
  inherited: 'already exists in the environment',
};

/** Example bodies of tags that do not name a state. */
const EXAMPLE_BODIES: Readonly<Record<string, string>> = {
  result: 'your result',
  ask: 'your question',
  'call-workflow': '../other/',
  'function-workflow': '../other/',
  'fork-workflow': '../other/',
  'reset-workflow': '../other/',
};

/**
 * One or two sentences: what is wrong and what to write instead. Without the agent and state, which the caller knows.
 */
export function describeProblem(problem: Problem): string {
  switch (problem.kind) {
    case 'no-tag':
      return 'the output has no transition tag; it must contain exactly one, such as <goto>NEXT</goto> or <result>…</result>';
    case 'open-tag':
      return `<${problem.tag}>${onLine(problem)} is never closed${problem.lacks === 'slash' ? ': the closing tag lacks its slash' : ''}; write <${problem.tag}>${EXAMPLE_BODIES[problem.tag] ?? 'STATE'}</${problem.tag}>`;
    case 'several-tags':
      return `the output has ${problem.count} transition tags (${list(problem.tags, problem.count)}); it must contain exactly one, or several <fork> that share one next`;
    case 'several-continuations':
      return `the forks of one output must continue at the same state, but they name ${list(problem.names)}; write the same name in every next and <goto>`;
    case 'empty-target':
      return `<${problem.tag}>${onLine(problem)} is empty; write <${problem.tag}>${EXAMPLE_BODIES[problem.tag] ?? 'STATE'}</${problem.tag}>`;
    case 'path-in-target':
      return `<${problem.tag}>${onLine(problem)} names "${problem.target}"; a target is a file name of the same workflow, without / or \\`;
    case 'long-target':
      return `<${problem.tag}>${onLine(problem)} contains more than a name ("${problem.target}"); write only the name of a state, as in <${problem.tag}>STATE</${problem.tag}>`;
    case 'missing-attribute':
      return `<${problem.tag}>${onLine(problem)} needs the attribute ${problem.attribute}="STATE"`;
    case 'long-attributes':
      return `<${problem.tag}>${onLine(problem)} has attributes of more than ${problem.limit} bytes; pass long text as input="…" or in a file`;
    case 'malformed-attribute':
      return `<${problem.tag}>${onLine(problem)}: cannot read the attribute ${problem.text}; ${quotingOf(problem.text)}`;
    case 'bad-attribute':
      return `<${problem.tag}>${onLine(problem)}: ${problem.attribute}="${problem.value}" is invalid; expected ${problem.expected}`;
    case 'taken-name':
      return `<${problem.tag}>${problem.target}</${problem.tag}>: the attribute ${clip(problem.attribute, 60)} cannot be a variable of a script: it ${CONFLICTS[problem.conflict]}; choose another name, for example my_${clip(problem.attribute.toLowerCase(), 60)}`;
    case 'unusable-workflow':
      return `<${problem.tag}>${problem.target}</${problem.tag}>: ${problem.why}`;
    case 'too-deep':
      return `<${problem.tag}>: workflows are nested ${problem.limit} deep already; return with <result> first, or go there with <reset-workflow>`;
    case 'stack-full':
      return `<${problem.tag}>: ${problem.limit} callers wait for a result already; end the recursion, return with <result>, or continue with <goto> or <reset>`;
    case 'no-conversation':
      return `<fork context="branch">${problem.target}</fork>: this agent has no conversation yet that ${problem.target} could begin with; fork after the first prompt, or leave context out`;
    case 'unusable-file':
      return `<${problem.tag}>: the file ${problem.path} cannot be shown: ${problem.why}`;
    case 'unknown-state':
      return `there is no state "${problem.name}"${meant(problem.near)} (looked for ${list(problem.lookedFor)}); the states are ${list(problem.states, problem.count)}`;
    case 'ambiguous-state':
      return `"${problem.name}" is ambiguous: ${problem.files.join(' and ')} both exist; write the name with its extension or remove one`;
    case 'wrong-platform':
      return `"${problem.name}" cannot run on this platform (found ${list(problem.files)}); add ${problem.lookedFor.join(' or ')}, or name another state`;
    case 'no-entry':
      return `there is no entry point, 1_START or START; ${startOne(problem)}`;
    case 'two-entries':
      return `there are two entry points, ${problem.files.join(' and ')}; remove one, or start one by name: ${startCommand(problem.path, problem.files)}`;
    case 'missing-directory':
      return `<${problem.tag} cd="…">: there is no directory ${problem.path} on host ${problem.host}; create it or correct cd`;
    case 'unfit-result':
      return `the result does not fit its schema: ${problem.why}`;
    case 'bad-verdict':
      return `a judge ends with <result>keep</result> or with a tag that ${problem.state} may end with: ${problem.why}`;
    case 'not-allowed':
      return `${problem.tag} is not allowed here; this state may end with ${list(problem.allowed, problem.count)}`;
    default:
      return assertNever(problem);
  }
}

function onLine({ line }: { readonly line?: number }): string {
  return line === undefined ? '' : ` on line ${line} of the output`;
}

/** How to write an attribute that cannot be read; one without quotes is shown with them. */
export function quotingOf(text: string): string {
  const [, name, value] = /^([\w-]+)\s*=\s*[“”]?([^\s="'“”…]+(?: [^\s="'“”…]+)*)[“”]?\s*\/?$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return `quote the value: ${name}="${value}"`;
  return 'write name="value"; the value cannot contain the quote that encloses it';
}

function meant(near: string | undefined): string {
  return near === undefined ? '' : `, did you mean ${near}?`;
}

function startOne({ states, path }: Problem & { readonly kind: 'no-entry' }): string {
  if (states.length === 0) return 'add a state, for example 1_START.md';
  return `the states are ${list(states)}; start one by name: ${startCommand(path, states)}`;
}

function startCommand(path: string | undefined, states: readonly string[]): string {
  return `raymond start ${shellWord(`${(path ?? 'PATH').replace(/[/\\]+$/, '')}/${states[0] ?? 'STATE.md'}`)}`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function list(names: readonly string[], count = names.length): string {
  if (count === 0) return 'none';
  const shown = names.slice(0, 20);
  return count > shown.length ? `${shown.join(', ')} and ${count - shown.length} more` : shown.join(', ');
}
