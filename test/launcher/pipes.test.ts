// Named pipes that are lent to processes: used again when they were read to the end, and only then.
import { expect } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { Pipes } from '../../src/launcher/pipes.js';
import { NO_LINUX, testUnless } from '../support/unless.js';

const onLinux = testUnless(NO_LINUX);

// Whatever else this process has open comes and goes.
const openPipes = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).includes('/raymond-pipes-')).length;

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ''; // the folder itself, while it was listed
  }
}

onLinux('a pipe that was read to its end is used again', async () => {
  const pipes = new Pipes();
  const before = openPipes();
  expect(before).toBeGreaterThan(0);
  for (let count = 0; count < 100; count += 1) {
    const readers = pipes.lend(2, (lent) => lent.map(({ reader }) => reader));
    for (const reader of readers) reader.follow();
    await Promise.all(readers.map((reader) => once(reader.resume(), 'close')));
  }
  expect(openPipes()).toBe(before);
});

onLinux('a pipe into which somebody still writes is given to nobody else', async () => {
  const pipes = new Pipes();
  const { writer, reader } = pipes.lend(1, ([out]) => ({
    writer: spawn('yes', { stdio: ['ignore', out!.writer, 'ignore'] }),
    reader: out!.reader,
  }));
  reader.destroy();
  // With the last reader gone, the writer gets a signal; it would wait for ever if the pipe were kept for the next turn.
  expect(await once(writer, 'exit')).toEqual([null, 'SIGPIPE']);
});
