// Names of runs, and of the files that are named after them.
import { expect, test } from '@jest/globals';
import { fileNameOfRun, RUN_ID, runOfFileName } from '../../src/protocol/ids.js';

test.each(['a', 'hello-20261122-012052-9f', 'nightly-2026-11-22T01:20:52Z', 'x'.repeat(200)])(
  '%s is a run id, and the file that is named after it tells it again',
  (runId) => {
    expect(RUN_ID.test(runId)).toBe(true);
    expect(fileNameOfRun(runId)).toMatch(/^[A-Za-z0-9._%-]+$/);
    expect(runOfFileName(fileNameOfRun(runId))).toBe(runId);
  },
);

test.each(['', ':a', 'a b', 'a/b', 'a%3Ab', 'x'.repeat(201)])('"%s" is none', (text) => {
  expect(RUN_ID.test(text)).toBe(false);
});
