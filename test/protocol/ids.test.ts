// Names of runs, and of the files that are named after them.
import { expect, test } from '@jest/globals';
import {
  fileNameOfRun,
  identityText,
  parseIdentity,
  RUN_ID,
  runOfFileName,
  type WorkerIdentity,
} from '../../src/protocol/ids.js';

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

test.each<[string, WorkerIdentity]>([
  ['7@east', { pid: 7, host: 'east' }],
  ['7@east#0123456789ab', { pid: 7, host: 'east', machine: '0123456789ab' }],
  ['7@east []', { pid: 7, host: 'east', sandboxes: [] }],
  [
    '7@east#0123456789ab [process,container]',
    { pid: 7, host: 'east', machine: '0123456789ab', sandboxes: ['process', 'container'] },
  ],
])('%s is the identity of a worker', (text, identity) => {
  expect(identityText(identity)).toBe(text);
  expect(parseIdentity(text)).toEqual(identity);
});
