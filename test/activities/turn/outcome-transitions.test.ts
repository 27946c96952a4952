// Transitions into other workflows, made from tags with real packages: what each kind carries, and what its author can fix.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../../src/store/folder.js';
import { readOutcome } from '../../../src/activities/turn/outcome.js';
import type { TurnOutcome, TurnRequest } from '../../../src/contract/turns.js';
import { MAX_DEPTH } from '../../../src/protocol/machine/step.js';
import { folder } from '../../support/folder.js';
import { zipOf } from '../../packages/zip-file.js';

let root: string;
beforeAll(async () => {
  root = await folder({
    'here/START.sh': '',
    'here/BACK.sh': '',
    'other/START.md': '',
    'other/SECOND.sh': '',
    'empty/notes.txt': '',
    'packed.zip': zipOf({ '1_START.sh': '' }),
    'broken.zip': 'no zip',
    'single.yaml': 'states:\n  START: {prompt: a}\n',
    'work/inner/.keep': '',
  });
});

async function outcomeOf(text: string, more: Partial<TurnRequest['agent']> = {}): Promise<TurnOutcome> {
  const agent: TurnRequest['agent'] = {
    id: 'main',
    scope: { kind: 'directory', path: join(root, 'here') },
    state: 'START.sh',
    via: 'start',
    cwd: join(root, 'work'),
    home: root,
    attributes: {},
    forks: 0,
    turn: 3,
    ...more,
  };
  const artifacts = new FolderStore(join(root, 'artifacts'));
  const variables = { agent_id: 'main', result: '{{agent_id}}' };
  const reading = { agent, artifacts, cacheDir: '/nowhere', taskFolder: join(root, 'task'), variables };
  return (await readOutcome(text, reading)).outcome;
}

const problem = (is: object): object => ({ kind: 'problem', problem: expect.objectContaining(is) });

test.each([
  ['../other/', { kind: 'directory', path: 'other' }, 'START.md'],
  ['../other', { kind: 'directory', path: 'other' }, 'START.md'],
  ['../other/SECOND', { kind: 'directory', path: 'other' }, 'SECOND.sh'],
  ['../packed.zip', { kind: 'zip', path: 'packed.zip' }, '1_START.sh'],
  ['../single.yaml', { kind: 'yaml', path: 'single.yaml' }, 'START.md'],
  ['../single.yaml/START', { kind: 'yaml', path: 'single.yaml' }, 'START.md'],
])('%s is called, with the scope and the state that it names', async (specifier, { kind, path }, target) => {
  const scope = { kind, path: join(root, path) };
  expect(await outcomeOf(`<call-workflow return="BACK" input="x">${specifier}</call-workflow>`)).toEqual({
    kind: 'transition',
    transition: { kind: 'call-workflow', scope, target, return: 'BACK.sh', input: 'x' },
  });
});

describe('what a tag carries into another workflow', () => {
  const scope = () => ({ kind: 'directory', path: join(root, 'other') });
  const inner = () => join(root, 'work/inner');

  test('by function-workflow is a directory below that of the agent', async () => {
    const text = '<function-workflow return="BACK" cd="inner">../other</function-workflow>';
    expect(await outcomeOf(text)).toMatchObject({
      transition: { kind: 'function-workflow', scope: scope(), target: 'START.md', return: 'BACK.sh', cd: inner() },
    });
  });

  test('by reset-workflow is a new task folder too, however deep the agent is', async () => {
    const text = '<reset-workflow cd="inner" task="new" input="">../other</reset-workflow>';
    expect(await outcomeOf(text, { depth: MAX_DEPTH })).toEqual({
      kind: 'transition',
      transition: {
        kind: 'reset-workflow',
        scope: scope(),
        target: 'START.md',
        cd: inner(),
        task: 'new',
        input: '',
      },
    });
  });

  test.each([
    ['<call-workflow return="BACK" input="{{agent_id}} {{result}} {{x}}">../other</call-workflow>'],
    ['<reset-workflow input="{{agent_id}} {{result}} {{x}}">../other</reset-workflow>'],
  ])('has the variables of the state in its input, filled in one pass: %s', async (text) => {
    expect(await outcomeOf(text)).toMatchObject({ transition: { input: 'main {{agent_id}} {{x}}' } });
  });

  test('by fork-workflow has them, too; a state of the same workflow gets them as written', async () => {
    const text =
      '<fork-workflow next="BACK" input="{{agent_id}}">../other</fork-workflow> <goto input="{{agent_id}}">BACK</goto>';
    expect(await outcomeOf(text)).toMatchObject({ transition: { forks: [{ input: 'main' }], input: '{{agent_id}}' } });
  });

  test('by fork-workflow makes an agent named after the workflow', async () => {
    const text = '<fork-workflow next="BACK" cd="inner" task="inherit" input="x">../other/SECOND</fork-workflow>';
    expect(await outcomeOf(text, { depth: MAX_DEPTH })).toEqual({
      kind: 'transition',
      transition: {
        kind: 'fork',
        next: 'BACK.sh',
        forks: [
          {
            target: 'SECOND.sh',
            workflow: { scope: scope(), abbreviation: 'other' },
            attributes: {},
            input: 'x',
            cd: inner(),
            task: 'inherit',
          },
        ],
      },
    });
  });
});

describe('a mistake of the author', () => {
  test.each([
    ['nothing', '../none/', 'there is no workflow at'],
    ['what is no package', '../broken.zip', 'cannot use'],
    ['an address', 'https://example.com/x.zip', 'is an address'],
  ])('is to name %s', async (_what, specifier, why) => {
    expect(await outcomeOf(`<call-workflow return="BACK">${specifier}</call-workflow>`)).toMatchObject(
      problem({
        kind: 'unusable-workflow',
        tag: 'call-workflow',
        target: specifier,
        why: expect.stringContaining(why),
      }),
    );
  });

  test.each([
    ['a workflow without a beginning', '<fork-workflow next="BACK">../empty/</fork-workflow>', { kind: 'no-entry' }],
    ['a state that it has not', '<reset-workflow>../other/NONE</reset-workflow>', { kind: 'unknown-state' }],
    [
      'a state to return to that is not here',
      '<call-workflow return="NONE">../other</call-workflow>',
      { kind: 'unknown-state', name: 'NONE' },
    ],
  ])('is to name %s', async (_what, text, is) => {
    expect(await outcomeOf(text)).toMatchObject(problem(is));
  });

  test.each(['call-workflow', 'function-workflow'])('is to nest too deep with %s', async (tag) => {
    const text = `<${tag} return="BACK">../other</${tag}>`;
    expect(await outcomeOf(text, { depth: MAX_DEPTH })).toMatchObject(
      problem({ kind: 'too-deep', tag, limit: MAX_DEPTH }),
    );
    expect(await outcomeOf(text, { depth: MAX_DEPTH - 1 })).toMatchObject({ kind: 'transition' });
  });

  test('is a directory that is not there', async () => {
    expect(await outcomeOf('<reset-workflow cd="none">../other</reset-workflow>')).toMatchObject(
      problem({ kind: 'missing-directory', tag: 'reset-workflow', path: join(root, 'work/none'), host: hostname() }),
    );
  });
});

describe('a fork with the conversation so far', () => {
  const forks = '<fork next="BACK" context="branch">START</fork>';

  test.each([
    ['a script of an agent without one is a mistake', {}, problem({ kind: 'no-conversation', target: 'START.sh' })],
    ['a script of an agent that has one begins with it', { session: { id: 's1', sha256: 'a' } }, branched()],
    ['a prompt begins with its own, also with the first one', { state: 'ASK.md' }, branched()],
  ])('by %s', async (_what, agent, expected) => {
    expect(await outcomeOf(forks, agent)).toMatchObject(expected);
  });

  function branched(): object {
    return { kind: 'transition', transition: { kind: 'fork', forks: [{ target: 'START.sh', context: 'branch' }] } };
  }
});
