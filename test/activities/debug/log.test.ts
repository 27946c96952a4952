// transitions.log of a run with several writers: order, totals and what is read again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { TransitionLog } from '../../../src/activities/debug/log.js';
import { folder } from '../../support/folder.js';

const entry =
  (agent: string) =>
  (total: number): string =>
    `2026-01-15 14:30:22 [${agent}] A -> B (goto)\n  total_cost: $${total.toFixed(2)}\n\n`;

const totalsIn = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).match(/(?<=total_cost: \$).*/g) ?? [];

test('entries stand in their order, with the total of their own agent', async () => {
  const path = join(await folder(), 'transitions.log');
  const log = new TransitionLog(path);
  log.spent('b', 1);
  await Promise.all(['a', 'b', 'a', 'b', 'a'].map((agent) => log.add(agent, 0.5, entry(agent))));
  expect(await totalsIn(path)).toEqual(['0.50', '1.50', '1.00', '2.00', '1.50']);
});

test('the totals continue after a restart, and over what another worker has written meanwhile', async () => {
  const path = join(await folder(), 'transitions.log');
  const [one, two] = [new TransitionLog(path), new TransitionLog(path)];
  for (const log of [one, two, two, one, new TransitionLog(path), two]) await log.add('a', 1, entry('a'));
  expect(await totalsIn(path)).toEqual(['1.00', '2.00', '3.00', '4.00', '5.00', '6.00']);
});

test('a log that cannot be written rejects, and the next entry is tried again', async () => {
  const log = new TransitionLog(join(await folder({ no: '' }), 'no', 'transitions.log'));
  await expect(log.add('a', 1, entry('a'))).rejects.toThrow('ENOTDIR');
  await expect(log.add('a', 1, entry('a'))).rejects.toThrow('ENOTDIR');
});

test('a log whose folder was removed is started again', async () => {
  const path = join(await folder(), 'gone', 'transitions.log');
  await new TransitionLog(path).add('a', 1, entry('a'));
  expect(await totalsIn(path)).toEqual(['1.00']);
});
