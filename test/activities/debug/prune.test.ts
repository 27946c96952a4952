// What stays in a debug folder: the last turns of every state of every agent, and whatever is not of a turn.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { turnName, outdated, Pruner } from '../../../src/activities/debug/folder.js';
import { folder } from '../../support/folder.js';

const name = (state: string, turn: number, agentId = 'main'): string => `${turnName({ agentId, state, turn }, 1)}.json`;

test('the last turns of each state are kept, however far apart they are', () => {
  const names = [1, 5, 900, 1001].map((turn) => name('A.md', turn));
  const others = [name('B.md', 1), name('A.md', 1, 'main_a1'), 'transitions.log', 'notes.txt'];
  expect(outdated([...names, ...others], 2)).toEqual([name('A.md', 5), name('A.md', 1)]);
});

test('all files of a turn go together, those of its other attempts too', () => {
  const old = ['main_A_001.meta.json', 'main_A_001.stdout.txt', 'main_A_001.stderr.txt', 'main_A_001_2.stdout.txt'];
  expect(outdated([...old, 'main_A_002.meta.json'], 1)).toEqual(old);
});

test('a folder is looked at in the first turn, and then every hundred turns', async () => {
  const path = await folder({ [name('A.md', 1)]: '[]', [name('A.md', 2)]: '[]' });
  const pruner = new Pruner(path, 1);
  await pruner.turn();
  expect(await readdir(path)).toEqual([name('A.md', 2)]);
  await writeFile(join(path, name('A.md', 3)), '[]');
  for (let turn = 0; turn < 100; turn += 1) await pruner.turn();
  expect(await readdir(path)).toHaveLength(2);
  await pruner.turn();
  expect(await readdir(path)).toEqual([name('A.md', 3)]);
});
