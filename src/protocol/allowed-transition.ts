// One entry of `allowed_transitions`: its keys, and the tag that it stands for. Pure.
// Must not compare it with what a state wrote (allow.ts).
import { renderTag } from './render-tag.js';
import type { Attributes, Tag, TagName } from './tag.js';
import { TAG_RULES, type Body } from './tag-rules.js';
import { renderTemplate } from './template.js';
import type { AttributeMistake } from './upload.js';

/** A tag and the keys beside it, at a line of its file. A key that is absent allows anything. */
export interface AllowedTransition {
  readonly tag: TagName;
  readonly attributes: Attributes;
  readonly line: number;
}

/** What the `input` of an entry is filled with. */
export type Variables = Readonly<Record<string, string>>;

/** The keys of an entry that name states. */
export function stateKeys(tag: TagName): readonly string[] {
  const { body, needs, mayName } = TAG_RULES[tag];
  return [...(body === 'state' ? ['target'] : []), ...needs, ...mayName];
}

/** The keys of an entry that an output must agree with. A question to a person is never compared. */
export function comparedKeys(tag: TagName): readonly string[] {
  const { body } = TAG_RULES[tag];
  const states = stateKeys(tag);
  if (body === 'workflow') return ['target', ...states];
  return body === 'payload' ? [...states, 'payload'] : states;
}

/** The tag of an entry that says all that its tag needs, else undefined. */
export function completeTag({ tag, attributes }: AllowedTransition, variables: Variables): Tag | undefined {
  if (TAG_RULES[tag].body === 'prompt') return undefined;
  const complete = comparedKeys(tag).every((key) => attributes[key] !== undefined);
  return complete ? tagOf(tag, filled(attributes, variables)) : undefined;
}

/** An entry as a tag to copy; what it leaves open is `STATE` or `…`. */
export function literalTag({ tag, attributes }: Omit<AllowedTransition, 'line'>, variables: Variables = {}): string {
  const { body, needs } = TAG_RULES[tag];
  const key = BODY_KEYS[body];
  const open = needs.map((name) => [name, 'STATE'] as const);
  const text = key === undefined ? {} : { [key]: body === 'state' ? 'STATE' : '…' };
  return renderTag(tagOf(tag, { ...text, ...Object.fromEntries(open), ...filled(attributes, variables) }));
}

/** The key of an entry that stands for the body of its tag. */
const BODY_KEYS: Readonly<Record<Body, string | undefined>> = {
  state: 'target',
  workflow: 'target',
  payload: 'payload',
  prompt: 'prompt',
  none: undefined,
};

/** The first attribute of an entry whose value its tag cannot understand. */
export function entryMistake({ tag, attributes }: Omit<AllowedTransition, 'line'>): AttributeMistake | undefined {
  return TAG_RULES[tag].mistake(attributes);
}

function filled(attributes: Attributes, variables: Variables): Attributes {
  const { input } = attributes;
  return input === undefined ? attributes : { ...attributes, input: renderTemplate(input, variables).text };
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
