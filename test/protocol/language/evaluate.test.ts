// What an evaluator says about an output, and what the answers of judges mean.
import { describe, expect, test } from '@jest/globals';
import {
  changeIn,
  filledChange,
  isKeep,
  objectionTo,
  renderChange,
  type Pattern,
} from '../../../src/protocol/language/evaluate.js';
import type { Change } from '../../../src/protocol/language/parse.js';

function change(text: string): Change {
  const read = changeIn(text);
  if (read.kind === 'problem') throw new Error(read.problem.kind);
  return read;
}

const patterns: readonly Pattern[] = ['TODO', 'TO'].map((match, index) => ({
  match,
  instead: change(`<goto>FIX${index}</goto>`),
  line: index,
}));
const judge = { state: 'JUDGE', line: 9 };
const matches = ({ match }: Pattern, text: string): boolean => text.includes(match);

describe('an evaluator', () => {
  test.each([
    ['takes the first pattern that matches', 'a TODO', { kind: 'pattern', pattern: patterns[0] }],
    ['takes a later pattern when the first one does not match', 'a TO', { kind: 'pattern', pattern: patterns[1] }],
    ['asks its judge when none matches', 'done', { kind: 'judge', judge }],
  ])('%s', (_what, text, expected) => {
    expect(objectionTo({ patterns, judge, matches }, text)).toEqual(expected);
  });

  test('says nothing when no pattern matches and there is no judge', () => {
    expect(objectionTo({ patterns, matches }, 'done')).toBeUndefined();
  });
});

test.each([
  ['<result>keep</result>', true],
  ['Fine. <result> Keep\n</result>', true],
  ['<result>keep it</result>', false],
  ['<goto>keep</goto>', false],
])('%s lets a transition stand: %s', (text, expected) => {
  expect(isKeep(change(text))).toBe(expected);
});

test.each([
  '<goto input="x">A</goto>',
  '<result>done</result>',
  '<fork next="B" item="1">A</fork>\n<fork next="B">C</fork>',
])('%s is written as it was read', (text) => {
  expect(renderChange(change(text))).toBe(text);
});

test('variables are filled into every input of a change, and nowhere else', () => {
  const filled = (text: string): string => renderChange(filledChange(change(text), { item: 'tea' }));
  expect(filled('<goto input="{{item}}">A</goto>')).toBe('<goto input="tea">A</goto>');
  expect(filled('<result>{{item}}</result>')).toBe('<result>{{item}}</result>');
  expect(filled('<fork next="B" input="{{item}}">A</fork>')).toBe('<fork next="B" input="tea">A</fork>');
});
