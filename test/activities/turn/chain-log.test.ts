// The file of a chain of turns, as a power cut may leave it: what can be read counts, and nothing behind it.
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { defaultDataConverter } from '@temporalio/common';
import { chainOfDead, removeChainFiles } from '../../../src/activities/turn/chain-log.js';
import { agentKey } from '../../../src/activities/attempt/attempt-names.js';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';
import { TestWorker, type Playing } from '../test-worker.js';

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

test('a heartbeat that the worker sends while a turn is being written down has that turn, too', async () => {
  const beside: unknown[] = [];
  let heartbeats: Playing['heartbeats'] = [];
  const client = {
    options: { namespace: 'default', identity: 'w', loadedDataConverter: defaultDataConverter },
    withDeadline: (_until: number, call: () => Promise<unknown>) => call(),
    withAbortSignal: (_signal: AbortSignal, call: () => Promise<unknown>) => call(),
    workflowService: {
      recordActivityTaskHeartbeat: async () => {
        const before = heartbeats.length;
        await until(() => heartbeats.length > before, { what: 'a heartbeat beside it' });
        beside.push(heartbeats[before]?.chain?.map(({ state }) => state));
        return {};
      },
    },
  };
  const worker = await TestWorker.with(
    { 'FIRST.sh': 'echo "<goto>SECOND</goto>"\n', 'SECOND.sh': 'echo "<result>end</result>"\n' },
    {
      settings: { heartbeatMs: 100, chains: 'heartbeat' },
      server: { client: client as unknown as Client, scheduledMsAgo: 0 },
    },
  );
  // On a busy machine the first turn may take longer than a whole chain may.
  const chained = async (): Promise<boolean> => {
    const playing = worker.play({ agent: { state: 'FIRST.sh', turn: 1 }, chain: { stack: [] } });
    heartbeats = playing.heartbeats;
    return (await playing.report).chain !== undefined;
  };
  await until(chained, { what: 'a chain of two turns' });
  expect(beside.at(-1)).toEqual(['FIRST.sh']);
});
