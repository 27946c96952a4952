// The file of a chain of turns, as a power cut may leave it: what can be read counts, and nothing behind it.
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { chainOfDead, removeChainFiles } from '../../../src/activities/turn/chain-log.js';
import { agentKey } from '../../../src/activities/attempt/attempt-names.js';
import { folder } from '../../support/folder.js';

const activity = { workflowId: 'r/main', workflowRunId: 'x', activityId: '1' };
const HEAD = `${JSON.stringify(activity)}\n`;
const agent = { runId: 'r', agentId: 'main' };
const NAME = `${agentKey('r', 'main')}.jsonl`;

test.each([
  ['whole', `${HEAD}{"turn":1}\n{"turn":2}\n`, [1, 2]],
  ['cut in a line', `${HEAD}{"turn":1}\n{"tur`, [1]],
  ['spoilt in the middle', `${HEAD}{"turn":1}\n\0\0\0\n{"turn":3}\n`, [1]],
  ['spoilt at its head', `\0\0\n{"turn":1}\n`, []],
  ['empty', '', []],
])('a file that is %s gives the turns before the damage', async (_what, text, turns) => {
  const raymondDir = await folder({ [`chains/${NAME}`]: text });
  const chain = await chainOfDead(raymondDir, { ...agent, activity });
  expect(chain.map(({ turn }) => turn)).toEqual(turns);
});

test('a file without a readable head goes when it is old', async () => {
  const raymondDir = await folder({ [`chains/${NAME}`]: '\0\0\n' });
  await utimes(join(raymondDir, 'chains', NAME), new Date(0), new Date(0));
  await removeChainFiles(raymondDir, () => Promise.resolve(false));
  expect(await readdir(join(raymondDir, 'chains'))).toEqual([]);
});
