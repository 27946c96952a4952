// Streams that take nothing more: a pipe whose reader has gone, a full disk.
import { Readable, Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { openIo, readAll, type Io } from '../../src/cli/io.js';

test('a reader of stdout that closes its pipe is no error, and the command hears of it', async () => {
  const io = ioOn({ stdout: refusing('EPIPE') });
  expect(io.unread.aborted).toBe(false);
  await io.print('one');
  expect(io.unread.aborted).toBe(true);
  await io.print('two');
});

test('a stdout that cannot be written for another reason is an error', async () => {
  const io = ioOn({ stdout: refusing('ENOSPC') });
  await expect(io.print('one')).rejects.toThrow('ENOSPC');
  expect(io.unread.aborted).toBe(false);
});

test('a stderr that cannot be written ends nothing', async () => {
  const stderr = refusing('EPIPE');
  const io = ioOn({ stderr });
  const failed = new Promise((resolve) => stderr.once('error', resolve));
  io.say('one');
  await failed;
  io.say('two');
});

test('calls that share a stream leave one listener on it', () => {
  const stdout = refusing('EPIPE');
  for (let call = 0; call < 20; call++) ioOn({ stdout });
  expect(stdout.listenerCount('error')).toBe(1);
});

function refusing(code: string): Writable {
  const error = Object.assign(new Error(`write ${code}`), { code });
  return new Writable({ autoDestroy: false, write: (_chunk, _encoding, done) => done(error) });
}

function ioOn(streams: Partial<Pick<Io, 'stdout' | 'stderr'>>): Io {
  const taking = new Writable({ write: (_chunk, _encoding, done) => done() });
  return openIo({ cwd: '/', env: {}, stdin: Readable.from([]), stdout: taking, stderr: taking, ...streams });
}

test('an input without an end is refused, and another is read as UTF-8', async () => {
  await expect(readAll(Readable.from([Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]))).resolves.toBe(
    'é',
  );
  let read = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) yield ((read += 1), Buffer.alloc(1000));
    })(),
  );
  await expect(readAll(endless, 5000)).rejects.toMatchObject({ code: 'InvalidUsage' });
  expect({ destroyed: endless.destroyed, few: read < 100 }).toEqual({ destroyed: true, few: true });
});
