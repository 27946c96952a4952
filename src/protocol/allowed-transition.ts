// One entry of `allowed_transitions`: its keys, and the tag that it stands for. Pure.
// Must not compare it with what a state wrote (allow.ts).
import { renderTag } from './render-tag.js';
import type { Attributes, Tag, TagName } from './tag.js';
import { TAG_RULES } from './tag-rules.js';
import { renderTemplate } from './template.js';

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

/** The keys of an entry that an output must agree with. */
export function comparedKeys(tag: TagName): readonly string[] {
  return TAG_RULES[tag].body === 'text' ? [...stateKeys(tag), 'payload'] : stateKeys(tag);
}

/** The tag of an entry that says all that its tag needs, else undefined. */
export function completeTag({ tag, attributes }: AllowedTransition, variables: Variables): Tag | undefined {
  const complete = comparedKeys(tag).every((key) => attributes[key] !== undefined);
  return complete ? tagOf(tag, filled(attributes, variables)) : undefined;
}

/** An entry as a tag to copy; what it leaves open is `STATE` or `…`. */
export function literalTag({ tag, attributes }: Omit<AllowedTransition, 'line'>, variables: Variables = {}): string {
  const { body, needs } = TAG_RULES[tag];
  const open = [...(body === 'state' ? ['target'] : []), ...needs].map((key) => [key, 'STATE'] as const);
  const text = body === 'text' ? { payload: '…' } : {};
  return renderTag(tagOf(tag, { ...text, ...Object.fromEntries(open), ...filled(attributes, variables) }));
}

function filled(attributes: Attributes, variables: Variables): Attributes {
  const { input } = attributes;
  return input === undefined ? attributes : { ...attributes, input: renderTemplate(input, variables).text };
}

function tagOf(tag: TagName, attributes: Attributes): Tag {
  const rule = TAG_RULES[tag];
  const bodyKey = rule.body === 'state' ? 'target' : 'payload';
  const known = new Set([...rule.needs, ...rule.mayName, ...rule.takes]);
  const written = Object.entries(attributes).filter(
    ([name, value]) => name !== bodyKey && (name !== 'cd' || value !== ''),
  );
  const given = Object.fromEntries(written.filter(([name]) => known.has(name)));
  const free = Object.fromEntries(written.filter(([name]) => !known.has(name)));
  return rule.build({ body: attributes[bodyKey] ?? '', needed: given, given, free });
}
