// Random tags for property tests: only what has a spelling, so that writing and reading must agree.
import fc from 'fast-check';
import type { Tag } from '../../../src/protocol/language/tag.js';

const RESERVED = ['next', 'cd', 'input', 'task'];

/** Names of states: all texts that a tag can hold as a name. */
export const stateName = fc
  .oneof(
    fc.stringMatching(/^[A-Z][A-Z0-9_-]{0,8}(\.(md|sh|bat|ps1))?$/),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .map((name) => name.replace(/[/\\<]/g, '').trim())
  .filter((name) => name !== '' && !(name.includes('"') && name.includes("'")));

/** Values that have a spelling in quotes, tags and angle brackets included. */
export const attributeValue = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('', '<goto>X</goto>', '>', "it's", 'say "hi"', 'two\nlines', '</fork>', 'a=b'),
  )
  .filter((value) => !(value.includes('"') && value.includes("'")));

const attributeName = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z_]\w{0,8}$/),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'issue-id', '7'),
  )
  .filter((name) => !RESERVED.includes(name));

const payload = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('<', '').trim());
const input = fc.option(attributeValue, { nil: undefined });
const cd = fc.option(
  attributeValue.filter((value) => value !== ''),
  { nil: undefined },
);

const specifier = fc.constantFrom('../other/', 'sub/STATE', '../flow.zip', '../flow.yaml/START', 'x y/');

/** Free attributes of a fork. */
export const attributes = fc
  .array(fc.tuple(attributeName, attributeValue), { maxLength: 4 })
  .map((pairs): Readonly<Record<string, string>> => Object.fromEntries(pairs));

/** Any tag that can be written. */
export const tag: fc.Arbitrary<Tag> = fc
  .oneof(
    fc.record({
      kind: fc.constant('goto' as const),
      target: stateName,
      input,
      delay: fc.constantFrom(undefined, '5m'),
    }),
    fc.record({ kind: fc.constant('reset' as const), target: stateName, input, cd }),
    fc.record({
      kind: fc.constantFrom('call' as const, 'function' as const),
      target: stateName,
      return: stateName,
      input,
    }),
    fc.record({
      kind: fc.constant('fork' as const),
      target: stateName,
      next: fc.option(stateName, { nil: undefined }),
      input,
      cd,
      task: fc.constantFrom(undefined, 'new' as const, 'inherit' as const),
      attributes,
    }),
    fc.record({ kind: fc.constant('result' as const), payload }),
    fc.record({ kind: fc.constant('await' as const), next: stateName }),
    fc.record({
      kind: fc.constant('ask' as const),
      prompt: payload.filter((text) => text !== ''),
      next: stateName,
      timeout: fc.constantFrom(undefined, '90', '1.5h', '7d'),
    }),
    fc.record({
      kind: fc.constantFrom('call-workflow' as const),
      target: specifier,
      return: stateName,
      input,
    }),
    fc.record({ kind: fc.constant('function-workflow' as const), target: specifier, return: stateName, input, cd }),
    fc.record({
      kind: fc.constant('fork-workflow' as const),
      target: specifier,
      next: fc.option(stateName, { nil: undefined }),
      input,
      cd,
      task: fc.constantFrom(undefined, 'new' as const, 'inherit' as const),
    }),
    fc.record({
      kind: fc.constant('reset-workflow' as const),
      target: specifier,
      input,
      cd,
      task: fc.constantFrom(undefined, 'new' as const),
    }),
  )
  .map((drawn) => withoutUndefined(drawn) as Tag);

function withoutUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
