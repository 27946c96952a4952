// What a policy changes in the reading of an output: the implicit transition, what is forbidden, and which mistakes can be reminded of.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../../src/store/folder.js';
import { parseFrontmatter } from '../../../src/packages/frontmatter.js';
import { readOutcome } from '../../../src/activities/turn/outcome.js';
import type { TurnOutcome } from '../../../src/contract/turns.js';
import { evaluatorOf, type Judged } from '../../../src/activities/turn/prompt-file.js';
import { resultCheckOf } from '../../../src/packages/result-schema.js';
import type { Policy, ResultCheck, ResultShape } from '../../../src/protocol/language/policy.js';
import { defined } from '../../../src/protocol/text.js';
import { folder } from '../../support/folder.js';

let path: string;
beforeAll(async () => {
  path = await folder({ 'A.md': '', 'B.sh': '', 'C.md': '' });
});

function policyOf(...lines: readonly string[]): Policy {
  const file = parseFrontmatter(`---\n${lines.join('\n')}\n---\n`, (line) => `F.md:${line}`);
  if (file.kind === 'invalid') throw new Error(file.problems.join('\n'));
  return file.policy;
}

interface Given {
  readonly variables?: Record<string, string>;
  readonly result?: ResultCheck;
  readonly structured?: unknown;
  readonly judged?: Judged;
}

async function outcomeOf(
  text: string,
  policy?: Policy,
  { variables = {}, result, structured, judged }: Given = {},
): Promise<TurnOutcome> {
  const agent = {
    id: 'main',
    scope: { kind: 'directory', path },
    state: 'A.md',
    via: 'start',
    cwd: path,
    home: path,
    attributes: {},
    forks: 0,
    turn: 0,
  } as const;
  const artifacts = new FolderStore(join(path, 'artifacts'));
  const evaluator = policy?.evaluation && evaluatorOf(policy.evaluation);
  const rules = policy === undefined ? {} : { rules: { policy, variables, ...defined({ result, evaluator }) } };
  return (
    await readOutcome(text, {
      agent,
      artifacts,
      cacheDir: '/nowhere',
      taskFolder: join(path, 'task'),
      ...rules,
      variables,
      ...defined({ structured, judged }),
    })
  ).outcome;
}

const GOTO_A = policyOf('allowed_transitions: [{ tag: goto, target: A, input: "of {{item}}" }]');
const FORCED = { ...GOTO_A, forceImplicit: true };
const OPEN = policyOf('allowed_transitions: [{ tag: result }, { tag: goto, target: A }]');

test.each([
  ['can be reminded of where there is a policy', OPEN, { remindable: true }],
  ['ends the agent where there is none', undefined, {}],
])('an attribute without quotes %s', async (_what, policy, remindable) => {
  const text = '<goto input=3>A</goto>';
  const problem = { kind: 'malformed-attribute', tag: 'goto', text: 'input=3', line: 1 };
  expect(await outcomeOf(text, policy)).toEqual({ kind: 'problem', problem, text, ...remindable });
});

describe('the only allowed transition', () => {
  const implicit = { kind: 'transition', transition: { kind: 'goto', target: 'A.md', input: 'of tea' } };
  test.each([
    ['is meant by an output without a tag', 'All done.', GOTO_A],
    ['is meant by an empty output', '', GOTO_A],
    ['is forced whatever tag there is', '<goto>C</goto>', FORCED],
    ['is forced whatever mistake there is', '<goto>a/b</goto><goto></goto>', FORCED],
  ])('%s', async (_title, text, policy) => {
    expect(await outcomeOf(text, policy, { variables: { item: 'tea' } })).toEqual(implicit);
  });

  test('that is written gets nothing from the policy', async () => {
    expect(await outcomeOf('<goto>A</goto>', GOTO_A, { variables: { item: 'tea' } })).toEqual({
      kind: 'transition',
      transition: { kind: 'goto', target: 'A.md' },
    });
  });

  test('may be a fixed result, a call or a fork', async () => {
    const fixed = policyOf('allowed_transitions: [{ tag: result, payload: ok }]');
    expect(await outcomeOf('', fixed)).toEqual({ kind: 'transition', transition: { kind: 'result', payload: 'ok' } });
    const call = policyOf('allowed_transitions: [{ tag: call, target: A, return: B }]');
    expect(await outcomeOf('', call)).toMatchObject({ transition: { kind: 'call', target: 'A.md', return: 'B.sh' } });
    const fork = policyOf('allowed_transitions: [{ tag: fork, target: A, next: B, item: x }]');
    expect(await outcomeOf('', fork)).toMatchObject({
      transition: { kind: 'fork', forks: [{ target: 'A.md', attributes: { item: 'x' } }], next: 'B.sh' },
    });
  });

  test('is not forced when its entry does not say everything', async () => {
    const open = { ...policyOf('allowed_transitions: [{ tag: result }]'), forceImplicit: true };
    expect(await outcomeOf('<result>x</result>', open)).toMatchObject({ transition: { payload: 'x' } });
    expect(await outcomeOf('nothing', open)).toMatchObject({ problem: { kind: 'no-tag' } });
  });

  test('with a large input becomes an artifact', async () => {
    const outcome = await outcomeOf('', GOTO_A, { variables: { item: 'x'.repeat(100_000) } });
    expect(outcome).toMatchObject({ transition: { input: { sha256: expect.any(String), bytes: 100_003 } } });
  });
});

describe('a mistake of a state with a policy can be reminded of:', () => {
  test.each([
    ['no tag', 'Done.', 'no-tag'],
    ['several tags', '<goto>A</goto><result>x</result>', 'several-tags'],
    ['an unknown state', '<goto>NONE</goto>', 'unknown-state'],
    ['a path', '<goto>x/A</goto>', 'path-in-target'],
    ['an empty target', '<goto></goto>', 'empty-target'],
    ['a missing attribute', '<call>A</call>', 'missing-attribute'],
    ['a tag that is not allowed, before its directory is looked at', '<reset cd="/no/such">A</reset>', 'not-allowed'],
    ['a tag that is not allowed', '<goto>C</goto>', 'not-allowed'],
  ])('%s', async (_title, text, kind) => {
    expect(await outcomeOf(text, OPEN)).toEqual({
      kind: 'problem',
      problem: expect.objectContaining({ kind }),
      text,
      remindable: true,
    });
  });

  test('a directory that is missing', async () => {
    const policy = policyOf('allowed_transitions: [{ tag: reset, target: A }, { tag: result }]');
    const outcome = await outcomeOf('<reset cd="/no/such">A</reset>', policy);
    expect(outcome).toMatchObject({ problem: { kind: 'missing-directory' }, remindable: true });
  });
});

test.each([
  ['a script', undefined],
  ['a frontmatter without transitions', policyOf('model: haiku')],
])('a mistake of %s cannot be reminded of', async (_title, policy) => {
  const text = '<goto>NONE</goto>';
  const problem = expect.objectContaining({ kind: 'unknown-state' });
  expect(await outcomeOf(text, policy)).toEqual({ kind: 'problem', problem, text });
});

describe('a result with a schema', () => {
  const policy = policyOf(
    'result: { schema: { type: object, required: [score, name], properties: { score: { type: integer, minimum: 1 }, name: { pattern: "^(a+)+$" } } } }',
  );
  type Answer = string | { readonly structured: unknown };
  const read = async (answer: Answer): Promise<TurnOutcome> => {
    const result = await resultCheckOf(policy.result as ResultShape, () => Promise.reject(new Error('no file')));
    return typeof answer === 'string'
      ? await outcomeOf(answer, policy, { result })
      : await outcomeOf('I am done.', policy, { result, ...answer });
  };

  test.each<[string, Answer, string]>([
    ['is taken as it is written', '<result>{"score": 3, "name": "aa"}</result>', '{"score": 3, "name": "aa"}'],
    [
      'is taken out of a code fence',
      '<result>\n```json\n{"score":3,"name":"a"}\n```\n</result>',
      '{"score":3,"name":"a"}',
    ],
    ['is what the backend asked for', { structured: { score: 1, name: 'a' } }, '{"score":1,"name":"a"}'],
  ])('%s', async (_title, answer, payload) => {
    expect(await read(answer)).toEqual({ kind: 'transition', transition: { kind: 'result', payload } });
  });

  test.each<[string, Answer, string]>([
    [
      'of other values',
      '<result>{"score": 0.5}</result>',
      "it must have required property 'name'; /score must be integer; /score must be >= 1",
    ],
    ['that is no JSON', '<result>three</result>', 'it is not JSON'],
    [
      'of a pattern that takes other engines forever',
      `<result>{"score":1,"name":"${'a'.repeat(60)}b"}</result>`,
      '/name must match pattern "^(a+)+$"',
    ],
    ['that the backend let pass', { structured: { score: 'x', name: 'a' } }, '/score must be integer'],
  ])('%s is a mistake that can be reminded of', async (_title, answer, why) => {
    const problem = { kind: 'unfit-result', why };
    expect(await read(answer)).toMatchObject({ kind: 'problem', problem, remindable: true });
  });

  test('is the only end of a state without a policy', async () => {
    expect(await read('<goto>A</goto>')).toMatchObject({ problem: { kind: 'not-allowed' }, remindable: true });
  });
});

describe('an evaluation', () => {
  const policy = policyOf(
    'allowed_transitions: [{ tag: goto, target: A }, { tag: result }]',
    'evaluate:',
    '  - { match: "(?i)todo", transition: \'<goto input="{{item}} left">C</goto>\' }',
    '  - { state: B }',
  );

  test('puts the tag of a pattern in the place of the proposed one, whatever the policy allows the model', async () => {
    expect(await outcomeOf('A ToDo. <goto>A</goto>', policy, { variables: { item: 'tea' } })).toEqual({
      kind: 'transition',
      transition: { kind: 'goto', target: 'C.md', input: 'tea left' },
      overridden: { pattern: '(?i)todo', proposed: '<goto>A.md</goto>' },
    });
  });

  test('calls its judge with the output and the proposed transition', async () => {
    const text = 'All good. <result>ok</result>';
    expect(await outcomeOf(text, policy)).toEqual({
      kind: 'transition',
      transition: {
        kind: 'function',
        target: 'B.sh',
        return: 'A.md',
        judging: { proposed: { kind: 'result', payload: 'ok' }, tag: '<result>ok</result>', output: text },
      },
    });
  });

  test('sees a result that the backend asked for', async () => {
    const rating = policyOf(
      'result: { schema: { type: object, properties: { score: { type: integer } } } }',
      'evaluate: [{ match: \'"score": ?0\', transition: <goto>C</goto> }, { state: B }]',
    );
    const result = await resultCheckOf(rating.result as ResultShape, () => Promise.reject(new Error('no file')));
    const read = async (score: number): Promise<TurnOutcome> =>
      await outcomeOf('I am done.', rating, { result, structured: { score } });
    expect(await read(0)).toMatchObject({ transition: { kind: 'goto', target: 'C.md' } });
    const output = 'I am done.\n\n<result>{"score":2}</result>';
    expect(await read(2)).toMatchObject({ transition: { target: 'B.sh', judging: { output } } });
  });

  test('waits until the output ends with a transition that is allowed', async () => {
    expect(await outcomeOf('A TODO.', policy)).toMatchObject({ kind: 'problem', remindable: true });
  });

  test('that names a file which is gone ends the turn without a reminder', async () => {
    const gone = policyOf(
      'allowed_transitions: [{ tag: result }]',
      'evaluate: [{ match: x, transition: <goto>Z</goto> }]',
    );
    expect(await outcomeOf('x <result>ok</result>', gone)).toEqual({
      kind: 'problem',
      problem: expect.objectContaining({ kind: 'unknown-state', name: 'Z' }),
      text: '',
    });
  });
});

describe('a judge', () => {
  const judging = (policy: Policy): Given => ({
    judged: {
      frame: { state: 'A.md', scope: { kind: 'directory', path }, cwd: path },
      rules: () => Promise.resolve({ policy, variables: {} }),
    },
  });

  test('keeps the proposed transition', async () => {
    expect(await outcomeOf('<result>keep</result>', undefined, judging(GOTO_A))).toEqual({
      kind: 'transition',
      transition: { kind: 'result', payload: 'keep' },
    });
  });

  test.each([
    ['<goto>A</goto>', '<goto>A.md</goto>', { kind: 'goto', target: 'A.md' }],
    ['<result>no</result>', '<result>no</result>', { kind: 'result', payload: 'no' }],
  ])('puts %s in its place, if the state may end so', async (text, payload, verdict) => {
    expect(await outcomeOf(text, undefined, judging(OPEN))).toEqual({
      kind: 'transition',
      transition: { kind: 'result', payload, verdict },
    });
  });

  test('is not judged itself', async () => {
    const policy = policyOf('evaluate: [{ match: ".", transition: <goto>C</goto> }, { state: B }]');
    expect(await outcomeOf('<result>keep</result>', policy, judging(GOTO_A))).toMatchObject({
      transition: { kind: 'result', payload: 'keep' },
    });
  });

  test('is reminded of a tag that the state may not end with; a script is not', async () => {
    const problem = {
      kind: 'bad-verdict',
      state: 'A.md',
      why: expect.stringContaining('<goto>C.md</goto> is not allowed'),
    };
    const text = '<goto>C</goto>';
    const read = await outcomeOf(text, policyOf('model: haiku'), judging(GOTO_A));
    expect(read).toEqual({ kind: 'problem', problem, text, remindable: true });
    expect(await outcomeOf(text, undefined, judging(GOTO_A))).toEqual({ kind: 'problem', problem, text });
  });

  test('is reminded of a reply without a tag, and of what its own policy does not allow', async () => {
    const own = policyOf('allowed_transitions: [{ tag: result, payload: keep }]');
    expect(await outcomeOf('Hm.', policyOf('model: haiku'), judging(OPEN))).toMatchObject({
      problem: { kind: 'no-tag' },
      remindable: true,
    });
    expect(await outcomeOf('<goto>A</goto>', own, judging(OPEN))).toMatchObject({ problem: { kind: 'not-allowed' } });
  });
});
