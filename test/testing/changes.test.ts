// What `raymond test --watch` counts as a change, and which tests a change affects.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { concerns, nextChange } from '../../src/testing/changes.js';
import { folder } from '../support/folder.js';

test('files that are saved together are one change; files of runs and editors are none', async () => {
  const path = await folder();
  await mkdir(join(path, 'flow', '.raymond'), { recursive: true });
  const changed = nextChange([path, join(path, 'flow')], new AbortController().signal);
  for (const name of ['flow/.raymond/x', 'flow/A.md~', 'flow/A.md', 'flow/B.sh'])
    await writeFile(join(path, name), 'x');
  expect([...(await changed)].sort()).toEqual([join(path, 'flow/A.md'), join(path, 'flow/B.sh')]);
});

test('an abort ends the wait', async () => {
  const stop = new AbortController();
  const changed = nextChange([await folder()], stop.signal);
  stop.abort();
  expect([...(await changed)]).toEqual([]);
});

test.each([
  ['/w/flow/A.md', true],
  ['/w/t/flow.test.yaml', true],
  ['/w/other/A.md', false],
  ['/w/flow2/A.md', false],
])('a change of %s concerns a test of /w/flow: %s', (path, expected) => {
  expect(concerns(new Set([path]), { file: '/w/t/flow.test.yaml', workflow: '/w/flow' })).toBe(expected);
});
