// Reads the tags of a state's output, counts them (exactly one, or forks that share one continuation), and writes them
// as text. Problems are values; no text makes it throw, and the time is linear in the text. Does not resolve names to
// files.
import { MAX_STATE_NAME } from '../ids.js';
import type { Problem } from './problem.js';
import { findOpening, scanElements, type Element, type OpenElement } from './scan.js';
import { BODYLESS, TAG_NAMES, isOwnAttribute, isTagName, ruleOfTag, type Parts, type TagRule } from './tag-table.js';
import type { Attributes, SingleTag, StartingTag, Tag } from './tag.js';
import { MAX_INLINE_BYTES, clip, nearest, utf8Length, defined } from '../text.js';

/** All tags of an output in order, or the first problem. */
export type ParseResult =
  | {
      readonly kind: 'tags';
      readonly tags: readonly Tag[];
      readonly warnings: readonly string[];
      /** When there is no tag: an opening tag without its end. */
      readonly open?: OpenElement;
    }
  | { readonly kind: 'problem'; readonly problem: Problem };

const MAX_WARNINGS = 20;

const WITH_BODY = TAG_NAMES.filter((name) => !BODYLESS.includes(name));

/** The longest name of another workflow, in characters. */
const MAX_SPECIFIER = 4096;

/** Reads every tag of `text`. */
export function parseTags(text: string): ParseResult {
  const tags: Tag[] = [];
  const warnings: string[] = [];
  for (const element of scanElements(text, { names: TAG_NAMES, bodyless: BODYLESS })) {
    const rule = ruleOfTag(element.name);
    if (rule === undefined) continue;
    const problem = problemOf(element, rule);
    if (problem !== undefined) return { kind: 'problem', problem };
    tags.push(rule.build(partsOf(element, rule)));
    if (warnings.length <= MAX_WARNINGS) warnings.push(...warningsOf(element, rule));
  }
  const open = tags.length === 0 ? findOpening(text, WITH_BODY) : undefined;
  return { kind: 'tags', tags, warnings: cut(warnings), ...defined({ open }) };
}

function problemOf(element: Element, rule: TagRule): Problem | undefined {
  const { name: tag, attributes, malformed, line } = element;
  if (malformed !== undefined) return { kind: 'malformed-attribute', tag, text: clip(malformed.text, 60), line };
  const target = bodyProblem(element, rule);
  if (target !== undefined) return target;
  for (const attribute of [...rule.needs, ...rule.mayName]) {
    const value = attributes.get(attribute)?.trim();
    if (value === undefined && !rule.needs.includes(attribute)) continue;
    if (value === undefined || value === '') return { kind: 'missing-attribute', tag, attribute, line };
    const problem = nameProblem(value, element);
    if (problem !== undefined) return problem;
  }
  return longAttributes(element) ?? attributeProblem(element, rule);
}

function bodyProblem(element: Element, { body }: TagRule): Problem | undefined {
  if (body === 'state') return nameProblem(element.body, element);
  const { name: tag, line } = element;
  if ((body === 'workflow' || body === 'prompt') && element.body === '') return { kind: 'empty-target', tag, line };
  const long = body === 'workflow' && element.body.length > MAX_SPECIFIER;
  return long ? { kind: 'long-target', tag, target: clip(element.body, 60), line } : undefined;
}

function attributeProblem(element: Element, rule: TagRule): Problem | undefined {
  const { name: tag, attributes, line } = element;
  const wrong = rule.problem(partsOf(element, rule).given);
  if (wrong === undefined) return undefined;
  const value = clip(attributes.get(wrong.attribute) ?? '', 60);
  return { kind: 'bad-attribute', tag, ...wrong, value, line };
}

function nameProblem(name: string, { name: tag, line }: Element): Problem | undefined {
  if (name === '') return { kind: 'empty-target', tag, line };
  if (name.length > MAX_STATE_NAME) return { kind: 'long-target', tag, target: clip(name, 60), line };
  return /[/\\]/.test(name) ? { kind: 'path-in-target', tag, target: name, line } : undefined;
}

/**
 * Attributes travel with the agent's record through Temporal; only `input` may be large, because it can become an
 * artifact.
 */
function longAttributes({ name: tag, attributes, line }: Element): Problem | undefined {
  let bytes = 0;
  for (const [name, value] of attributes) if (name !== 'input') bytes += utf8Length(name) + utf8Length(value);
  return bytes > MAX_INLINE_BYTES ? { kind: 'long-attributes', tag, limit: MAX_INLINE_BYTES, line } : undefined;
}

function partsOf({ attributes, body }: Element, rule: TagRule): Parts {
  const names = new Set([...rule.needs, ...rule.mayName]);
  const known = new Set([...names, ...rule.takes]);
  const given: [string, string][] = [];
  const free: [string, string][] = [];
  for (const [name, value] of attributes) {
    if (names.has(name)) given.push([name, value.trim()]);
    else if (!known.has(name)) free.push([name, value]);
    else if (name !== 'cd' || value !== '') given.push([name, value]);
  }
  const values: Record<string, string> = Object.fromEntries(given);
  return { body, needed: values, given: values, free: Object.fromEntries(free) };
}

function warningsOf({ name: tag, attributes, repeated, stray, line }: Element, rule: TagRule): readonly string[] {
  const where = `<${tag}> on line ${line} of the output`;
  const known = [...rule.needs, ...rule.mayName, ...rule.takes];
  const warnings: string[] = [];
  for (const [name, value] of attributes) {
    if (name === 'cd' && value === '' && known.includes(name)) warnings.push(`${where}: cd is empty and was ignored`);
    if (!known.includes(name)) warnings.push(...unknownAttribute(name, { tag, where, known }));
  }
  for (const name of repeated) {
    warnings.push(`${where}: the attribute ${clip(name, 60)} is written more than once; the last value counts`);
  }
  if (stray !== undefined) {
    warnings.push(`${where}: "${clip(stray, 60)}" was ignored; attributes are written name="value"`);
  }
  return warnings;
}

function unknownAttribute(
  name: string,
  { tag, where, known }: { readonly tag: string; readonly where: string; readonly known: readonly string[] },
): readonly string[] {
  const shown = clip(name, 60);
  const near = tag === 'fork' ? undefined : nearest(name, known);
  if (isTagName(tag) && isOwnAttribute(tag, name)) {
    if (near !== undefined)
      return [`${where}: ${shown} is passed on as an attribute of your own; did you mean ${near}?`];
    if (/^[A-Za-z_]\w*$/.test(name)) return [];
    return [
      `${where}: the attribute ${shown} reaches prompts as {{${shown}}}, but not scripts: it is not a valid variable name`,
    ];
  }
  const hint = near === undefined ? '' : `, did you mean ${near}?`;
  const takes = known.length === 0 ? 'it takes no attributes' : `it takes ${known.join(', ')}`;
  return [`${where} does not take the attribute ${shown}${hint} (${takes})`];
}

function cut(warnings: readonly string[]): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  return [...warnings.slice(0, MAX_WARNINGS), 'further warnings about this output are not shown'];
}

/** The single change that an output asks for. A fork's `input`, `attributes` and `delay` are for the forking agent itself. */
export type ChangeResult =
  | { readonly kind: 'one'; readonly tag: SingleTag }
  | {
      readonly kind: 'fork';
      readonly forks: readonly StartingTag[];
      readonly next: string;
      readonly input?: string;
      readonly attributes?: Attributes;
      readonly delay?: string;
    }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** What an output asks for, or its problem. */
export type Change = Exclude<ChangeResult, { readonly kind: 'problem' }>;

/** The number of tags that a problem lists. */
const SHOWN = 20;

/** Combines all tags of an output, or says why that is impossible; `open` is an unfinished tag. */
export function combineTags(tags: readonly Tag[], open?: OpenElement): ChangeResult {
  const [first, ...more] = tags;
  if (first === undefined) return { kind: 'problem', problem: noTag(open) };
  if (!isStarting(first) && more.length === 0) return { kind: 'one', tag: first };
  const forks = tags.filter(isStarting);
  const gotos = tags.filter((tag) => tag.kind === 'goto');
  if (forks.length === 0 || gotos.length > 1 || forks.length + gotos.length < tags.length) return several(tags);
  const continuations = [...forks.flatMap(({ next }) => next ?? []), ...gotos.map(({ target }) => target)];
  const [next, ...others] = new Set(continuations);
  if (next === undefined) {
    return {
      kind: 'problem',
      problem: { kind: 'missing-attribute', tag: forks[0]?.kind ?? 'fork', attribute: 'next' },
    };
  }
  if (others.length > 0) {
    return { kind: 'problem', problem: { kind: 'several-continuations', names: [next, ...others].slice(0, SHOWN) } };
  }
  const { input, attributes, delay } = gotos[0] ?? {};
  return { kind: 'fork', forks, next, ...defined({ input, attributes, delay }) };
}

function noTag(open: OpenElement | undefined): Problem {
  if (open === undefined) return { kind: 'no-tag' };
  const { name: tag, line, lacks } = open;
  return { kind: 'open-tag', tag, line, lacks };
}

function isStarting(tag: Tag): tag is StartingTag {
  return tag.kind === 'fork' || tag.kind === 'fork-workflow';
}

function several(tags: readonly Tag[]): ChangeResult {
  const shown = tags.slice(0, SHOWN).map(outlineTag);
  return { kind: 'problem', problem: { kind: 'several-tags', count: tags.length, tags: shown } };
}

/**
 * The tag as a state would write it. A value with both kinds of quotes cannot be written as an attribute: its double
 * quotes become single ones.
 */
export function renderTag(tag: Tag): string {
  const { body, attributes } = written(tag);
  const list = attributes.map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `<${tag.kind}${list.join('')}>${body}</${tag.kind}>`;
}

/** The tag in short: its name and body, without its attributes. */
function outlineTag(tag: Tag): string {
  const { body } = written(tag);
  return `<${tag.kind}>${clip(body.replace(/\s+/g, ' '), 40)}</${tag.kind}>`;
}

interface Written {
  readonly body: string;
  readonly attributes: readonly (readonly [string, string])[];
}

function written(tag: Tag): Written {
  switch (tag.kind) {
    case 'result':
      return { body: tag.payload, attributes: [] };
    case 'ask': {
      const { kind: _kind, prompt, ...attributes } = tag;
      return { body: prompt, attributes: Object.entries(attributes) };
    }
    case 'await': {
      const { kind: _kind, ...attributes } = tag;
      return { body: '', attributes: Object.entries(attributes) };
    }
    case 'goto':
    case 'reset':
    case 'call':
    case 'function':
    case 'fork': {
      const { kind: _kind, target, attributes = {}, ...ours } = tag;
      return { body: target, attributes: [...Object.entries(ours), ...Object.entries(attributes)] };
    }
    default: {
      const { kind: _kind, target, ...attributes } = tag;
      return { body: target, attributes: Object.entries(attributes) };
    }
  }
}

function quoted(value: string): string {
  if (!value.includes('"')) return `"${value}"`;
  return value.includes("'") ? `"${value.replaceAll('"', "'")}"` : `'${value}'`;
}
