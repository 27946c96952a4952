// The grammar of tags: one table per rule.
import { describe, expect, test } from '@jest/globals';
import { parseTags } from '../../../src/protocol/language/parse.js';
import type { Problem } from '../../../src/protocol/language/problem.js';
import type { Tag } from '../../../src/protocol/language/tag.js';

function tagsOf(text: string): readonly Tag[] {
  const parsed = parseTags(text);
  if (parsed.kind === 'problem') throw new Error(JSON.stringify(parsed.problem));
  return parsed.tags;
}

function warningsOf(text: string): readonly string[] {
  const parsed = parseTags(text);
  return parsed.kind === 'tags' ? parsed.warnings : [];
}

const GOTO_B: Tag = { kind: 'goto', target: 'B' };

describe('every tag is read with its attributes', () => {
  test.each<[string, Tag]>([
    ['<goto>B.md</goto>', { kind: 'goto', target: 'B.md' }],
    ['<goto input="x">B</goto>', { kind: 'goto', target: 'B', input: 'x' }],
    ['<goto input="">B</goto>', { kind: 'goto', target: 'B', input: '' }],
    ['<reset cd="/tmp" input=\'y\'>B</reset>', { kind: 'reset', target: 'B', input: 'y', cd: '/tmp' }],
    ['<call return="C">B</call>', { kind: 'call', target: 'B', return: 'C' }],
    ['<call return=" C " input=" i ">B</call>', { kind: 'call', target: 'B', return: 'C', input: ' i ' }],
    ['<function return="C" input="x">B</function>', { kind: 'function', target: 'B', return: 'C', input: 'x' }],
    ['<goto item="a b">B</goto>', { kind: 'goto', target: 'B', attributes: { item: 'a b' } }],
    ['<reset n="1" cd="/x">B</reset>', { kind: 'reset', target: 'B', cd: '/x', attributes: { n: '1' } }],
    ['<call return="C" n="1">B</call>', { kind: 'call', target: 'B', return: 'C', attributes: { n: '1' } }],
    ['<function return="C" n="1">B</function>', { kind: 'function', target: 'B', return: 'C', attributes: { n: '1' } }],
    ['<fork next="C">W</fork>', { kind: 'fork', target: 'W', next: 'C', attributes: {} }],
    ['<fork>W</fork>', { kind: 'fork', target: 'W', attributes: {} }],
    [
      '<fork next=" C " item="a b" cd="../w" input="x" priority="high">W</fork>',
      {
        kind: 'fork',
        target: 'W',
        next: 'C',
        cd: '../w',
        input: 'x',
        attributes: { item: 'a b', priority: 'high' },
      },
    ],
    ['<result>done</result>', { kind: 'result', payload: 'done' }],
    ['<result></result>', { kind: 'result', payload: '' }],
    ['<result> \n two\n lines \t</result>', { kind: 'result', payload: 'two\n lines' }],
    ['<goto>\n  B.md\n</goto>', { kind: 'goto', target: 'B.md' }],
  ])('%s', (text, tag) => {
    expect(parseTags(text)).toEqual({ kind: 'tags', tags: [tag], warnings: [] });
  });
});

describe('only new and inherit are tasks of a fork', () => {
  test.each([
    ['new', { task: 'new', attributes: { a: '1' } }],
    ['inherit', { task: 'inherit', attributes: { a: '1' } }],
    ['new" context="branch', { task: 'new', context: 'branch', attributes: { a: '1' } }],
    ['x" context="long', { attributes: { a: '1', task: 'x', context: 'long' } }],
    ['refactor', { attributes: { a: '1', task: 'refactor' } }],
    ['', { attributes: { a: '1', task: '' } }],
  ])('task="%s"', (task, rest) => {
    const text = `<fork next="C" a="1" task="${task}">W</fork>`;
    expect(parseTags(text)).toEqual({
      kind: 'tags',
      tags: [{ kind: 'fork', target: 'W', next: 'C', ...rest }],
      warnings: [],
    });
  });
});

describe('what is a tag and what is not', () => {
  test.each<[string, string, readonly Tag[]]>([
    ['no tag at all', 'nothing < here > </goto>', []],
    ['a longer word', '<resultant>x</resultant></result>', []],
    ['a name with a dash', '<goto-x>B</goto-x></goto>', []],
    ['an upper-case name', '<GOTO>B</GOTO>', []],
    ['an unknown name', '<print>B</print>', []],
    ['an empty element', '<result/> text </result>', []],
    ['an opening without a closing tag', 'I could <goto>B and then', []],
    ['a closing tag before its opening', '</goto><goto>B', []],
    ['a closing tag with a space', '<goto>B</goto >', []],
    ['a tag in prose', 'so I write <goto>B</goto>, done', [GOTO_B]],
    ['a tag in a code fence', '```\n<goto>B</goto>\n```', [GOTO_B]],
    ['an open tag before a whole one', 'not <result but <goto>B</goto></result>', [GOTO_B]],
    ['an open tag of the same name before a whole one', '<goto <goto>B</goto>', [GOTO_B]],
    ['an unclosed opening before a whole one', '<result> <goto>B</goto>', [GOTO_B]],
    [
      'a tag inside a tag',
      '<result>see <goto>B</goto></result>',
      [{ kind: 'result', payload: 'see <goto>B</goto>' }, GOTO_B],
    ],
    ['the first closing tag ends the body', '<result>a</result> b</result>', [{ kind: 'result', payload: 'a' }]],
    ['white space after the name', '<goto\n>B</goto>', [GOTO_B]],
    ['two tags', '<goto>B</goto><goto>C</goto>', [GOTO_B, { kind: 'goto', target: 'C' }]],
  ])('%s', (_title, text, tags) => {
    expect(tagsOf(text)).toEqual(tags);
  });
});

describe('attributes', () => {
  test.each<[string, string, Tag]>([
    [
      '> and < may stand in quotes',
      '<goto input="a > b < c">B</goto>',
      { kind: 'goto', target: 'B', input: 'a > b < c' },
    ],
    [
      'a tag in quotes is no tag',
      '<goto input="<goto>X</goto>">B</goto>',
      { kind: 'goto', target: 'B', input: '<goto>X</goto>' },
    ],
    [
      'either quote may hold the other',
      `<goto input='say "hi"'>B</goto>`,
      { kind: 'goto', target: 'B', input: 'say "hi"' },
    ],
    ['lines may break in quotes', '<goto input="a\nb">B</goto>', { kind: 'goto', target: 'B', input: 'a\nb' }],
    ['nothing is unescaped', '<goto input="&lt;\\n">B</goto>', { kind: 'goto', target: 'B', input: '&lt;\\n' }],
    ['the last of equal names counts', '<goto input="1" input="2">B</goto>', { kind: 'goto', target: 'B', input: '2' }],
    [
      'no space is needed between them',
      '<call return="C"input="x">B</call>',
      { kind: 'call', target: 'B', return: 'C', input: 'x' },
    ],
    ['an apostrophe in prose opens nothing', "<goto that isn't>B</goto>", GOTO_B],
    [
      'names of object members are ordinary names',
      '<fork __proto__="1" constructor="2" next="C">W</fork>',
      {
        kind: 'fork',
        target: 'W',
        next: 'C',
        attributes: Object.fromEntries([
          ['__proto__', '1'],
          ['constructor', '2'],
        ]),
      },
    ],
  ])('%s', (_title, text, tag) => {
    expect(tagsOf(text)).toEqual([tag]);
  });

  test('free attributes keep the order in which they were written', () => {
    const [fork] = tagsOf('<fork z="1" a="2" next="C" m="3" z="4">W</fork>');
    expect(fork?.kind === 'fork' && Object.entries(fork.attributes)).toEqual([
      ['z', '4'],
      ['a', '2'],
      ['m', '3'],
    ]);
  });
});

describe('mistakes are problems with the line of the tag', () => {
  const long = 'x'.repeat(256);
  test.each<[string, Problem]>([
    ['\n\n<goto></goto>', { kind: 'empty-target', tag: 'goto', line: 3 }],
    ['<reset> \n </reset>', { kind: 'empty-target', tag: 'reset', line: 1 }],
    ['\r\n<goto>a/B.md</goto>', { kind: 'path-in-target', tag: 'goto', target: 'a/B.md', line: 2 }],
    ['<fork next="C">..\\W</fork>', { kind: 'path-in-target', tag: 'fork', target: '..\\W', line: 1 }],
    ['<call return="x/C">B</call>', { kind: 'path-in-target', tag: 'call', target: 'x/C', line: 1 }],
    ['<fork next="x\\C">W</fork>', { kind: 'path-in-target', tag: 'fork', target: 'x\\C', line: 1 }],
    ['<call>B</call>', { kind: 'missing-attribute', tag: 'call', attribute: 'return', line: 1 }],
    [
      'x\n<function input="y">B</function>',
      { kind: 'missing-attribute', tag: 'function', attribute: 'return', line: 2 },
    ],
    ['<call return=" ">B</call>', { kind: 'missing-attribute', tag: 'call', attribute: 'return', line: 1 }],
    ['<fork next="">W</fork>', { kind: 'missing-attribute', tag: 'fork', attribute: 'next', line: 1 }],
    [`<goto>${long}</goto>`, { kind: 'long-target', tag: 'goto', target: `${'x'.repeat(59)}…`, line: 1 }],
    [
      `<fork next="C" a="${'x'.repeat(20_000)}" b="${'é'.repeat(10_000)}">W</fork>`,
      { kind: 'long-attributes', tag: 'fork', limit: 32768, line: 1 },
    ],
    ['<goto>B</goto>\n<goto></goto>\n<call>B</call>', { kind: 'empty-target', tag: 'goto', line: 2 }],
  ])('%.60s', (text, problem) => {
    expect(parseTags(text)).toEqual({ kind: 'problem', problem });
  });

  test('an input may be long, a name of 255 characters too', () => {
    const [goto] = tagsOf(`<goto input="${'x'.repeat(100_000)}">${'B'.repeat(255)}</goto>`);
    expect(goto?.kind === 'goto' && goto.input?.length).toBe(100_000);
  });
});

describe('what a tag does not take is a warning', () => {
  test.each([
    [
      '\n<goto cd="/tmp">B</goto>',
      '<goto> on line 2 of the output does not take the attribute cd (it takes input, delay)',
    ],
    [
      '<call return="C" cd="x">B</call>',
      '<call> on line 1 of the output does not take the attribute cd (it takes return, input)',
    ],
    [
      '<reset cwd="/tmp">B</reset>',
      '<reset> on line 1 of the output: cwd is passed on as an attribute of your own; did you mean cd?',
    ],
    [
      '<goto INPUT="x">B</goto>',
      '<goto> on line 1 of the output: INPUT is passed on as an attribute of your own; did you mean input?',
    ],
    [
      '<goto my-input="x">B</goto>',
      '<goto> on line 1 of the output: the attribute my-input reaches prompts as {{my-input}}, but not scripts: it is not a valid variable name',
    ],
    [
      '<result ok="1">x</result>',
      '<result> on line 1 of the output does not take the attribute ok (it takes no attributes)',
    ],
    [
      '<fork next="C" issue-id="7">W</fork>',
      '<fork> on line 1 of the output: the attribute issue-id reaches prompts as {{issue-id}}, but not scripts: it is not a valid variable name',
    ],
    [
      '<goto and then>B</goto>',
      '<goto> on line 1 of the output: "and then" was ignored; attributes are written name="value"',
    ],
    [
      '<goto input="1" input="2" input="3">B</goto>',
      '<goto> on line 1 of the output: the attribute input is written more than once; the last value counts',
    ],
    ['<reset cd="">B</reset>', '<reset> on line 1 of the output: cd is empty and was ignored'],
  ])('%s', (text, warning) => {
    expect(warningsOf(text)).toEqual([warning]);
  });

  test('a dashed attribute of a fork is kept for prompts', () => {
    expect(tagsOf('<fork next="C" issue-id="7">W</fork>')).toEqual([
      { kind: 'fork', target: 'W', next: 'C', attributes: { 'issue-id': '7' } },
    ]);
  });

  test('of very many warnings the first twenty are given, and that there are more', () => {
    const warnings = warningsOf('<await next="B" x="1"/>\n'.repeat(1000));
    expect(warnings).toHaveLength(21);
    expect(warnings[19]).toContain('on line 20 of');
    expect(warnings[20]).toContain('further warnings');
  });
});
