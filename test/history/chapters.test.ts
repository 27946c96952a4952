// What is kept of runs in the store: documents that are no longer what was written are named, with what to do.
import { expect, test } from '@jest/globals';
import { checkKept, closedRun } from '../../src/history/chapters.js';
import { FolderStore } from '../../src/store/folder.js';
import { StoreDamaged } from '../../src/store/store.js';
import { folder } from '../support/folder.js';

test.each([
  [
    'run.json',
    '\0\0',
    /runs\/r%3A1\/run\.json is damaged: it is not JSON .*; put it back from a backup; without it only Temporal/,
  ],
  ['run.json', '[]', /run\.json is damaged: it is JSON, but not the document that was stored/],
  [
    'a.json',
    '[{"agentId":"main"',
    /a\.json is damaged: it is not JSON .*, or remove it: the turns of the run r:1 in it are lost/,
  ],
  ['a.json', '[{"agentId":"main"}]', /a\.json is damaged: it is JSON, but not the document that was stored/],
])('%s with %j', async (name, text, message) => {
  const store = new FolderStore(await folder({ [`runs/r%3A1/${name}`]: text }));
  const error = await checkKept(store, { runId: 'r:1', name }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreDamaged);
  expect((error as Error).message).toMatch(message);
});

test('what was never kept is absent', async () => {
  expect(await closedRun(new FolderStore(await folder()), 'r')).toBeUndefined();
});
