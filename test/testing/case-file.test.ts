// Reading test files: keys at the top apply to all cases, and problems have line numbers.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readTestFile, type TestCase } from '../../src/testing/case-file.js';
import { testFileSchema } from '../../src/testing/case-schema.js';
import { folder } from '../support/folder.js';

async function read(text: string): Promise<readonly TestCase[]> {
  return await readTestFile(join(await folder({ 'flow.test.yaml': text }), 'flow.test.yaml'));
}

test('the example of docs/how-to/testing.md is a valid test file', async () => {
  const page = await readFile(new URL('../../docs/how-to/testing.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  const [only] = await read(example);
  expect(only).toMatchObject({
    name: 'flow',
    start: { input: 'Add --version', budget: 1 },
    expected: { cost: { operator: '<=', amount: 0.5 }, prompts: { PLAN: { contains: ['task.md'], lacks: ['{{'] } } },
  });
  expect(only?.script.states.map(({ selector, replies }) => [selector.state, replies.length])).toEqual([
    ['PLAN', 1],
    ['IMPLEMENT', 1],
    ['REVIEW', 2],
  ]);
});

test('the keys of a case override those of the file', async () => {
  const [one, two] = await read(`
start: { input: a, env: { A: 1 } }
claude: { PLAN: <goto>A</goto>, DO: { cost: .5, resets: 3h, fails: usage-limit } }
expect: { status: failed, cost: 0 }
cases:
  - { name: one, start: { env: { B: 2 } }, claude: { PLAN: <goto>B</goto> }, expect: { cost: 1 } }
  - name: two
`);
  expect(one).toMatchObject({
    start: { input: 'a', env: { A: '1', B: '2' } },
    expected: { status: 'failed', cost: { amount: 1 } },
  });
  expect(one?.script.states.map(({ replies }) => replies[0])).toMatchObject([
    { says: '<goto>B</goto>', costUsd: 0 },
    { says: '', costUsd: 0.5, fails: 'usage-limit', resetsInMs: 3 * 3_600_000 },
  ]);
  expect(two).toMatchObject({ start: { env: { A: '1' } }, expected: { cost: { amount: 0 } } });
});

test('a case with a table is a case for each of its rows', async () => {
  const cases = await read(`
cases:
  - name: first
  - name: '{{each.answer}} {{each.typo}}'
    each: [{ answer: 'yes', reply: x }, { answer: 'no', reply: '{{each.answer}}' }]
    answers: { '{{each.answer}}': ['{{each.answer}}!'] }
    expect: { result: { contains: '{{each.reply}}' } }
`);
  expect(cases.map(({ name }) => name)).toEqual(['first', 'yes {{each.typo}}', 'no {{each.typo}}']);
  expect(cases[2]).toMatchObject({
    answers: [{ selector: { state: 'no' }, answers: [{ text: 'no!' }] }],
    expected: { result: { contains: ['{{each.answer}}'] } },
  });
  expect(cases.map(({ lineOf }) => lineOf('result'))).toEqual([3, 7, 7]);
});

describe('a problem has its line', () => {
  test.each([
    ['claude:\n  A: { say: x }\n', '2: unknown key "say" in claude.A'],
    ['claude:\n  A:\n    - ok\n    - { cost: dear }\n', '4: claude.A.1.cost: expected an amount in USD, got "dear"'],
    ['claude:\n  A/B/C: x\n', '2: claude.A/B/C: expected STATE, AGENT/STATE'],
    ['expect:\n  result: { matches: "(" }\n', '2: expect.result.matches: expected a regular expression'],
    ['cases:\n  - name: a\n  - expect: {}\n', '3: cases.1.name: '],
    ['cases:\n  - name: a\n    each: [{ b: c }, { b: d }]\n    expekt: {}\n', '4: unknown key "expekt" in cases.1'],
    ['cases:\n  - name: a\n    each: [b]\n', '3: cases.0.each.0: '],
    ['expect: {}\nexpekt: {}\n', '2: unknown key "expekt"'],
    ['expect: [\n', '1: this [ is not closed'],
  ])('%j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(`flow.test.yaml:${message}`);
  });

  test('two cases with the same name are rejected', async () => {
    await expect(read('cases: [{ name: a }, { name: a }]')).rejects.toThrow('two cases are called "a"');
  });
});

test('the schema is also a JSON schema for editors', () => {
  const schema = z.toJSONSchema(testFileSchema, { io: 'input' });
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  expect(Object.keys(schema.properties ?? {})).toEqual(
    expect.arrayContaining(['workflow', 'claude', 'answers', 'expect', 'cases']),
  );
});
