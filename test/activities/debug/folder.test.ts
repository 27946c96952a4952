// The debug folders of a worker: one per run, names that no attempt has taken, and a limit on what waits for the disk.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DebugFolders, RunFolder } from '../../../src/activities/debug/folder.js';
import { turnDebug } from '../../../src/activities/debug/turn-files.js';
import { Redactor } from '../../../src/activities/environment/redact.js';
import type { TurnRequest } from '../../../src/contract/turns.js';
import { folder } from '../../support/folder.js';

function request(runId: string, startedAt?: number): TurnRequest {
  return {
    runId,
    settings: { permissions: 'accept-edits', ...(startedAt === undefined ? {} : { debug: { startedAt } }) },
    agent: {
      id: 'main',
      scope: { kind: 'directory', path: '/s' },
      state: 'START.sh',
      via: 'start',
      cwd: '/',
      home: '/',
      attributes: {},
      forks: 0,
      turn: 0,
    },
  };
}

test('all turns of a run have the same folder; another start of the same id has another', async () => {
  const folders = new DebugFolders(await folder());
  expect(folders.of(request('a'))).toBeUndefined();
  expect(folders.of(request('a', 0))).toBe(folders.of(request('a', 0)));
  expect(folders.of(request('a', 0))?.path).not.toBe(folders.of(request('a', 5000))?.path);
});

test('a worker forgets the run that it has not heard of for longest', async () => {
  const folders = new DebugFolders(await folder());
  const [first, second] = [folders.of(request('first', 0)), folders.of(request('second', 0))];
  for (let run = 0; run < 63; run += 1) {
    folders.of(request(`r${run}`, 0));
    folders.of(request('second', 0));
  }
  expect(folders.of(request('second', 0))).toBe(second);
  expect(folders.of(request('first', 0))).not.toBe(first);
});

test('attempts take the first free name from their number on, and no more than can be distinguished', async () => {
  const run = new RunFolder(join(await folder(), 'run'));
  const claim = async (attempt: number): Promise<string> => {
    const { name, file } = await run.claim(
      { agentId: 'main', state: 'A.md', turn: 1 },
      { attempt, extension: '.json' },
    );
    await file.close();
    return name;
  };
  const names = [await claim(1), await claim(1), await claim(99)];
  expect(names).toEqual(['main_A_001', 'main_A_001_2', 'main_A_001_99']);
  await expect(claim(99)).rejects.toThrow('99 attempts');
});

test('when too much waits for the disk, further turns keep nothing, with one warning', async () => {
  const folders = new DebugFolders(await folder());
  const warnings: string[] = [];
  const open = (): unknown =>
    turnDebug({
      folders,
      redactor: new Redactor({}),
      request: request('a', 0),
      attempt: 1,
      warn: (text) => warnings.push(text),
    });
  expect(open()).toBeDefined();
  for (let turn = 0; turn < 200; turn += 1) folders.finish(new Promise(() => undefined));
  expect([open(), open()]).toEqual([undefined, undefined]);
  expect(warnings).toEqual([expect.stringContaining('the disk does not keep up')]);
});
