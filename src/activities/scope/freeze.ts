// Freezing a package: its files are copied into the artifact store under the hash of their content, and the run uses the copy.
// Nothing gets that name before it is whole; what is there is never written again. Must not check the package.
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../../protocol/agent.js';
import { originOf } from '../../protocol/scope.js';
import { readWhole, ScopeError, sha256Of, whyUnreadable } from './error.js';
import { readFolder } from './frozen.js';
import { MAX_PACKAGE_BYTES } from './limits.js';
import type { PackedFile } from './packed.js';
import { errorCode, makePrivateFolder, temporaryName } from '../../host/files.js';

/** Copies a package below `artifactDir`, unless it is there; gives the scope of the copy. Throws a `ScopeError`. */
export async function pinned(scope: Scope, artifactDir: string): Promise<Scope> {
  const packages = join(artifactDir, 'packages');
  const origin = originOf(scope);
  if (scope.kind === 'directory') {
    const { sha256, files } = await readFolder(scope.path);
    const path = join(packages, sha256);
    await place(path, (temporary) => writeFolder(temporary, files));
    return { kind: 'directory', path, origin };
  }
  const content = await readWhole(scope.path, MAX_PACKAGE_BYTES);
  const path = join(packages, `${sha256Of(content)}.${scope.kind}`);
  await place(path, (temporary) => writeReadOnly(temporary, { content, executable: false }));
  return { ...scope, path, origin };
}

async function place(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  if (await isThere(path)) return;
  const temporary = temporaryName(path);
  try {
    await makePrivateFolder(join(path, '..'));
    await write(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined); // the first error says more
    // Somebody else has frozen the same content meanwhile.
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '') && (await isThere(path))) return;
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
}

async function isThere(path: string): Promise<boolean> {
  // Absent or unreachable: writing it says why.
  return (await stat(path).catch(() => undefined)) !== undefined;
}
