// The files that a question shows: copied as they are now, and only from inside the working directory.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { FolderStore } from '../../../src/store/folder.js';
import { readOutcome } from '../../../src/activities/turn/outcome.js';
import type { TurnOutcome } from '../../../src/contract/turns.js';
import { folder } from '../../support/folder.js';

let root: string;
beforeEach(async () => {
  root = await folder({
    'scope/NEXT.md': '',
    'work/out/plan.md': 'the plan',
    'work/notes.txt': 'notes',
    'secret.txt': 'secret',
  });
});

async function ask(files: string): Promise<TurnOutcome> {
  const agent = {
    id: 'main',
    scope: { kind: 'directory', path: join(root, 'scope') } as const,
    state: 'START.sh',
    via: 'start',
    cwd: join(root, 'work'),
    home: root,
    attributes: {},
    forks: 0,
    turn: 3,
  };
  const artifacts = new FolderStore(join(root, 'artifacts'));
  const text = `<ask next="NEXT" display_files="${files}">Look.</ask>`;
  return (await readOutcome(text, { agent, artifacts, cacheDir: '/nowhere', taskFolder: join(root, 'task') })).outcome;
}

/** Where the copies lie: the question is that of the agent's fourth turn. */
const shownIn = (): string => join(root, 'task/asks/ask_main_4/shown');

test('files are copied under their labels, and stay as they were', async () => {
  const outcome = await ask('out/plan.md:The plan, notes.txt');
  expect(outcome).toMatchObject({
    transition: { kind: 'ask', shown: [join(shownIn(), 'The plan'), join(shownIn(), 'notes.txt')] },
  });
  await writeFile(join(root, 'work/out/plan.md'), 'changed');
  expect(await readFile(join(shownIn(), 'The plan'), 'utf8')).toBe('the plan');
});

test('copies of an earlier attempt are gone', async () => {
  await ask('out/plan.md,notes.txt');
  await ask('notes.txt');
  expect(await readdir(shownIn())).toEqual(['notes.txt']);
});

test('a link that stays inside is followed', async () => {
  await symlink('out/plan.md', join(root, 'work/latest'));
  await ask('latest');
  expect(await readFile(join(shownIn(), 'latest'), 'utf8')).toBe('the plan');
});

test.each([
  ['that is missing', 'none.txt', 'it does not exist, or is a dangling link'],
  ['that is a folder', 'out', 'it is a directory'],
  ['that is a pipe', 'pipe', 'it is a pipe, not a file'],
  ['that is huge', 'huge', 'it has 10737418240 bytes, more than the limit of 1073741824'],
  ['that is a link out of the working directory', 'leak', 'it is a link to a file outside the working directory'],
  ['in a folder that is a link out of it', 'up/secret.txt', 'it is a link to a file outside the working directory'],
  ['that is a link to nothing', 'broken', 'it does not exist, or is a dangling link'],
])('one %s is a mistake, and nothing of it is copied', async (_what, path, why) => {
  await symlink(join(root, 'secret.txt'), join(root, 'work/leak'));
  await symlink(root, join(root, 'work/up'));
  await symlink('nowhere', join(root, 'work/broken'));
  execFileSync('mkfifo', [join(root, 'work/pipe')]);
  await writeFile(join(root, 'work/huge'), '');
  await truncate(join(root, 'work/huge'), 10 * 1024 ** 3);
  expect(await ask(path)).toMatchObject({ kind: 'problem', problem: { kind: 'unusable-file', tag: 'ask', path, why } });
  expect(await readdir(shownIn())).toEqual([]);
});

test.each([
  ['a path upwards', '../secret.txt'],
  ['an absolute path', '/etc/passwd'],
  ['two files of one name', 'out/plan.md,plan.md'],
  ['two files of one label', 'out/plan.md:A,notes.txt:A'],
  ['a label that is a path', 'notes.txt:a/b'],
])('%s is a mistake of the tag', async (_what, files) => {
  await mkdir(join(root, 'task'), { recursive: true });
  expect(await ask(files)).toMatchObject({
    problem: { kind: 'bad-attribute', tag: 'ask', attribute: 'display_files' },
  });
  expect(await readdir(join(root, 'task'))).toEqual([]);
});
