// The text that is appended to a prompt after a protocol mistake: the mistake, and every allowed tag to copy.
import { expect, test } from '@jest/globals';
import { parseTags } from '../../../src/protocol/language/parse.js';
import { NO_POLICY, type Policy } from '../../../src/protocol/language/policy.js';
import type { Problem } from '../../../src/protocol/language/problem.js';
import { reminderText } from '../../../src/protocol/language/reminder.js';

const POLICY: Policy = {
  allowed: [
    { tag: 'goto', attributes: { target: 'FIX.md' }, line: 3 },
    { tag: 'call', attributes: { target: 'CHECK', return: 'FIX.md', input: 'of {{item}}' }, line: 4 },
  ],
  forceImplicit: false,
};

const withOne = (entry: Omit<Policy['allowed'][number], 'line'>): Policy => ({
  allowed: [{ ...entry, line: 3 }],
  forceImplicit: false,
});

const NO_TAG: Problem = { kind: 'no-tag' };

test('a reminder follows the prompt after a rule and lists every allowed tag, its input filled', () => {
  const text = reminderText(NO_TAG, { policy: POLICY, variables: { item: 'tea' } });
  expect(text).toMatch(/^\n---\nYour last reply to this step could not be used: it has no transition tag\.\n/);
  expect(text).toContain('\n- <goto>FIX.md</goto>\n- <call return="FIX.md" input="of tea">CHECK</call>\n');
  expect(text).not.toMatch(/STATE|…|several/i);
});

test('the tags of a reminder can be read again as they are written', () => {
  const parsed = parseTags(reminderText(NO_TAG, { policy: POLICY, variables: {} }));
  expect(parsed).toMatchObject({
    kind: 'tags',
    tags: [
      { kind: 'goto', target: 'FIX.md' },
      { kind: 'call', target: 'CHECK', return: 'FIX.md', input: 'of {{item}}' },
    ],
  });
});

test.each<[Problem, string]>([
  [NO_TAG, 'it has no transition tag'],
  [{ kind: 'open-tag', tag: 'goto', line: 3, lacks: 'slash' }, '<goto> on line 3 of the output is never closed'],
  [{ kind: 'malformed-attribute', tag: 'goto', text: 'input=3', line: 1 }, 'quote the value: input="3"'],
  [
    { kind: 'not-allowed', tag: '<goto>X.md</goto>', allowed: ['<goto>SECRET</goto>'], count: 1 },
    '<goto>X.md</goto> is not allowed here',
  ],
  [
    { kind: 'unknown-state', name: 'FXI', near: 'SECRET', lookedFor: ['FXI.md'], states: ['SECRET.md'], count: 1 },
    'there is no state "FXI"',
  ],
  [{ kind: 'several-tags', count: 2, tags: ['<goto>A</goto>', '<goto>B</goto>'] }, 'has 2 transition tags'],
  [{ kind: 'path-in-target', tag: 'goto', target: 'a/B', line: 2 }, '"a/B"'],
  [{ kind: 'missing-attribute', tag: 'call', attribute: 'return', line: 1 }, 'return="STATE"'],
])('of %j it says what was wrong and nothing that is not allowed', (problem, part) => {
  const text = reminderText(problem, { policy: POLICY, variables: {} });
  expect(text).toContain(part);
  expect(text).not.toContain('SECRET');
});

test.each<[string, Policy, string]>([
  ['an open result', withOne({ tag: 'result', attributes: {} }), 'Replace "…" with your own text.'],
  ['an open target', withOne({ tag: 'goto', attributes: {} }), 'Replace STATE with the name of a state.'],
  ['an open return', withOne({ tag: 'call', attributes: { target: 'A' } }), 'Replace STATE with the name of a state.'],
  ['a fork', withOne({ tag: 'fork', attributes: { target: 'A', next: 'B' } }), 'You may write several <fork> tags'],
])('with %s it says what may be written', (_title, policy, note) => {
  expect(reminderText(NO_TAG, { policy, variables: {} })).toContain(note);
});

test('with a fixed result nothing is left open', () => {
  const policy = withOne({ tag: 'result', attributes: { payload: 'say … and STATE' } });
  expect(reminderText(NO_TAG, { policy, variables: {} })).not.toContain('Put ');
});

test('a state that has lost its policy meanwhile is still told what was wrong', () => {
  const text = reminderText(NO_TAG, { policy: NO_POLICY, variables: {} });
  expect(text).toContain('it has no transition tag');
  expect(text).toContain('exactly one transition tag.');
});
