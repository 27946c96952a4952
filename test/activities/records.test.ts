// What `<await>` gives: the results of the agents that are still listed and of those in the archive, in the order of the forks.
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../src/store/folder.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { findArchived, openArchive } from '../../src/activities/archive.js';
import { gatherResults } from '../../src/activities/records.js';
import type { EndedAgent, AgentPage, ArchivePiece, GatherRequest, EndStatus } from '../../src/contract/records.js';
import { isArtifact, type Value } from '../../src/protocol/text.js';
import { folder } from '../support/folder.js';

let artifacts: ArtifactStore;
beforeEach(async () => {
  artifacts = new FolderStore(join(await folder(), 'artifacts'));
});

const FAILURE = { type: 'ScriptFailed', message: 'it broke' } as const;
const ended = (number: number, more: Partial<EndedAgent> = {}): EndedAgent => ({
  id: `main_w${number}`,
  parent: 'main',
  number,
  state: 'W.sh',
  costUsd: 1,
  status: { kind: 'completed', result: `result ${number}` },
  ...more,
});
const failed: EndStatus = { kind: 'failed', failure: FAILURE };
const lost: EndStatus = { kind: 'lost' };

/** Keeps pieces of an archive, the oldest first; gives the newest. */
async function archiveOf(...pieces: readonly (readonly EndedAgent[])[]): Promise<Value> {
  let previous: Value | undefined;
  for (const agents of pieces) {
    previous = await artifacts.put(Buffer.from(JSON.stringify({ agents, ...(previous ? { previous } : {}) })));
  }
  if (previous === undefined) throw new Error('an archive has a piece');
  return previous;
}

async function linesOf(gathering: GatherRequest): Promise<readonly Readonly<Record<string, string>>[]> {
  return JSON.parse(await artifacts.text((await gatherResults(artifacts, gathering)).results)) as [];
}

const idsOf = async (gathering: GatherRequest): Promise<readonly (string | undefined)[]> =>
  (await linesOf(gathering)).map(({ id }) => id);

test('each agent is reported by its id, state, status, attributes, and result or error', async () => {
  const agents = [ended(3, { status: lost }), ended(1, { about: '{"item":"x"}' }), ended(2, { status: failed })];
  expect(await linesOf({ parent: 'main', after: 0, last: 3, ended: agents })).toEqual([
    { id: 'main_w1', state: 'W.sh', status: 'completed', attributes: { item: 'x' }, result: 'result 1' },
    { id: 'main_w2', state: 'W.sh', status: 'failed', error: 'it broke' },
    { id: 'main_w3', state: 'W.sh', status: 'lost' },
  ]);
});

test('a failure is reported whole, though the ledger knows only its beginning', async () => {
  const message = 'x'.repeat(8000);
  const record = await artifacts.put(Buffer.from(JSON.stringify({ agent: {}, failure: { ...FAILURE, message } })));
  const agents = [ended(1, { status: { ...failed, record } })];
  expect(await linesOf({ parent: 'main', after: 0, last: 1, ended: agents })).toMatchObject([{ error: message }]);
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
  expect(await gatherResults(artifacts, { parent: 'main', after: 0, last: 0, ended: [] })).toEqual({
    results: '[]',
    archivedFailures: 0,
  });
});

test('large results are reported whole, and a list that is large is kept as an artifact', async () => {
  const large = 'x'.repeat(40_000);
  const gathering = {
    parent: 'main',
    after: 0,
    last: 1,
    ended: [ended(1, { status: { kind: 'completed', result: await artifacts.value(large) } })],
  };
  expect(isArtifact((await gatherResults(artifacts, gathering)).results)).toBe(true);
  expect(await linesOf(gathering)).toMatchObject([{ result: large }]);
});

test('it stops reading the archive as soon as all are found', async () => {
  const archive = await archiveOf([ended(1)], [ended(2)]);
  const { agents } = JSON.parse(await artifacts.text(archive)) as { agents: readonly EndedAgent[] };
  const missing = await artifacts.put(
    Buffer.from(JSON.stringify({ agents, previous: { sha256: '0'.repeat(64), bytes: 1 } })),
  );
  expect(await idsOf({ parent: 'main', after: 1, last: 2, ended: [], archive: missing })).toEqual(['main_w2']);
});

test('of several lines of one agent the newest counts, and failures from the archive are counted', async () => {
  const archive = await archiveOf(
    [ended(1, { status: failed }), ended(2, { status: failed }), ended(3, { status: lost })],
    [ended(1)],
  );
  const gathering = { parent: 'main', after: 0, last: 4, ended: [ended(4, { status: failed })], archive };
  expect((await linesOf(gathering)).map(({ status }) => status)).toEqual(['completed', 'failed', 'lost', 'failed']);
  expect((await gatherResults(artifacts, gathering)).archivedFailures).toBe(2);
});

describe('opening the archive of a closed run', () => {
  const open = async (
    archive: Value,
    more: { readonly resumable?: Value; readonly awaited?: Readonly<Record<string, number>> } = {},
  ): Promise<{
    readonly stays: readonly string[];
    readonly goesOn: readonly (readonly string[])[];
    readonly count: number;
  }> => {
    const opened = await openArchive(artifacts, { archive, awaited: {}, count: 0, unresolved: 0, ...more });
    const stays: string[] = [];
    for (let piece = opened.archive; piece !== undefined;) {
      const { agents, previous } = JSON.parse(await artifacts.text(piece)) as ArchivePiece;
      stays.unshift(...agents.map(({ id }) => id));
      piece = previous;
    }
    const goesOn: (readonly string[])[] = [];
    for (let page = opened.resumable; page !== undefined;) {
      const { agents, next } = JSON.parse(await artifacts.text(page)) as AgentPage;
      goesOn.push(agents.map(({ id }) => id));
      page = next;
    }
    return { stays, goesOn, count: opened.count };
  };
  const many = (count: number, from = 1, more: Partial<EndedAgent> = {}): readonly EndedAgent[] =>
    Array.from({ length: count }, (_, n) => ended(from + n, more));

  test('agents that ended without a result continue, the others stay', async () => {
    const cancelled: EndStatus = { kind: 'cancelled' };
    const archive = await archiveOf(
      [ended(1, { status: failed }), ended(2)],
      [ended(3, { status: cancelled }), ended(4, { status: lost })],
    );
    expect(await open(archive)).toEqual({
      stays: ['main_w2'],
      goesOn: [['main_w1', 'main_w3', 'main_w4']],
      count: 1,
    });
  });

  test('pages are of a hundred agents, in the order in which these ended', async () => {
    const archive = await archiveOf(
      many(200, 1, { status: failed }),
      many(50, 201, { status: failed }),
      many(150, 251),
    );
    const { stays, goesOn, count } = await open(archive);
    expect(goesOn.map((page) => page.length)).toEqual([100, 100, 50]);
    expect(goesOn.flat()).toEqual(many(250).map(({ id }) => id));
    expect([stays.length, count]).toEqual([150, 150]);
  });

  test('failures that an awaiting agent received are left alone', async () => {
    const archive = await archiveOf([
      ended(1, { status: failed }),
      ended(2, { status: failed, handled: true }),
      ended(3, { status: failed }),
      ended(9, { id: 'main_w1_w9', parent: 'main_w1', status: failed }),
      ended(10, { id: 'main_w1_w10', parent: 'main_w1', status: failed }),
      ended(1, { id: 'main_w1', awaited: 9 }),
    ]);
    expect((await open(archive, { awaited: { main: 2 } })).goesOn).toEqual([['main_w3', 'main_w1_w10']]);
  });

  test('an agent that continued and ended well is not started again; agents that an earlier resumption did not come to are', async () => {
    const waiting: AgentPage = { agents: [ended(7, { status: failed })] };
    const resumable = await artifacts.put(Buffer.from(JSON.stringify(waiting)));
    const archive = await archiveOf([ended(1, { status: failed })], [ended(1)]);
    expect(await open(archive, { resumable })).toEqual({ stays: ['main_w1'], goesOn: [['main_w7']], count: 1 });
  });
});

describe('an archive of which a piece is missing', () => {
  const missing = { sha256: 'f'.repeat(64), bytes: 10 };
  const behind = async (...agents: readonly EndedAgent[]): Promise<Value> =>
    await artifacts.put(Buffer.from(JSON.stringify({ agents, previous: missing })));

  test('opens as far as it is there; the rest stays where it is', async () => {
    const archive = await behind(ended(1), ended(2, { status: failed }));
    const opened = await openArchive(artifacts, { archive, awaited: {}, count: 5, unresolved: 2 });
    expect(opened).toMatchObject({ count: 4, missing: { lost: 1 } });
    expect(opened.missing?.message).toContain(missing.sha256);
    const piece = JSON.parse(await artifacts.text(opened.archive ?? '')) as ArchivePiece;
    expect([piece.agents.map(({ id }) => id), piece.previous]).toEqual([['main_w1'], missing]);
    const page = JSON.parse(await artifacts.text(opened.resumable ?? '')) as AgentPage;
    expect(page.agents.map(({ id }) => id)).toEqual(['main_w2']);
  });

  test('stays as it is when nothing of it can be read', async () => {
    const opened = await openArchive(artifacts, { archive: missing, awaited: {}, count: 3, unresolved: 0 });
    expect(opened).toMatchObject({ archive: missing, count: 3, missing: { lost: 0 } });
  });
});

test('agents are found in the archive by their newest lines', async () => {
  const archive = await archiveOf([ended(1, { status: failed }), ended(2)], [ended(1)], [ended(3)]);
  const found = await findArchived(artifacts, { archive, agentIds: ['main_w1', 'main_w2', 'nobody'] });
  expect(found.map(({ id, status }) => [id, status.kind])).toEqual([
    ['main_w1', 'completed'],
    ['main_w2', 'completed'],
  ]);
});
