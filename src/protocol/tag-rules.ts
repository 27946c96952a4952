// The one table of tags: what each holds, which attributes it takes, and the Tag that it becomes.
// Must not read text; a new tag is a new row here and a new case in tag.ts.
import type { Attributes, Tag, TagName } from './tag.js';

/** What a builder gets: names of states already checked, of `needs` all present. */
export interface Parts<Need extends string = string> {
  /** The state that the body names, or the body as text. */
  readonly body: string;
  readonly needed: Readonly<Record<Need, string>>;
  /** Attributes that the tag takes, as far as they were written. */
  readonly given: Readonly<Partial<Record<string, string>>>;
  /** All other attributes. */
  readonly free: Attributes;
}

/** One kind of tag. `needs` and `mayName` are attributes that name states, `takes` are the other ones. */
export interface TagRule<Need extends string = string> {
  readonly body: 'state' | 'text';
  readonly needs: readonly Need[];
  readonly mayName: readonly string[];
  readonly takes: readonly string[];
  /** True when attributes that the table does not know are the author's own. */
  readonly free: boolean;
  build(parts: Parts<Need>): Tag;
}

/** The rule of every tag, by its name. */
export const TAG_RULES: Readonly<Record<TagName, TagRule>> = {
  goto: rule({
    takes: ['input'],
    build: ({ body, given }) => ({ kind: 'goto', target: body, ...pick(given, 'input') }),
  }),
  reset: rule({
    takes: ['input', 'cd'],
    build: ({ body, given }) => ({ kind: 'reset', target: body, ...pick(given, 'input', 'cd') }),
  }),
  call: rule({
    needs: ['return'],
    takes: ['input'],
    build: ({ body, needed, given }) => ({
      kind: 'call',
      target: body,
      return: needed.return,
      ...pick(given, 'input'),
    }),
  }),
  function: rule({
    needs: ['return'],
    takes: ['input'],
    build: ({ body, needed, given }) => ({
      kind: 'function',
      target: body,
      return: needed.return,
      ...pick(given, 'input'),
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
      ...forkTask(free),
    }),
  }),
  result: rule({ body: 'text', build: ({ body }) => ({ kind: 'result', payload: body }) }),
};

/** The names of all tags. */
export const TAG_NAMES: readonly string[] = Object.keys(TAG_RULES);

/** The rule of a tag name, if there is one. */
export function ruleOfTag(name: string): TagRule | undefined {
  return isTagName(name) ? TAG_RULES[name] : undefined;
}

function isTagName(name: string): name is TagName {
  return Object.hasOwn(TAG_RULES, name);
}

function rule<Need extends string>({
  body = 'state',
  needs = [],
  mayName = [],
  takes = [],
  free = false,
  build,
}: Partial<TagRule<Need>> & Pick<TagRule<Need>, 'build'>): TagRule {
  return { body, needs, mayName, takes, free, build };
}

function pick<Name extends string>(given: Parts['given'], ...names: readonly Name[]): { [P in Name]?: string } {
  const found: { [P in Name]?: string } = {};
  for (const name of names) if (given[name] !== undefined) found[name] = given[name];
  return found;
}

/** Only these two values of `task` are Raymond's; any other `task` is an attribute like the rest. */
function forkTask(free: Attributes): { readonly task?: 'new' | 'inherit'; readonly attributes: Attributes } {
  const { task, ...attributes } = free;
  return task === 'new' || task === 'inherit' ? { task, attributes } : { attributes: free };
}
