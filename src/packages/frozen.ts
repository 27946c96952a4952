// Freezes a package: its files are copied under the hash of their content, and the run uses the copy. The copy gets its
// name only when it is complete, and is never written again.
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  errorCode,
  exists,
  flushToDisk,
  makeDurableFolder,
  makePrivateFolder,
  renameDurable,
  temporaryName,
  touch,
} from '../host/files.js';
import { type Scope, originOf } from '../protocol/scope.js';
import { DirectoryScope, hashHead } from './directory.js';
import { sha256Of } from '../host/sha256.js';
import { ScopeError, readWhole, whyUnreadable } from './error.js';
import { MAX_ENTRIES, MAX_PACKAGE_BYTES } from './limits.js';
import type { Packed, PackedFile } from './packed.js';

/** Reads the files directly in a folder; `sha256` is the hash of the folder itself. */
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
    const content = await readWhole(join(path, name), MAX_PACKAGE_BYTES);
    hash.update(hashHead(name, content.length)).update(content);
    files.set(name, { content, executable });
    size += content.length;
  }
  return { sha256: hash.digest('hex'), size, files, warnings: [] };
}

/** Reads a frozen folder. Throws `HashMismatch` when it was changed. */
export async function readFrozen(path: string): Promise<Packed> {
  const packed = await readFolder(path);
  if (packed.sha256 === basename(path)) return packed;
  throw new ScopeError(
    'HashMismatch',
    `the pinned package ${path} was changed; remove it, and start the workflow again`,
  );
}

function tooLarge(path: string, what: string): ScopeError {
  const message = `${path} has ${what} and is too large to freeze; move other files out, or start without --pin (with a bucket: with --live)`;
  return new ScopeError('TooLarge', message);
}

/**
 * Copies a package below `artifactDir` unless it is there already; returns the scope of the copy. Throws a
 * `ScopeError`.
 */
export async function pinned(scope: Scope, artifactDir: string): Promise<Scope> {
  const packages = join(artifactDir, 'packages');
  const origin = originOf(scope);
  if (scope.kind === 'directory') {
    const { sha256, files } = await readFolder(scope.path);
    const path = join(packages, sha256);
    await writeOnce(path, (temporary) => writeFolder(temporary, files));
    return { kind: 'directory', path, origin };
  }
  const content = await readWhole(scope.path, MAX_PACKAGE_BYTES);
  const path = join(packages, `${sha256Of(content)}.${scope.kind}`);
  await writeOnce(path, (temporary) => writeReadOnly(temporary, { content, executable: false }));
  return { ...scope, path, origin };
}

async function writeOnce(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  // Absent or unreachable: writing it reports the reason.
  if (await touch(path)) return;
  const temporary = temporaryName(path);
  try {
    await makeDurableFolder(join(path, '..'));
    await write(temporary);
    await renameDurable(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined); // The original error says more.
    // Another process has frozen the same content meanwhile.
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '') && (await exists(path))) return;
    throw new ScopeError('Unreadable', `cannot freeze the package at ${path}: ${whyUnreadable(error)}`, {
      cause: error,
    });
  }
}

async function writeFolder(folder: string, files: ReadonlyMap<string, PackedFile>): Promise<void> {
  await makePrivateFolder(folder);
  for (const [name, file] of files) await writeReadOnly(join(folder, name), file);
}

async function writeReadOnly(path: string, { content, executable }: PackedFile): Promise<void> {
  await writeFile(path, content, { mode: executable ? 0o500 : 0o400, flag: 'wx' });
  await flushToDisk(path);
}
