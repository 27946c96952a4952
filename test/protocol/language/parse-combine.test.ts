// How many tags make one transition.
import { describe, expect, test } from '@jest/globals';
import { combineTags, parseTags } from '../../../src/protocol/language/parse.js';
import type { ForkTag, Tag } from '../../../src/protocol/language/tag.js';

const fork = (target: string, next?: string): ForkTag => ({
  kind: 'fork',
  target,
  attributes: { item: target },
  ...(next === undefined ? {} : { next }),
});
const goto = (target: string, input?: string): Tag => ({
  kind: 'goto',
  target,
  ...(input === undefined ? {} : { input }),
});
const result: Tag = { kind: 'result', payload: 'done  and\ndone' };

test.each<Tag>([
  goto('B', 'x'),
  { kind: 'reset', target: 'B', cd: '/tmp' },
  { kind: 'call', target: 'B', return: 'C' },
  { kind: 'function', target: 'B', return: 'C' },
  result,
])('a single $kind is taken as it is', (tag) => {
  expect(combineTags([tag])).toEqual({ kind: 'one', tag });
});

test('no tag is a problem', () => {
  expect(combineTags([])).toEqual({ kind: 'problem', problem: { kind: 'no-tag' } });
});

test.each<[string, string, object]>([
  ['a slash', 'So:\n<goto>START<goto>', { kind: 'open-tag', tag: 'goto', line: 2, lacks: 'slash' }],
  [
    'a slash, with an attribute',
    '<call return="A > B">START<call>',
    { kind: 'open-tag', tag: 'call', line: 1, lacks: 'slash' },
  ],
  ['a closing tag', 'So:\n\n<result>done', { kind: 'open-tag', tag: 'result', line: 3, lacks: 'closing' }],
  ['nothing, because it is only like one', '<gotos>A<gotos> a <goto/> and < b', { kind: 'no-tag' }],
])('the first tag of an output without any is reported when it lacks %s', (_what, text, problem) => {
  const parsed = parseTags(text);
  if (parsed.kind === 'problem') throw new Error(parsed.problem.kind);
  expect(combineTags(parsed.tags, parsed.open)).toEqual({ kind: 'problem', problem });
});

test('a tag that is never closed is not reported beside one that counts', () => {
  expect(parseTags('<goto>A<goto> <result>x</result>')).toMatchObject({ tags: [{ kind: 'result' }] });
  expect(parseTags('<goto>A<goto> <result>x</result>')).not.toHaveProperty('open');
});

describe('forks with one continuation are one transition', () => {
  test.each<[string, readonly Tag[], object]>([
    ['one fork', [fork('W', 'C')], { forks: [fork('W', 'C')], next: 'C' }],
    [
      'forks that all name next',
      [fork('W', 'C'), fork('V', 'C')],
      { forks: [fork('W', 'C'), fork('V', 'C')], next: 'C' },
    ],
    ['forks of which one names next', [fork('W'), fork('V', 'C')], { forks: [fork('W'), fork('V', 'C')], next: 'C' }],
    ['a fork and a goto', [fork('W'), goto('C')], { forks: [fork('W')], next: 'C' }],
    [
      'a goto between forks, with an input',
      [fork('W', 'C'), goto('C', 'x'), fork('V')],
      { forks: [fork('W', 'C'), fork('V')], next: 'C', input: 'x' },
    ],
    [
      'a goto with attributes of its own',
      [fork('W'), { kind: 'goto', target: 'C', attributes: { n: '1' } }],
      { forks: [fork('W')], next: 'C', attributes: { n: '1' } },
    ],
    [
      'a goto with a delay',
      [fork('W'), { kind: 'goto', target: 'C', delay: '5m' }],
      { forks: [fork('W')], next: 'C', delay: '5m' },
    ],
  ])('%s', (_title, tags, combined) => {
    expect(combineTags(tags)).toEqual({ kind: 'fork', ...combined });
  });
});

describe('other combinations are problems', () => {
  const missing = { kind: 'missing-attribute', tag: 'fork', attribute: 'next' };
  test.each<[string, readonly Tag[], object]>([
    ['one fork without next', [fork('W')], missing],
    ['forks without any next', [fork('W'), fork('V')], missing],
    ['forks that disagree', [fork('W', 'C'), fork('V', 'D')], { kind: 'several-continuations', names: ['C', 'D'] }],
    [
      'a fork and a goto that disagree',
      [fork('W', 'C'), goto('D')],
      { kind: 'several-continuations', names: ['C', 'D'] },
    ],
    [
      'a fork and two gotos',
      [fork('W'), goto('C'), goto('C')],
      { kind: 'several-tags', count: 3, tags: ['<fork>W</fork>', '<goto>C</goto>', '<goto>C</goto>'] },
    ],
    [
      'a fork and a result',
      [fork('W', 'C'), result],
      { kind: 'several-tags', count: 2, tags: ['<fork>W</fork>', '<result>done and done</result>'] },
    ],
    [
      'two gotos',
      [goto('B'), goto('B')],
      { kind: 'several-tags', count: 2, tags: ['<goto>B</goto>', '<goto>B</goto>'] },
    ],
  ])('%s', (_title, tags, problem) => {
    expect(combineTags(tags)).toEqual({ kind: 'problem', problem });
  });

  test('very many tags are counted, but only the first are shown, in short', () => {
    const long: Tag = { kind: 'result', payload: 'x'.repeat(1000) };
    const combined = combineTags(Array.from({ length: 5000 }, () => long));
    expect(combined).toMatchObject({ problem: { kind: 'several-tags', count: 5000 } });
    expect(JSON.stringify(combined).length).toBeLessThan(2000);
  });
});
