// What `<await>` gives: the results of the agents that are still listed and of those in the archive, in the order of the forks.
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { FolderStore } from '../../src/store/folder.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { gatherResults } from '../../src/activities/records.js';
import type { EndedFork, GatherRequest } from '../../src/activities/types.js';
import { isArtifact, type Value } from '../../src/protocol/text.js';
import { folder } from '../support/folder.js';

let artifacts: ArtifactStore;
beforeEach(async () => {
  artifacts = new FolderStore(join(await folder(), 'artifacts'));
});

const ended = (number: number, more: Partial<EndedFork> = {}): EndedFork => ({
  id: `main_w${number}`,
  parent: 'main',
  number,
  state: 'W.sh',
  status: 'completed',
  result: `result ${number}`,
  ...more,
});

/** Keeps pieces of an archive, the oldest first; gives the newest. */
async function archiveOf(...pieces: readonly (readonly EndedFork[])[]): Promise<Value> {
  let previous: Value | undefined;
  for (const agents of pieces) {
    previous = await artifacts.put(Buffer.from(JSON.stringify({ agents, ...(previous ? { previous } : {}) })));
  }
  if (previous === undefined) throw new Error('an archive has a piece');
  return previous;
}

async function linesOf(gathering: GatherRequest): Promise<readonly Readonly<Record<string, string>>[]> {
  return JSON.parse(await artifacts.text(await gatherResults(artifacts, gathering))) as [];
}

const idsOf = async (gathering: GatherRequest): Promise<readonly (string | undefined)[]> =>
  (await linesOf(gathering)).map(({ id }) => id);

test('each agent is told by its id, state, status, and result or error', async () => {
  const failed = { id: 'main_w2', parent: 'main', number: 2, state: 'W.sh', status: 'failed', error: 'it broke' };
  const lost = { id: 'main_w3', parent: 'main', number: 3, state: 'W.sh', status: 'lost' };
  expect(await linesOf({ parent: 'main', after: 0, last: 3, ended: [lost, ended(1), failed] })).toEqual([
    { id: 'main_w1', state: 'W.sh', status: 'completed', result: 'result 1' },
    { id: 'main_w2', state: 'W.sh', status: 'failed', error: 'it broke' },
    { id: 'main_w3', state: 'W.sh', status: 'lost' },
  ]);
});

test('agents of several pieces of the archive stand before and between the listed ones, by their numbers', async () => {
  const archive = await archiveOf([ended(2), ended(1)], [ended(4)], [ended(12), ended(3)]);
  expect(await idsOf({ parent: 'main', after: 0, last: 12, ended: [ended(11), ended(5)], archive })).toEqual(
    [1, 2, 3, 4, 5, 11, 12].map((number) => `main_w${number}`),
  );
});

test("other agents' forks, and those that were awaited before, are not told", async () => {
  const archive = await archiveOf([ended(1), ended(2)], [ended(3, { id: 'main_w1_w3', parent: 'main_w1' }), ended(4)]);
  expect(await idsOf({ parent: 'main', after: 1, last: 3, ended: [ended(3)], archive })).toEqual([
    'main_w2',
    'main_w3',
  ]);
});

test('none is an empty list', async () => {
  expect(await gatherResults(artifacts, { parent: 'main', after: 0, last: 0, ended: [] })).toBe('[]');
});

test('large results are told whole, and a list that is large is kept as an artifact', async () => {
  const large = 'x'.repeat(40_000);
  const gathering = { parent: 'main', after: 0, last: 1, ended: [ended(1, { result: await artifacts.value(large) })] };
  expect(isArtifact(await gatherResults(artifacts, gathering))).toBe(true);
  expect(await linesOf(gathering)).toMatchObject([{ result: large }]);
});

test('it stops reading the archive as soon as all are found', async () => {
  const archive = await archiveOf([ended(1)], [ended(2)]);
  const { agents } = JSON.parse(await artifacts.text(archive)) as { agents: readonly EndedFork[] };
  const missing = await artifacts.put(
    Buffer.from(JSON.stringify({ agents, previous: { sha256: '0'.repeat(64), bytes: 1 } })),
  );
  expect(await idsOf({ parent: 'main', after: 1, last: 2, ended: [], archive: missing })).toEqual(['main_w2']);
});
