// What a process reads: a text as an open file that has no name any more. Not a pipe of Node, which is a socket: bash
// with a socket for its input takes itself for a remote login and first runs ~/.bashrc. Keeps nothing on disk.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An open file from which `text` and then the end can be read; whoever asked closes it. Throws what the file system says. */
export function openInput(text: string): number {
  const path = join(tmpdir(), `raymond-input-${randomUUID()}`);
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return openSync(path, 'r');
  } finally {
    unlinkIfThere(path);
  }
}

/** Opens the input of a process, if it has one, for as long as `use` takes. */
export function withInput<T>(text: string | undefined, use: (input: number | 'ignore') => T): T {
  if (text === undefined) return use('ignore');
  const file = openInput(text);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was not made: the error that said so is on its way.
  }
}
