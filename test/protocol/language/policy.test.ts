// What a policy says: which names it holds, which transition it means without a tag, and what it allows after names were resolved.
import { describe, expect, test } from '@jest/globals';
import {
  disallowed,
  literalTag,
  implicitTag,
  NO_POLICY,
  policyNames,
  policyProblems,
  type AllowedTransition,
  type Policy,
} from '../../../src/protocol/language/policy.js';
import { combineTags, parseTags } from '../../../src/protocol/language/parse.js';
import type { Problem } from '../../../src/protocol/language/problem.js';
import { resolveChange } from '../../../src/protocol/language/resolve.js';
import type { TagName } from '../../../src/protocol/language/tag.js';

const FOLDER = { files: ['A.md', 'B.sh', 'C.md', 'V1.2', 'AB.md', 'A.txt'], platform: 'unix' } as const;

type Entry = Readonly<Record<string, string>> & { readonly tag: TagName };

function policyOf(...entries: readonly Entry[]): Policy {
  const allowed = entries.map(({ tag, ...attributes }, index): AllowedTransition => {
    return { tag, attributes, line: index + 3 };
  });
  return { allowed, forceImplicit: false };
}

/** What the policy says to an output, from its text on. */
function judge(output: string, policy: Policy): Problem | undefined {
  const parsed = parseTags(output);
  if (parsed.kind === 'problem') return parsed.problem;
  const combined = combineTags(parsed.tags);
  if (combined.kind === 'problem') return combined.problem;
  const resolved = resolveChange(combined, FOLDER);
  return resolved.kind === 'problem' ? resolved.problem : disallowed(policy, resolved.change);
}

describe('an output is allowed by', () => {
  test.each<[string, readonly Entry[]]>([
    ['<goto>A</goto>', [{ tag: 'goto', target: 'A' }]],
    ['<goto>A.md</goto>', [{ tag: 'goto', target: 'A' }]],
    ['<goto>A</goto>', [{ tag: 'goto', target: 'A.md' }]],
    ['<goto>B</goto>', [{ tag: 'goto', target: 'B.sh' }]],
    ['<goto>V1.2</goto>', [{ tag: 'goto', target: 'V1.2' }]],
    ['<goto input="anything">A</goto>', [{ tag: 'goto', target: 'A', input: 'something' }]],
    ['<goto>C</goto>', [{ tag: 'goto' }]],
    [
      '<goto>C</goto>',
      [
        { tag: 'goto', target: 'A' },
        { tag: 'goto', target: 'C' },
      ],
    ],
    ['<reset cd="/tmp">A</reset>', [{ tag: 'reset', target: 'A' }]],
    ['<call return="B">A</call>', [{ tag: 'call', target: 'A', return: 'B.sh' }]],
    ['<call return="B">A</call>', [{ tag: 'call', target: 'A' }]],
    ['<function return="B">A</function>', [{ tag: 'function', return: 'B' }]],
    ['<result>  yes </result>', [{ tag: 'result', payload: 'yes' }]],
    ['<result>whatever</result>', [{ tag: 'result' }]],
    ['<result></result>', [{ tag: 'result', payload: '' }]],
    ['<fork next="B" item="1">A</fork>', [{ tag: 'fork', target: 'A', next: 'B', item: '2' }]],
    ['<fork>A</fork><fork next="C">A</fork>', [{ tag: 'fork', target: 'A', next: 'C' }]],
    ['<fork>A</fork><goto>C</goto>', [{ tag: 'fork', target: 'A', next: 'C.md' }]],
    [
      '<fork next="C">A</fork><fork next="C">B</fork>',
      [
        { tag: 'fork', target: 'A' },
        { tag: 'fork', target: 'B' },
      ],
    ],
  ])('%s: %j', (output, entries) => {
    expect(judge(output, policyOf(...entries))).toBeUndefined();
  });
});

describe('an output is not allowed by', () => {
  test.each<[string, readonly Entry[], string]>([
    ['<goto>C</goto>', [{ tag: 'goto', target: 'A' }], '<goto>C.md</goto>'],
    ['<goto>AB</goto>', [{ tag: 'goto', target: 'A' }], '<goto>AB.md</goto>'],
    ['<goto>A.txt</goto>', [{ tag: 'goto', target: 'A' }], '<goto>A.txt</goto>'],
    ['<goto>A</goto>', [{ tag: 'goto', target: 'A.sh' }], '<goto>A.md</goto>'],
    ['<reset>A</reset>', [{ tag: 'goto', target: 'A' }], '<reset>A.md</reset>'],
    ['<call return="B">A</call>', [{ tag: 'call', target: 'A', return: 'C' }], '<call return="B.sh">A.md</call>'],
    ['<result>no</result>', [{ tag: 'result', payload: 'yes' }], '<result>no</result>'],
    ['<result>YES</result>', [{ tag: 'result', payload: 'yes' }], '<result>YES</result>'],
    ['<result>yes</result>', [{ tag: 'goto', target: 'A' }], '<result>yes</result>'],
    ['<fork next="C">A</fork>', [{ tag: 'fork', target: 'A', next: 'B' }], '<fork next="C.md">A.md</fork>'],
    ['<fork next="C">A</fork><fork>B</fork>', [{ tag: 'fork', target: 'A' }], '<fork next="C.md">B.sh</fork>'],
    ['<fork>A</fork><goto>C</goto>', [{ tag: 'fork', target: 'A', next: 'B' }], '<fork next="C.md">A.md</fork>'],
    ['<fork>A</fork><goto>C</goto>', [{ tag: 'goto', target: 'C' }], '<fork next="C.md">A.md</fork>'],
  ])('%s: %j', (output, entries, shown) => {
    expect(judge(output, policyOf(...entries))).toMatchObject({ kind: 'not-allowed', tag: shown });
  });
});

test('without entries everything is allowed', () => {
  expect(judge('<goto>A</goto>', NO_POLICY)).toBeUndefined();
});

test('the problem lists what is allowed, in short', () => {
  const policy = policyOf(
    { tag: 'goto', target: 'A', input: 'long text' },
    { tag: 'call', target: 'A' },
    { tag: 'result', payload: 'x'.repeat(100) },
    { tag: 'result' },
  );
  expect(judge(`<reset>A</reset>`, policy)).toEqual({
    kind: 'not-allowed',
    tag: '<reset>A.md</reset>',
    allowed: [
      '<goto>A</goto>',
      '<call return="STATE">A</call>',
      `<result>${'x'.repeat(59)}…</result>`,
      '<result>…</result>',
    ],
    count: 4,
  });
  const many = policyOf(...Array.from({ length: 30 }, (_, n): Entry => ({ tag: 'goto', target: `S${n}` })));
  const problem = judge(`<result>${'y'.repeat(100_000)}</result>`, many);
  expect(problem).toMatchObject({ count: 30 });
  expect(JSON.stringify(problem).length).toBeLessThan(1000);
});

describe('the transition that is meant without a tag', () => {
  test.each<[string, readonly Entry[], object | undefined]>([
    ['goto', [{ tag: 'goto', target: 'A' }], { kind: 'goto', target: 'A' }],
    ['reset with cd', [{ tag: 'reset', target: 'A', cd: 'x' }], { kind: 'reset', target: 'A', cd: 'x' }],
    ['reset with an empty cd', [{ tag: 'reset', target: 'A', cd: '' }], { kind: 'reset', target: 'A' }],
    ['call', [{ tag: 'call', target: 'A', return: 'B' }], { kind: 'call', target: 'A', return: 'B' }],
    ['a fixed result', [{ tag: 'result', payload: 'ok' }], { kind: 'result', payload: 'ok' }],
    ['an empty result', [{ tag: 'result', payload: '' }], { kind: 'result', payload: '' }],
    [
      'fork, its attributes as they are',
      [{ tag: 'fork', target: 'A', next: 'B', item: '{{x}}', task: 'new' }],
      { kind: 'fork', target: 'A', next: 'B', task: 'new', attributes: { item: '{{x}}' } },
    ],
    [
      'input, filled',
      [{ tag: 'goto', target: 'A', input: '{{x}} and {{y}}' }],
      { kind: 'goto', target: 'A', input: '1 and {{y}}' },
    ],
    ['none of a result that is open', [{ tag: 'result' }], undefined],
    ['none without a target', [{ tag: 'goto' }], undefined],
    ['none of a call without return', [{ tag: 'call', target: 'A' }], undefined],
    ['none of a fork without next', [{ tag: 'fork', target: 'A' }], undefined],
    [
      'none of two',
      [
        { tag: 'goto', target: 'A' },
        { tag: 'goto', target: 'B' },
      ],
      undefined,
    ],
    ['of an await', [{ tag: 'await', next: 'A' }], { kind: 'await', next: 'A' }],
    ['none of nothing', [], undefined],
  ])('%s', (_title, entries, tag) => {
    expect(implicitTag(policyOf(...entries), { x: '1' })).toEqual(tag);
  });
});

describe('an entry as a tag to copy', () => {
  test.each<[Entry, string]>([
    [{ tag: 'goto', target: 'A' }, '<goto>A</goto>'],
    [{ tag: 'goto' }, '<goto>STATE</goto>'],
    [{ tag: 'call', target: 'A' }, '<call return="STATE">A</call>'],
    [{ tag: 'function', return: 'B', target: 'A', input: '{{x}}' }, '<function return="B" input="1">A</function>'],
    [{ tag: 'fork', target: 'A', item: 'say "hi"' }, `<fork item='say "hi"'>A</fork>`],
    [{ tag: 'result' }, '<result>…</result>'],
    [{ tag: 'result', payload: 'ok' }, '<result>ok</result>'],
  ])('%j', ({ tag, ...attributes }, text) => {
    expect(literalTag({ tag, attributes }, { x: '1' })).toBe(text);
  });
});

test('the names of a policy are its targets, returns and nexts, each once', () => {
  const policy = policyOf(
    { tag: 'call', target: 'A', return: 'B' },
    { tag: 'fork', target: 'A', next: 'C', item: 'D' },
    { tag: 'result', payload: 'E' },
    { tag: 'goto' },
  );
  expect(policyNames(policy)).toEqual(['A', 'B', 'C']);
});

test('names that are no states are problems at the lines of their entries', () => {
  const policy = policyOf(
    { tag: 'goto', target: 'A' },
    { tag: 'call', target: 'NONE', return: 'B' },
    { tag: 'fork', target: 'B', next: 'a/C' },
  );
  expect(policyProblems(policy, FOLDER)).toEqual([
    { key: 'allowed_transitions', line: 4, problem: expect.objectContaining({ kind: 'unknown-state', name: 'NONE' }) },
    { key: 'allowed_transitions', line: 5, problem: expect.objectContaining({ kind: 'unknown-state', name: 'a/C' }) },
  ]);
});
