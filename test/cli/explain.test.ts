// The last line of a command that ends with an error.
import { Readable, Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { ClientError } from '../../src/client/error.js';
import { explain } from '../../src/cli/explain.js';
import { openIo } from '../../src/cli/io.js';

async function saidOf(error: Error, log?: string): Promise<{ readonly said: string; readonly code: number }> {
  let said = '';
  const stderr = new Writable({ write: (chunk, _encoding, done) => ((said += String(chunk)), done()) });
  const io = openIo({ cwd: '/', env: {}, stdin: Readable.from([]), stdout: stderr, stderr });
  if (log !== undefined) io.embedded.log = log;
  return { code: await explain(error, io), said };
}

const damaged = Object.assign(new Error('13 INTERNAL'), {
  code: 13,
  details: 'database disk image is malformed',
  metadata: {},
});

test('a refusal of the embedded server is reported with its log', async () => {
  expect(await saidOf(damaged, '/p/server.log')).toEqual({
    code: 69,
    said: 'raymond: Temporal rejected the call: database disk image is malformed; check that its server is running and that you have access (its log: /p/server.log)\n',
  });
});

test('what a cluster refuses, and what Raymond refuses itself, names no log', async () => {
  expect((await saidOf(damaged)).said).toMatch(/you have access\n$/);
  expect((await saidOf(new ClientError('Unreachable', 'it is stopped'), '/p/server.log')).said).toBe(
    'raymond: it is stopped\n',
  );
});

test('the error of a process that may open no more files says how to raise the limit', async () => {
  const error = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  expect(await saidOf(error)).toMatchObject({
    code: 69,
    said: expect.stringMatching(/^raymond: .*EMFILE.*ulimit -n 1024\n$/),
  });
});
