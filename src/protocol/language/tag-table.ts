// The one table of tags: the body and attributes of each, and the Tag that it becomes. A new tag is a new row here and
// a new case in tag.ts.
import { DURATION_FORM, parseDuration } from '../text.js';
import type { AskFileAttributes, Attributes, ForkTag, Tag, TagName } from './tag.js';
import { readAskFiles, type AttributeProblem } from './ask-files.js';

/** The arguments of a builder: names of states are checked, all of `needs` are present. */
export interface Parts<Need extends string = string> {
  /** The state or workflow in the body, or the body as text. */
  readonly body: string;
  readonly needed: Readonly<Record<Need, string>>;
  /** Attributes that the tag takes and that were written. */
  readonly given: Readonly<Partial<Record<string, string>>>;
  /** All other attributes. */
  readonly free: Attributes;
}

/** The kind of a tag's body: `prompt` is a text for people, `workflow` the name of another workflow. */
export type Body = 'state' | 'workflow' | 'payload' | 'prompt' | 'none';

/** One kind of tag. `needs` and `mayName` are attributes that name states, `takes` are the other ones. */
export interface TagRule<Need extends string = string> {
  readonly body: Body;
  readonly needs: readonly Need[];
  readonly mayName: readonly string[];
  readonly takes: readonly string[];
  /** True when unknown attributes are custom attributes (`isOwnAttribute`). */
  readonly free: boolean;
  /** The first attribute with an invalid value. */
  problem(given: Parts['given']): AttributeProblem | undefined;
  build(parts: Parts<Need>): Tag;
}

const FILES = [
  'upload_slots',
  'upload_bucket',
  'upload_max_count',
  'upload_max_size',
  'upload_max_total_size',
  'upload_mime',
  'display_files',
  'choices',
] as const satisfies readonly (keyof AskFileAttributes)[];

/** The rule of every tag, by its name. */
export const TAG_RULES: Readonly<Record<TagName, TagRule>> = {
  goto: rule({
    takes: ['input', 'delay'],
    free: true,
    problem: (given) => wrongDuration(given, 'delay'),
    build: ({ body, given, free }) => ({ kind: 'goto', target: body, ...pick(given, 'input', 'delay'), ...own(free) }),
  }),
  reset: rule({
    takes: ['input', 'cd', 'task', 'delay'],
    free: true,
    problem: (given) => wrongDuration(given, 'delay') ?? wrongTask(given, ['new']),
    build: ({ body, given, free }) => ({
      kind: 'reset',
      target: body,
      ...pick(given, 'input', 'cd', 'delay'),
      ...newTask(given),
      ...own(free),
    }),
  }),
  call: rule({
    needs: ['return'],
    takes: ['input'],
    free: true,
    build: ({ body, needed, given, free }) => ({
      kind: 'call',
      target: body,
      return: needed.return,
      ...pick(given, 'input'),
      ...own(free),
    }),
  }),
  function: rule({
    needs: ['return'],
    takes: ['input'],
    free: true,
    build: ({ body, needed, given, free }) => ({
      kind: 'function',
      target: body,
      return: needed.return,
      ...pick(given, 'input'),
      ...own(free),
    }),
  }),
  fork: rule({
    mayName: ['next'],
    takes: ['input', 'cd'],
    free: true,
    build: ({ body, given, free }) => ({
      kind: 'fork',
      target: body,
      ...pick(given, 'next', 'input', 'cd'),
      ...forkSettings(free),
    }),
  }),
  result: rule({ body: 'payload', build: ({ body }) => ({ kind: 'result', payload: body }) }),
  ask: rule({
    body: 'prompt',
    needs: ['next'],
    mayName: ['timeout_next'],
    takes: ['timeout', ...FILES],
    problem: (given) => wrongTimeout(given) ?? wrongFiles(given),
    build: ({ body, needed, given }) => ({
      kind: 'ask',
      prompt: body,
      next: needed.next,
      ...pick(given, 'timeout', 'timeout_next', ...FILES),
    }),
  }),
  await: rule({
    body: 'none',
    needs: ['next'],
    mayName: ['timeout_next'],
    takes: ['timeout'],
    problem: wrongTimeout,
    build: ({ needed, given }) => ({ kind: 'await', next: needed.next, ...pick(given, 'timeout', 'timeout_next') }),
  }),
  'call-workflow': rule({
    body: 'workflow',
    needs: ['return'],
    takes: ['input'],
    build: ({ body, needed, given }) => ({
      kind: 'call-workflow',
      target: body,
      return: needed.return,
      ...pick(given, 'input'),
    }),
  }),
  'function-workflow': rule({
    body: 'workflow',
    needs: ['return'],
    takes: ['input', 'cd'],
    build: ({ body, needed, given }) => ({
      kind: 'function-workflow',
      target: body,
      return: needed.return,
      ...pick(given, 'input', 'cd'),
    }),
  }),
  'fork-workflow': rule({
    body: 'workflow',
    mayName: ['next'],
    takes: ['input', 'cd', 'task'],
    problem: (given) => wrongTask(given, ['new', 'inherit']),
    build: ({ body, given }) => ({
      kind: 'fork-workflow',
      target: body,
      ...pick(given, 'next', 'input', 'cd'),
      ...anyTask(given['task']),
    }),
  }),
  'reset-workflow': rule({
    body: 'workflow',
    takes: ['input', 'cd', 'task'],
    problem: (given) => wrongTask(given, ['new']),
    build: ({ body, given }) => ({
      kind: 'reset-workflow',
      target: body,
      ...pick(given, 'input', 'cd'),
      ...newTask(given),
    }),
  }),
};

/** The attributes that any tag takes. */
const TAKEN: ReadonlySet<string> = new Set(
  Object.values(TAG_RULES).flatMap(({ needs, mayName, takes }) => [...needs, ...mayName, ...takes]),
);

/**
 * True for a custom attribute. Only `<fork>` takes every name: on other tags a name
 * that another tag takes, such as `cd` on `<goto>`, is a mistake.
 */
export function isOwnAttribute(tag: TagName, name: string): boolean {
  const { free, needs, mayName, takes } = TAG_RULES[tag];
  if (!free) return false;
  return tag === 'fork' ? ![...needs, ...mayName, ...takes].includes(name) : !TAKEN.has(name);
}

/** The names of all tags. */
export const TAG_NAMES: readonly string[] = Object.keys(TAG_RULES);

/** The tags that need no body: their opening alone counts. */
export const BODYLESS: readonly string[] = TAG_NAMES.filter((name) => ruleOfTag(name)?.body === 'none');

/** The rule of a tag name, if there is one. */
export function ruleOfTag(name: string): TagRule | undefined {
  return isTagName(name) ? TAG_RULES[name] : undefined;
}

/** True for the name of a tag. */
export function isTagName(name: string): name is TagName {
  return Object.hasOwn(TAG_RULES, name);
}

function rule<Need extends string>({
  body = 'state',
  needs = [],
  mayName = [],
  takes = [],
  free = false,
  problem = () => undefined,
  build,
}: Partial<TagRule<Need>> & Pick<TagRule<Need>, 'build'>): TagRule {
  return { body, needs, mayName, takes, free, problem, build };
}

function pick<Name extends string>(given: Parts['given'], ...names: readonly Name[]): { [P in Name]?: string } {
  const found: { [P in Name]?: string } = {};
  for (const name of names) if (given[name] !== undefined) found[name] = given[name];
  return found;
}

function wrongDuration(given: Parts['given'], attribute: string): AttributeProblem | undefined {
  const value = given[attribute];
  const wrong = value !== undefined && parseDuration(value) === undefined;
  return wrong ? { attribute, expected: DURATION_FORM } : undefined;
}

function wrongTimeout(given: Parts['given']): AttributeProblem | undefined {
  const wrong = wrongDuration(given, 'timeout');
  if (wrong !== undefined) return wrong;
  const lonely = given['timeout_next'] !== undefined && given['timeout'] === undefined;
  return lonely
    ? { attribute: 'timeout_next', expected: 'timeout="…" beside it, the time after which timeout_next is used' }
    : undefined;
}

function wrongFiles(given: Parts['given']): AttributeProblem | undefined {
  const read = readAskFiles(pick(given, ...FILES));
  return 'expected' in read ? read : undefined;
}

function wrongTask(given: Parts['given'], values: readonly string[]): AttributeProblem | undefined {
  const { task } = given;
  // An agent keeps its task folder anyway unless it gets a new one.
  const wrong = task !== undefined && task !== 'inherit' && !values.includes(task);
  return wrong ? { attribute: 'task', expected: values.map((value) => `"${value}"`).join(' or ') } : undefined;
}

function newTask({ task }: Parts['given']): { readonly task?: 'new' } {
  return task === 'new' ? { task } : {};
}

function anyTask(task: string | undefined): { readonly task?: 'new' | 'inherit' } {
  return task === 'new' || task === 'inherit' ? { task } : {};
}

function own(free: Attributes): { readonly attributes?: Attributes } {
  const entries = Object.entries(free).filter(([name]) => !TAKEN.has(name));
  return entries.length === 0 ? {} : { attributes: Object.fromEntries(entries) };
}

/** On `<fork>` only these values of `task` and `context` are Raymond's; with others they are ordinary attributes. */
function forkSettings(free: Attributes): Pick<ForkTag, 'task' | 'context' | 'attributes'> {
  const { task, context, ...others } = free;
  const settings = { ...anyTask(task), ...(context === 'branch' ? ({ context } as const) : {}) };
  const kept = Object.entries(free).filter(([name]) => name in others || !(name in settings));
  return { ...settings, attributes: Object.fromEntries(kept) };
}
