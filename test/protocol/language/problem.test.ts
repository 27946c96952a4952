// Every problem says what is wrong and what to do about it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { describeProblem, type Problem } from '../../../src/protocol/language/problem.js';
import { sectionOf } from '../../support/fenced-blocks.js';
import { fits } from '../../support/language-check.js';

/** A sample of every kind, and what its text must say. */
const SAMPLES: { readonly [K in Problem['kind']]: readonly [Problem & { readonly kind: K }, readonly string[]] } = {
  'no-tag': [{ kind: 'no-tag' }, ['no transition tag', 'exactly one', '<goto>NEXT</goto>', '<result>…</result>']],
  'open-tag': [
    { kind: 'open-tag', tag: 'goto', line: 2, lacks: 'slash' },
    ['<goto> on line 2', 'never closed', 'the closing tag lacks its slash', 'write <goto>STATE</goto>'],
  ],
  'several-tags': [
    { kind: 'several-tags', count: 30, tags: ['<goto>A</goto>', '<goto>B</goto>'] },
    ['30 transition tags', '(<goto>A</goto>, <goto>B</goto> and 28 more)', 'exactly one', 'several <fork>'],
  ],
  'several-continuations': [
    { kind: 'several-continuations', names: ['A', 'B'] },
    ['they name A, B', 'write the same name in every next'],
  ],
  'empty-target': [
    { kind: 'empty-target', tag: 'reset', line: 3 },
    ['<reset> on line 3', 'write <reset>STATE</reset>'],
  ],
  'path-in-target': [
    { kind: 'path-in-target', tag: 'goto', target: 'a/B', line: 2 },
    ['<goto> on line 2', '"a/B"', 'a file name of the same workflow, without / or \\'],
  ],
  'long-target': [
    { kind: 'long-target', tag: 'goto', target: 'I think…', line: 2 },
    ['<goto> on line 2', '"I think…"', 'write only the name of a state'],
  ],
  'missing-attribute': [
    { kind: 'missing-attribute', tag: 'call', attribute: 'return', line: 1 },
    ['<call> on line 1', 'needs the attribute return="STATE"'],
  ],
  'long-attributes': [
    { kind: 'long-attributes', tag: 'fork', limit: 32768, line: 1 },
    ['<fork> on line 1', 'more than 32768 bytes', 'pass long text as input="…" or in a file'],
  ],
  'malformed-attribute': [
    { kind: 'malformed-attribute', tag: 'goto', text: 'input=3', line: 2 },
    ['<goto> on line 2', 'cannot read the attribute input=3', 'quote the value: input="3"'],
  ],
  'bad-verdict': [
    { kind: 'bad-verdict', state: 'PLAN.md', why: 'the output has no transition tag' },
    ['<result>keep</result>', 'with a tag that PLAN.md may end with', 'no transition tag'],
  ],
  'stack-full': [{ kind: 'stack-full', tag: 'call', limit: 500 }, ['<call>: 500 callers wait', 'end the recursion']],
  'no-conversation': [
    { kind: 'no-conversation', target: 'REVIEW' },
    [
      '<fork context="branch">REVIEW</fork>',
      'no conversation yet',
      'fork after the first prompt, or leave context out',
    ],
  ],
  'unknown-state': [
    { kind: 'unknown-state', name: 'REVEIW', near: 'REVIEW.md', lookedFor: ['REVEIW.md'], states: ['A.md'], count: 9 },
    ['no state "REVEIW"', 'did you mean REVIEW.md?', 'looked for REVEIW.md', 'the states are A.md and 8 more'],
  ],
  'ambiguous-state': [
    { kind: 'ambiguous-state', name: 'A', files: ['A.md', 'A.sh'] },
    ['"A"', 'A.md and A.sh both exist', 'write the name with its extension or remove one'],
  ],
  'wrong-platform': [
    { kind: 'wrong-platform', name: 'A', files: ['A.bat'], lookedFor: ['A.md', 'A.sh'] },
    ['"A" cannot run on this platform', 'found A.bat', 'add A.md or A.sh, or name another state'],
  ],
  'no-entry': [
    { kind: 'no-entry', states: ['A.md', 'B.md'], path: 'flows/f/' },
    ['no entry point, 1_START or START', 'the states are A.md, B.md', 'raymond start flows/f/A.md'],
  ],
  'two-entries': [
    { kind: 'two-entries', files: ['1_START.md', 'START.sh'] },
    ['1_START.md and START.sh', 'remove one', 'raymond start PATH/1_START.md'],
  ],
  'bad-attribute': [
    {
      kind: 'bad-attribute',
      tag: 'goto',
      attribute: 'delay',
      value: 'soon',
      expected: 'a duration such as 5m',
      line: 2,
    },
    ['<goto> on line 2', 'delay="soon"', 'expected a duration such as 5m'],
  ],
  'taken-name': [
    { kind: 'taken-name', tag: 'fork', target: 'W.sh', attribute: 'BASH_ENV', conflict: 'setting' },
    ['<fork>W.sh</fork>: the attribute BASH_ENV cannot be a variable', 'for example my_bash_env'],
  ],
  'unusable-workflow': [
    { kind: 'unusable-workflow', tag: 'call-workflow', target: '../x/', why: 'there is no workflow at /x' },
    ['<call-workflow>../x/</call-workflow>', 'there is no workflow at /x'],
  ],
  'too-deep': [
    { kind: 'too-deep', tag: 'function-workflow', limit: 4 },
    ['<function-workflow>', 'nested 4 deep', 'return with <result> first'],
  ],
  'unusable-file': [
    { kind: 'unusable-file', tag: 'ask', path: 'a.md', why: 'it is a directory' },
    ['<ask>', 'a.md cannot be shown', 'it is a directory'],
  ],
  'missing-directory': [
    { kind: 'missing-directory', tag: 'fork', path: '/x/y', host: 'h1' },
    ['<fork cd="…">', '/x/y', 'host h1', 'create it or correct cd'],
  ],
  'unfit-result': [{ kind: 'unfit-result', why: '/score must be number' }, ['schema', '/score must be number']],
  'not-allowed': [
    { kind: 'not-allowed', tag: '<goto>X.md</goto>', allowed: ['<goto>A</goto>', '<result>…</result>'], count: 5 },
    ['<goto>X.md</goto> is not allowed here', 'may end with <goto>A</goto>, <result>…</result> and 3 more'],
  ],
};

describe('the text of', () => {
  test.each(Object.values(SAMPLES))('$kind', (problem, parts) => {
    const text = describeProblem(problem);
    for (const part of parts) expect(text).toContain(part);
    expect(text).not.toMatch(/undefined|\n/);
  });
});

test('docs/reference/language/messages.md lists every kind, and for outputs no other', async () => {
  const page = await readFile(
    fileURLToPath(new URL('../../../docs/reference/language/messages.md', import.meta.url)),
    'utf8',
  );
  const rowsOf = (heading: string): readonly string[] =>
    [...sectionOf(page, heading).matchAll(/^\| `(.*?)` +\|/gm)].map(([, row]) => row!);
  const ofOutputs = rowsOf('Mistakes in an output');
  const rows = [...ofOutputs, ...rowsOf('Mistakes in a prompt, a script or the entry point')];
  const texts = Object.values(SAMPLES).map(([problem]) => describeProblem(problem));
  expect(texts.filter((text) => !rows.some((row) => fits(row, text)))).toEqual([]);
  expect(ofOutputs.filter((row) => !texts.some((text) => fits(row, text)))).toEqual([]);
});

test('an unknown state without a near one suggests none', () => {
  const text = describeProblem({ kind: 'unknown-state', name: 'X', lookedFor: ['X.md'], states: [], count: 0 });
  expect(text).toBe('there is no state "X" (looked for X.md); the states are none');
});

test('a missing attribute whose line is not known names none', () => {
  const text = describeProblem({ kind: 'missing-attribute', tag: 'fork', attribute: 'next' });
  expect(text).toBe('<fork> needs the attribute next="STATE"');
});

test('a tag without its closing tag is not said to lack a slash', () => {
  const text = describeProblem({ kind: 'open-tag', tag: 'result', line: 1, lacks: 'closing' });
  expect(text).toBe('<result> on line 1 of the output is never closed; write <result>your result</result>');
});

test('a folder without states says how to add one', () => {
  expect(describeProblem({ kind: 'no-entry', states: [] })).toContain('add a state, for example 1_START.md');
});

test('the command that starts a state can be pasted into a shell', () => {
  const text = describeProblem({ kind: 'no-entry', states: ['A.md'], path: "my flow's" });
  expect(text).toContain(String.raw`raymond start 'my flow'\''s/A.md'`);
});
