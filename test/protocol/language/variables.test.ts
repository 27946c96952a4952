// The variables of a turn's process.
import { describe, expect, test } from '@jest/globals';
import { nameConflict } from '../../../src/protocol/language/attribute-names.js';
import { MAX_VARIABLE_BYTES, turnVariables } from '../../../src/protocol/language/variables.js';

const TURN = {
  runId: 'r1',
  agentId: 'main_worker1',
  stateDir: '/flows/f',
  stateFile: '/flows/f/A.sh',
  turnId: 'r1/main_worker1/1',
  attempt: 'abc-1',
  taskFolder: '/tasks/t',
  attributes: {},
};
const OURS = {
  RAYMOND_WORKFLOW_ID: 'r1',
  RAYMOND_AGENT_ID: 'main_worker1',
  RAYMOND_STATE_DIR: '/flows/f',
  RAYMOND_STATE_FILE: '/flows/f/A.sh',
  RAYMOND_TURN_ID: 'r1/main_worker1/1',
  RAYMOND_ATTEMPT: 'abc-1',
  RAYMOND_TASK_FOLDER: '/tasks/t',
};
const pending = (text: string | undefined, returning: boolean) => ({
  file: '/tmp/input',
  returning,
  ...(text === undefined ? {} : { text }),
});

test('a turn without a pending value has only its own variables', () => {
  expect(turnVariables(TURN)).toEqual({ raymond: OURS, attributes: {}, warnings: [] });
});

describe('a pending value', () => {
  const given = { RAYMOND_INPUT: 'x', RAYMOND_INPUT_FILE: '/tmp/input' };
  const long = 'x'.repeat(MAX_VARIABLE_BYTES);
  test.each([
    ['given', pending('x', false), given],
    ['given and empty', pending('', false), { ...given, RAYMOND_INPUT: '' }],
    ['returned', pending('x', true), { ...given, RAYMOND_RESULT: 'x', RAYMOND_RESULT_FILE: '/tmp/input' }],
    [
      'returned as a JSON object',
      pending('{"score":4,"tags":["a"],"FILE":"own","bad name":1,"nul":"\\u0000"}', true),
      {
        RAYMOND_INPUT: expect.any(String),
        RAYMOND_INPUT_FILE: '/tmp/input',
        RAYMOND_RESULT: expect.any(String),
        RAYMOND_RESULT_FILE: '/tmp/input',
        RAYMOND_RESULT_score: '4',
        RAYMOND_RESULT_tags: '["a"]',
      },
    ],
    ['just short enough', pending(long, false), { ...given, RAYMOND_INPUT: long }],
  ])('that was %s', (_title, value, variables) => {
    expect(turnVariables({ ...TURN, pending: value })).toEqual({
      raymond: { ...OURS, ...variables },
      attributes: {},
      warnings: [],
    });
  });

  test.each([
    ['longer than the limit', 'x'.repeat(MAX_VARIABLE_BYTES + 1), 'is longer than 100 KiB'],
    ['longer in bytes than in characters', 'é'.repeat(MAX_VARIABLE_BYTES / 2 + 1), 'is longer than 100 KiB'],
    ['not even loaded', undefined, 'is longer than 100 KiB'],
    ['with a NUL', 'a\0b', 'contains a NUL character'],
  ])('%s is only in its file, with a warning', (_title, text, reason) => {
    expect(turnVariables({ ...TURN, via: 'fork', pending: pending(text, true) })).toEqual({
      raymond: { ...OURS, RAYMOND_INPUT_FILE: '/tmp/input', RAYMOND_RESULT_FILE: '/tmp/input' },
      attributes: {},
      warnings: [
        `RAYMOND_INPUT and RAYMOND_RESULT cannot be set: the value ${reason}; read the file at RAYMOND_INPUT_FILE`,
      ],
    });
  });

  test.each([
    ['fork', { item: 'i', input: 'x' }],
    ['goto', { item: 'i' }],
  ])('after a %s', (via, attributes) => {
    const turn = { ...TURN, via, attributes: { item: 'i' }, pending: pending('x', false) };
    expect(turnVariables(turn).attributes).toEqual(attributes);
  });
});

describe('attributes', () => {
  test('are variables by their own names, whatever those are', () => {
    const attributes = Object.fromEntries([
      ['item', 'a b'],
      ['PATH', '/bin'],
      ['_x1', ''],
      ['task', 'refactor'],
      ['__proto__', 'p'],
    ]);
    const made = turnVariables({ ...TURN, attributes });
    expect(Object.entries(made.attributes)).toEqual(Object.entries(attributes));
    expect(made.warnings).toEqual([]);
  });

  test('are left out, with a warning, where the host has a variable of that name or programs read a setting from it', () => {
    const host = { names: new Set(['TOKEN']), platform: 'unix' } as const;
    const attributes = { BASH_ENV: 'plan.md', TOKEN: 'x', token: 'y', ITEM: 'z' };
    expect(turnVariables({ ...TURN, attributes, conflictOf: (name) => nameConflict(name, host) })).toMatchObject({
      attributes: { token: 'y', ITEM: 'z' },
      warnings: [
        'the attribute BASH_ENV cannot be a variable of a script: it is a setting that programs read',
        'the attribute TOKEN cannot be a variable of a script: it already exists in the environment',
      ],
    });
  });

  test.each([
    ['RAYMOND_INPUT', 'x', 'would replace a variable of Raymond'],
    ['RAYMOND_NEW', 'x', 'would replace a variable of Raymond'],
    ['Raymond_Agent_Id', 'x', 'would replace a variable of Raymond'],
    ['next', 'x', 'belongs to the fork itself'],
    ['cd', 'x', 'belongs to the fork itself'],
    ['issue-id', 'x', 'is not a valid variable name'],
    ['1st', 'x', 'is not a valid variable name'],
    ['a.b', 'x', 'is not a valid variable name'],
    ['ok', 'a\0b', 'contains a NUL character'],
    ['big', 'x'.repeat(MAX_VARIABLE_BYTES + 1), 'is longer than 100 KiB'],
  ])('%s is left out with a warning', (name, value, reason) => {
    expect(turnVariables({ ...TURN, attributes: { [name]: value, kept: '1' } })).toEqual({
      raymond: OURS,
      attributes: { kept: '1' },
      warnings: [`the attribute ${name} cannot be a variable of a script: it ${reason}`],
    });
  });
});
