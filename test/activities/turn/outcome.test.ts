// From what a state printed to the turn's outcome, with real folders: targets, directories, large values, mistakes, warnings.
import { rm, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../../src/store/folder.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import type { ForkPage } from '../../../src/protocol/machine/transition.js';
import { readOutcome } from '../../../src/activities/turn/outcome.js';
import type { TurnOutcome, TurnRequest } from '../../../src/contract/turns.js';
import { MAX_INLINE_BYTES } from '../../../src/protocol/text.js';
import { folder } from '../../support/folder.js';

let scope: string;
let cwd: string;
let artifacts: ArtifactStore;
beforeEach(async () => {
  scope = await folder({
    'NEXT.md': '',
    'BACK.sh': '',
    'WORKER.md': '',
    'TWICE.md': '',
    'TWICE.sh': '',
    'WIN.bat': '',
  });
  cwd = await folder({ 'inner/deep/.keep': '', file: '' });
  artifacts = new FolderStore(join(await folder(), 'artifacts'));
});

/** An agent in `cwd`, whose states are those of `scope`. */
const agentHere = (): TurnRequest['agent'] => ({
  id: 'main',
  scope: { kind: 'directory', path: scope },
  state: 'START.sh',
  via: 'start',
  cwd,
  home: '/home/user',
  attributes: {},
  forks: 0,
  turn: 3,
});

const read = (text: string) =>
  readOutcome(text, { agent: agentHere(), artifacts, cacheDir: '/nowhere', taskFolder: '/nowhere' });
const outcomeOf = async (text: string): Promise<TurnOutcome> => (await read(text)).outcome;
const transition = (is: object): object => ({ kind: 'transition', transition: is });
const problem = (is: object): object => ({ kind: 'problem', problem: expect.objectContaining(is) });

test('a fork cannot give a script a variable that its environment has, or that changes how programs run', async () => {
  const environment = { TOKEN: 'secret' };
  const outcome = async (text: string): Promise<TurnOutcome> =>
    (
      await readOutcome(text, {
        agent: agentHere(),
        artifacts,
        cacheDir: '/nowhere',
        taskFolder: '/nowhere',
        environment,
      })
    ).outcome;
  const fork = (attribute: string, target = 'BACK'): string => `<fork next="NEXT" ${attribute}>${target}</fork>`;
  const taken = { kind: 'taken-name', tag: 'fork', target: 'BACK.sh' };
  expect(await outcome(fork('BASH_ENV="plan.md"'))).toMatchObject(
    problem({ ...taken, attribute: 'BASH_ENV', conflict: 'setting' }),
  );
  expect(await outcome(fork('TOKEN="x"'))).toMatchObject(
    problem({ ...taken, attribute: 'TOKEN', conflict: 'inherited' }),
  );
  for (const fine of [fork('token="x" ITEM="y"'), fork('PATH="x"', 'WORKER')])
    expect(await outcome(fine)).toMatchObject(transition({ kind: 'fork' }));
});

describe('a transition', () => {
  test.each<[string, object]>([
    ['words <goto>NEXT</goto> words', { kind: 'goto', target: 'NEXT.md' }],
    ['<goto>NEXT.md</goto>', { kind: 'goto', target: 'NEXT.md' }],
    ['<goto input="hi">BACK</goto>', { kind: 'goto', target: 'BACK.sh', input: 'hi' }],
    ['<goto input="">BACK</goto>', { kind: 'goto', target: 'BACK.sh', input: '' }],
    ['<reset>NEXT</reset>', { kind: 'reset', target: 'NEXT.md' }],
    ['<call return="BACK">NEXT</call>', { kind: 'call', target: 'NEXT.md', return: 'BACK.sh' }],
    [
      '<function return="BACK" input="x">NEXT</function>',
      { kind: 'function', target: 'NEXT.md', return: 'BACK.sh', input: 'x' },
    ],
    [
      '<goto item="a">NEXT</goto> <fork n="1">WORKER</fork>',
      {
        kind: 'fork',
        forks: [{ target: 'WORKER.md', attributes: { n: '1' } }],
        next: 'NEXT.md',
        attributes: { item: 'a' },
      },
    ],
    [
      '<call return="BACK" item="a">NEXT</call>',
      { kind: 'call', target: 'NEXT.md', return: 'BACK.sh', attributes: { item: 'a' } },
    ],
    ['<result>  done\n</result>', { kind: 'result', payload: 'done' }],
    ['<result></result>', { kind: 'result', payload: '' }],
    [
      '<fork next="NEXT" item="a" input="in">WORKER</fork>',
      { kind: 'fork', forks: [{ target: 'WORKER.md', attributes: { item: 'a' }, input: 'in' }], next: 'NEXT.md' },
    ],
    [
      '<fork n="1">WORKER</fork> and <fork n="2">BACK</fork>, then <goto input="mine">NEXT</goto>',
      {
        kind: 'fork',
        forks: [
          { target: 'WORKER.md', attributes: { n: '1' } },
          { target: 'BACK.sh', attributes: { n: '2' } },
        ],
        next: 'NEXT.md',
        input: 'mine',
      },
    ],
  ])('%s is resolved to files', async (text, expected) => {
    expect(await read(text)).toEqual({ outcome: transition(expected), warnings: [] });
  });

  test('goes by the files as they are now', async () => {
    await rm(join(scope, 'NEXT.md'));
    expect(await outcomeOf('<goto>NEXT</goto>')).toEqual({
      ...problem({ kind: 'unknown-state', name: 'NEXT' }),
      text: '<goto>NEXT</goto>',
    });
  });
});

describe('a directory', () => {
  test.each([
    ['inner', 'inner'],
    ['inner/deep', 'inner/deep'],
    ['./inner/../inner/', 'inner'],
    ['.', ''],
  ])('cd="%s" is seen from the agent', async (cd, path) => {
    const expected = join(cwd, path).replace(/\/$/, '');
    expect(await outcomeOf(`<reset cd="${cd}">NEXT</reset>`)).toEqual(
      transition({ kind: 'reset', target: 'NEXT.md', cd: expected }),
    );
    expect(await outcomeOf(`<fork next="NEXT" cd="${cd}">WORKER</fork>`)).toEqual(
      transition({ kind: 'fork', forks: [{ target: 'WORKER.md', attributes: {}, cd: expected }], next: 'NEXT.md' }),
    );
  });

  test('may be absolute, and a link', async () => {
    const elsewhere = await folder();
    await symlink(elsewhere, join(cwd, 'link'));
    for (const cd of [elsewhere, join(cwd, 'link')]) {
      expect(await outcomeOf(`<reset cd="${cd}">NEXT</reset>`)).toEqual(
        transition({ kind: 'reset', target: 'NEXT.md', cd }),
      );
    }
  });

  test.each(['none', 'file', '/no/such/place'])('%s that is none is a mistake naming path and host', async (cd) => {
    const path = cd.startsWith('/') ? cd : join(cwd, cd);
    for (const [tag, text] of [
      ['reset', `<reset cd="${cd}">NEXT</reset>`],
      ['fork', `<fork next="NEXT" cd="${cd}">WORKER</fork>`],
    ] as const) {
      const missing = { kind: 'missing-directory', tag, path, host: hostname() };
      expect(await outcomeOf(text)).toEqual({ kind: 'problem', problem: missing, text });
    }
  });

  test('of one worker that is missing keeps all workers from starting', async () => {
    const text = '<fork cd="inner">WORKER</fork><fork cd="none">WORKER</fork><goto>NEXT</goto>';
    expect((await outcomeOf(text)).kind).toBe('problem');
  });
});

describe('a large value', () => {
  const large = 'é'.repeat(MAX_INLINE_BYTES / 2) + '.';

  test.each([
    ['a payload', `<result>${large}</result>`, 'payload'],
    ['an input', `<goto input="${large}">NEXT</goto>`, 'input'],
    ["a forking agent's own input", `<fork>WORKER</fork><goto input="${large}">NEXT</goto>`, 'input'],
  ])('%s is kept as an artifact', async (_what, text, field) => {
    const outcome = await outcomeOf(text);
    const reference = { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: Buffer.byteLength(large) };
    expect(outcome).toEqual(transition(expect.objectContaining({ [field]: reference })));
    if (outcome.kind !== 'transition') throw new Error(outcome.kind);
    const kept = (outcome.transition as unknown as Record<string, { sha256: string; bytes: number }>)[field];
    expect(await artifacts.text(kept!)).toBe(large);
  });

  test('each worker has its own', async () => {
    const outcome = await outcomeOf(
      `<fork input="${large}">WORKER</fork><fork input="small">WORKER</fork><goto>NEXT</goto>`,
    );
    expect(outcome).toEqual(
      transition(
        expect.objectContaining({
          forks: [
            { target: 'WORKER.md', attributes: {}, input: expect.objectContaining({ bytes: MAX_INLINE_BYTES + 1 }) },
            { target: 'WORKER.md', attributes: {}, input: 'small' },
          ],
        }),
      ),
    );
  });
});

test('very many forks with long inputs travel in pages, and are all there', async () => {
  const input = 'x'.repeat(30_000);
  const outcome = await outcomeOf(`${`<fork input="${input}">WORKER</fork>`.repeat(200)}<goto>NEXT</goto>`);
  expect(JSON.stringify(outcome).length).toBeLessThan(1000);
  if (outcome.kind !== 'transition' || outcome.transition.kind !== 'fork') throw new Error(outcome.kind);
  const { forks, more } = outcome.transition;
  expect([forks, more?.count]).toEqual([[], 200]);
  const inputs: unknown[] = [];
  for (let page = more?.page; page !== undefined;) {
    const text = await artifacts.text(page);
    expect(text.length).toBeLessThan(256 * 1024);
    const content = JSON.parse(text) as ForkPage;
    expect(content.forks.length).toBeLessThanOrEqual(100);
    inputs.push(...content.forks.map((fork) => fork.input));
    page = content.next;
  }
  expect(inputs).toEqual(Array.from({ length: 200 }, () => ({ sha256: expect.any(String), bytes: 30_000 })));
});

describe('a mistake', () => {
  test.each([
    ['', { kind: 'no-tag' }],
    ['only words', { kind: 'no-tag' }],
    ['<goto>NEXT</goto><result>x</result>', { kind: 'several-tags', count: 2 }],
    ['<goto></goto>', { kind: 'empty-target', tag: 'goto' }],
    ['<goto>../NEXT</goto>', { kind: 'path-in-target', target: '../NEXT' }],
    ['<call>NEXT</call>', { kind: 'missing-attribute', attribute: 'return' }],
    ['<goto>NXET</goto>', { kind: 'unknown-state', name: 'NXET', near: 'NEXT.md' }],
    ['<goto>next</goto>', { kind: 'unknown-state', name: 'next', near: 'NEXT.md' }],
    ['<goto>TWICE</goto>', { kind: 'ambiguous-state', files: ['TWICE.md', 'TWICE.sh'] }],
    ['<goto>WIN</goto>', { kind: 'wrong-platform', files: ['WIN.bat'] }],
    ['<call return="GONE">NEXT</call>', { kind: 'unknown-state', name: 'GONE' }],
    ['<fork next="GONE">WORKER</fork>', { kind: 'unknown-state', name: 'GONE' }],
    ['<fork next="NEXT">WORKER</fork><fork next="BACK">WORKER</fork>', { kind: 'several-continuations' }],
  ])('%s is a value with the words that it is about', async (text, expected) => {
    expect(await read(text)).toEqual({ outcome: { ...problem(expected), text }, warnings: [] });
  });

  test('keeps no more than the last words of an output', async () => {
    const outcome = await outcomeOf(`${'x'.repeat(5000)}the end`);
    expect(outcome).toMatchObject({ kind: 'problem', text: expect.stringMatching(/^x{1993}the end$/) });
  });
});

test('warnings of the tags come with the outcome', async () => {
  const { outcome, warnings } = await read('<goto cd="inner" colour="red">NEXT</goto>');
  expect(outcome).toEqual(transition({ kind: 'goto', target: 'NEXT.md', attributes: { colour: 'red' } }));
  expect(warnings).toEqual([expect.stringContaining('cd')]);
});

test('a scope that is gone is a failure of the world, not a mistake of the state', async () => {
  await rm(scope, { recursive: true });
  await expect(read('<goto>NEXT</goto>')).rejects.toMatchObject({ name: 'ScopeError', code: 'Missing' });
});
