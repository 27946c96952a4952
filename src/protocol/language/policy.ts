// The policy in a prompt's frontmatter: which transitions are allowed, which one is implied when none is written, and
// whether an output complies. Names are compared after they were resolved to files. Pure; packages/ reads YAML.
import type { AttributeProblem } from './ask-files.js';
import { tagsOf, type Evaluation, type Evaluator } from './evaluate.js';
import { renderTag, type Change } from './parse.js';
import type { Problem } from './problem.js';
import { resolveState, STATE_EXTENSION, type Folder } from './resolve.js';
import { nameInScope } from '../scope.js';
import { TAG_RULES, type Body } from './tag-table.js';
import type { SandboxRequest } from '../sandbox.js';
import type { Attributes, Tag, TagName } from './tag.js';
import { clip, nearest } from '../text.js';
import { renderTemplate } from './variables.js';

/**
 * A frontmatter that was understood. `timeout` is seconds without output, 0 = never; without `allowed` entries
 * everything is allowed.
 */
export interface Policy {
  readonly allowed: readonly AllowedTransition[];
  readonly model?: string;
  readonly effort?: string;
  /** The backend of the prompt; absent = the conversation's, else the run's. */
  readonly backend?: BackendName;
  readonly timeout?: number;
  /** The accounts of Claude that it may use. */
  readonly accounts?: readonly string[];
  /** The limits that apply to its turns. */
  readonly limits?: readonly string[];
  /** What its result must look like. */
  readonly result?: ResultShape;
  readonly sandbox?: SandboxRequest;
  /** What may replace the transition of a turn. */
  readonly evaluation?: Evaluation;
  readonly forceImplicit: boolean;
}

/** The JSON schema of a result: in a file of the package, or in the policy itself. */
export type ResultShape =
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | {
      readonly kind: 'inline';
      readonly schema: JsonObject;
      readonly line: number;
      /** The line of a part of the schema. */
      readonly lineOf: (path: readonly string[]) => number;
    };

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A policy, the variables of its prompt, the check of its result, and its evaluator. */
export interface Rules {
  readonly policy: Policy;
  readonly variables: Variables;
  readonly result?: ResultCheck;
  readonly evaluator?: Evaluator;
}

/** A schema for results, ready to use. */
export interface ResultCheck {
  readonly schema: JsonObject;
  /** Why a text does not match the schema; undefined when it does. */
  readonly problemOf: (text: string) => string | undefined;
}

/** True when a state can only end with a result whose text the policy leaves open. */
export function endsWithResult({ allowed }: Policy): boolean {
  return (
    allowed.length > 0 &&
    allowed.every(({ tag, attributes }) => tag === 'result' && attributes['payload'] === undefined)
  );
}

/** The policy of a prompt without frontmatter. */
export const NO_POLICY: Policy = { allowed: [], forceImplicit: false };

/**
 * The only allowed transition, if its entry has everything that its tag requires: it is implied when an output has no
 * tag.
 */
export function implicitTag({ allowed }: Policy, variables: Variables): Tag | undefined {
  const [only, ...others] = allowed;
  return only === undefined || others.length > 0 ? undefined : completeTag(only, variables);
}

/** The names of states in a policy, each once, in order. */
export function policyNames(policy: Policy): readonly string[] {
  return [...new Set(entriesNaming(policy).flatMap(({ names }) => names))];
}

/** The entries of a policy that name states, with their key and line. */
function entriesNaming({ allowed, evaluation }: Policy): readonly NamingEntry[] {
  const { patterns = [], judge } = evaluation ?? {};
  const key = 'evaluate';
  return [
    ...allowed.map((entry) => ({ key: 'allowed_transitions', line: entry.line, names: namesOf(entry) })),
    ...patterns.map(({ instead, line }) => ({ key, line, names: tagsOf(instead).flatMap(namesIn) })),
    ...(judge === undefined ? [] : [{ key, line: judge.line, names: [judge.state] }]),
  ];
}

interface NamingEntry {
  readonly key: string;
  readonly line: number;
  readonly names: readonly string[];
}

/** The states that a tag names. */
function namesIn(tag: Tag): readonly string[] {
  const values: Readonly<Record<string, unknown>> = { ...tag };
  return stateKeys(tag.kind).flatMap((key) => (typeof values[key] === 'string' ? [values[key]] : []));
}

/** The policy with its names as the scope resolves them: to files, or in a YAML scope to states. */
export function policyInScope(policy: Policy, scope: Pick<Folder, 'kind'>): Policy {
  const allowed = policy.allowed.map((entry) => {
    const named = stateKeys(entry.tag).flatMap((key) => {
      const name = entry.attributes[key];
      return name === undefined ? [] : [[key, nameInScope(scope, name)] as const];
    });
    return { ...entry, attributes: { ...entry.attributes, ...Object.fromEntries(named) } };
  });
  return { ...policy, allowed };
}

/** The names of a policy that are not states of the folder, with the keys and lines of their entries. */
export function policyProblems(
  policy: Policy,
  folder: Folder,
): readonly { readonly key: string; readonly line: number; readonly problem: Problem }[] {
  return entriesNaming(policy).flatMap(({ key, line, names }) =>
    names.flatMap((name) => {
      const found = resolveState({ ...folder, name });
      return found.kind === 'problem' ? [{ key, line, problem: found.problem }] : [];
    }),
  );
}

function namesOf({ tag, attributes }: AllowedTransition): readonly string[] {
  return stateKeys(tag).flatMap((key) => attributes[key] ?? []);
}

/** A tag and the keys beside it, at a line of its file. A key that is absent allows anything. */
export interface AllowedTransition {
  readonly tag: TagName;
  readonly attributes: Attributes;
  readonly line: number;
}

/** The value for the `input` of an entry. */
export type Variables = Readonly<Record<string, string>>;

/** The keys of an entry that name states. */
export function stateKeys(tag: TagName): readonly string[] {
  const { body, needs, mayName } = TAG_RULES[tag];
  return [...(body === 'state' ? ['target'] : []), ...needs, ...mayName];
}

/** The keys of an entry that an output must match. A question to a person is never compared. */
export function comparedKeys(tag: TagName): readonly string[] {
  const { body } = TAG_RULES[tag];
  const states = stateKeys(tag);
  if (body === 'workflow') return ['target', ...states];
  return body === 'payload' ? [...states, 'payload'] : states;
}

/** The tag of an entry that has everything its tag requires, else undefined. */
function completeTag({ tag, attributes }: AllowedTransition, variables: Variables): Tag | undefined {
  if (TAG_RULES[tag].body === 'prompt') return undefined;
  const complete = comparedKeys(tag).every((key) => key === 'timeout_next' || attributes[key] !== undefined);
  return complete && TAG_RULES[tag].problem(attributes) === undefined
    ? tagOf(tag, filled({ tag, attributes }, variables))
    : undefined;
}

/** An entry as a tag to copy; open parts are `STATE` or `…`. */
export function literalTag({ tag, attributes }: Omit<AllowedTransition, 'line'>, variables: Variables = {}): string {
  const { body, needs } = TAG_RULES[tag];
  const key = BODY_KEYS[body];
  const open = needs.map((name) => [name, 'STATE'] as const);
  const text = key === undefined ? {} : { [key]: body === 'state' ? 'STATE' : '…' };
  return renderTag(tagOf(tag, { ...text, ...Object.fromEntries(open), ...filled({ tag, attributes }, variables) }));
}

/** The key of an entry for the body of its tag. */
const BODY_KEYS: Readonly<Record<Body, string | undefined>> = {
  state: 'target',
  workflow: 'target',
  payload: 'payload',
  prompt: 'prompt',
  none: undefined,
};

/** The first attribute of an entry whose value is invalid for its tag. An entry may leave out `timeout`: any will do. */
export function entryProblem({ tag, attributes }: Omit<AllowedTransition, 'line'>): AttributeProblem | undefined {
  const { timeout_next: next } = attributes;
  return TAG_RULES[tag].problem(next === undefined ? attributes : { timeout: '1s', ...attributes });
}

/** Of tags that lead to another workflow, `input` is filled with the rest of the output, in one pass. */
function filled({ tag, attributes }: Omit<AllowedTransition, 'line'>, variables: Variables): Attributes {
  const { input } = attributes;
  return input === undefined || TAG_RULES[tag].body === 'workflow'
    ? attributes
    : { ...attributes, input: renderTemplate(input, variables).text };
}

function tagOf(tag: TagName, attributes: Attributes): Tag {
  const rule = TAG_RULES[tag];
  const bodyKey = BODY_KEYS[rule.body];
  const known = new Set([...rule.needs, ...rule.mayName, ...rule.takes]);
  const written = Object.entries(attributes).filter(
    ([name, value]) => name !== bodyKey && (name !== 'cd' || value !== ''),
  );
  const given = Object.fromEntries(written.filter(([name]) => known.has(name)));
  const free = Object.fromEntries(written.filter(([name]) => !known.has(name)));
  const body = bodyKey === undefined ? '' : (attributes[bodyKey] ?? '');
  return rule.build({ body, needed: given, given, free });
}

/** The number of entries that a problem lists. */
const SHOWN = 20;

/**
 * Why a policy does not allow a change, or undefined. Each of several forks must be allowed, with their shared `next`.
 */
export function disallowed({ allowed }: Policy, change: Change): Problem | undefined {
  if (allowed.length === 0) return undefined;
  const stranger = tagsOf(change).find((tag) => !allowed.some((entry) => matches(entry, tag)));
  if (stranger === undefined) return undefined;
  return {
    kind: 'not-allowed',
    tag: outline(stranger.kind, comparedValues(stranger)),
    allowed: allowed.slice(0, SHOWN).map(({ tag, attributes }) => outline(tag, attributes)),
    count: allowed.length,
  };
}

function matches({ tag, attributes }: AllowedTransition, emitted: Tag): boolean {
  if (tag !== emitted.kind) return false;
  const values = comparedValues(emitted);
  const names = stateKeys(tag);
  return comparedKeys(tag).every((key) => {
    const wanted = attributes[key];
    const given = values[key];
    if (wanted === undefined) return true;
    return given !== undefined && (names.includes(key) ? isFileOf(wanted, given) : wanted.trim() === given.trim());
  });
}

/** A name with a dot is a file name; any other matches each file that it could be resolved to. */
function isFileOf(name: string, file: string): boolean {
  if (name.includes('.')) return name === file;
  return file.startsWith(name) && file.slice(name.length).lastIndexOf('.') === 0 && STATE_EXTENSION.test(file);
}

function comparedValues(tag: Tag): Attributes {
  const values: Readonly<Record<string, unknown>> = { ...tag };
  const texts = comparedKeys(tag.kind).flatMap((key) => {
    const value = values[key];
    return typeof value === 'string' ? [[key, value] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** In short: a problem travels through Temporal. */
function outline(tag: TagName, attributes: Attributes): string {
  const compared = comparedKeys(tag).flatMap((key) => {
    const value = attributes[key];
    return value === undefined ? [] : [[key, clip(value.replace(/\s+/g, ' '), 60)] as const];
  });
  return literalTag({ tag, attributes: Object.fromEntries(compared) });
}

/** The efforts that Claude Code knows; it only warns about others, so they are checked before a turn. */
export const CLAUDE_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Those of pi, which only warns about others, too. */
export const PI_EFFORTS = ['off', 'minimal', ...CLAUDE_EFFORTS] as const;

/** The efforts of any backend. */
export const EFFORTS = PI_EFFORTS;

/** The names of backends. */
export const BACKENDS = ['claude', 'pi'] as const;

/** The name of a backend. */
export type BackendName = (typeof BACKENDS)[number];

/** True for an effort that a backend knows. */
export function isEffort(text: string, efforts: readonly string[] = EFFORTS): boolean {
  return efforts.includes(text);
}

/** True for a possible name of a model: only the service knows which names exist. */
export function isModelName(text: string): boolean {
  return MODEL_NAME.test(text);
}

/** The same as an expression. */
export const MODEL_NAME = /^[\w@*][\w.:/@+*~=,[\]-]*$/;

/** The same in words. */
export const MODEL_FORM = 'expected the name of a model, such as opus, sonnet or claude-…';

/** The short names of Claude Code. */
export const MODEL_ALIASES = [
  ...['opus', 'sonnet', 'haiku', 'fable', 'best', 'default', 'opusplan'],
  ...['opus[1m]', 'sonnet[1m]'],
] as const;

/** The short name that was probably meant; undefined for a known name, and for one that resembles none. */
export function nearModel(name: string): string | undefined {
  const known: readonly string[] = MODEL_ALIASES;
  return known.includes(name) ? undefined : nearest(name, known);
}
