// Attributes that cannot be read: what they were meant to carry is never lost without a word.
import { describe, expect, test } from '@jest/globals';
import { parseTags } from '../../../src/protocol/language/parse.js';

describe('an attribute that cannot be read is a problem, for its value would be lost', () => {
  test.each([
    ['<goto input=3>B</goto>', 'input=3'],
    ['<goto input=three apples>B</goto>', 'input=three apples'],
    ['<goto input=>B</goto>', 'input='],
    ['<goto input= "x">B</goto>', 'input= "x"'],
    ['<goto input=“x”>B</goto>', 'input=“x”'],
    ['<goto input: "x">B</goto>', 'input: "x"'],
    ['<goto delay="2s" input=3>B</goto>', 'input=3'],
    ['<goto then input=3 delay="2s">B</goto>', 'then input=3'],
    ['<call return=C>B</call>', 'return=C'],
    ['<await next=JOIN/>', 'next=JOIN/'],
    ['<result type=text>x</result>', 'type=text'],
    [`<goto input='x">B</goto>`, `input='x"`],
    ['<goto input="x>B</goto>', 'input="x'],
    [`<goto input='don't stop'>B</goto>`, `t stop'`],
    ['<goto input="say "hi"">B</goto>', 'hi""'],
    // The quote that is missing is taken from the next tag, or from the words behind.
    ['<fork input="a>W</fork><fork next="C" input="b">W</fork>', 'C"'],
    ['<goto input="x>B</goto> "so" <goto>C</goto>', 'input="x>B</goto> "so"'],
    ['<goto input="x>B</goto> said "yes', 'input="x>B</goto> said "yes'],
    ['<goto input=a<b>B</goto>', 'input=a'],
    ['<await next="JOIN" <goto>B</goto>', 'next="JOIN"'],
  ])('%s', (text, malformed) => {
    expect(parseTags(text)).toEqual({
      kind: 'problem',
      problem: { kind: 'malformed-attribute', tag: /\w+/.exec(text)?.[0], text: malformed, line: 1 },
    });
  });

  test('a tag beside it does not hide it', () => {
    const problem = { kind: 'malformed-attribute', tag: 'fork', text: 'item=tea', line: 2 };
    expect(parseTags('<goto>B</goto>\n<fork item=tea>W</fork>')).toEqual({ kind: 'problem', problem });
  });

  test.each([
    'if (a <goto && b == c) <b>x</b>',
    '<goto-x input=3>B</goto-x>',
    '<a href=x>text</a> <print level=3>x</print>',
    '<goto input=3>B',
    'input=3 <result>',
  ])('what is no tag may hold anything: %s', (text) => {
    expect(parseTags(text)).toMatchObject({ kind: 'tags', tags: [], warnings: [] });
  });
});
