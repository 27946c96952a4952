// A folder of states read whole, to be frozen or because it was frozen: then its name is the SHA-256 of what is in it.
// Must not write; freeze.ts makes the copies.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DirectoryScope, hashHead } from './directoryScope.js';
import { ScopeError, unreadable } from './error.js';
import { MAX_ENTRIES, MAX_PACKAGE_BYTES } from './limits.js';
import type { Packed, PackedFile } from './packed.js';

/** Reads the files directly in a folder; `sha256` is what the folder itself would be known by. */
export async function readFolder(path: string): Promise<Packed> {
  const listed = await new DirectoryScope(path).ordinary();
  if (listed.length > MAX_ENTRIES) throw tooLarge(path, `more than ${MAX_ENTRIES} files`);
  if (listed.reduce((sum, { size }) => sum + size, 0) > MAX_PACKAGE_BYTES) {
    throw tooLarge(path, `more than ${MAX_PACKAGE_BYTES} bytes`);
  }
  const hash = createHash('sha256');
  const files = new Map<string, PackedFile>();
  let size = 0;
  for (const { name, executable } of listed) {
    const content = await readFile(join(path, name)).catch((error: unknown) => {
      throw unreadable(join(path, name), error);
    });
    hash.update(hashHead(name, content.length)).update(content);
    files.set(name, { content, executable });
    size += content.length;
  }
  return { sha256: hash.digest('hex'), size, files, warnings: [] };
}

/** Reads a frozen folder. Throws `HashMismatch` when somebody has changed it. */
export async function readFrozen(path: string): Promise<Packed> {
  const packed = await readFolder(path);
  if (packed.sha256 === basename(path)) return packed;
  throw new ScopeError(
    'HashMismatch',
    `the frozen package ${path} was changed; remove it, and start the workflow again`,
  );
}

function tooLarge(path: string, what: string): ScopeError {
  const message = `${path} has ${what}, too large to be frozen; keep other files out of it, or start it without --pin`;
  return new ScopeError('TooLarge', message);
}
