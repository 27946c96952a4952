// Writes the result of a conversion, whole or not at all: under a temporary name beside the target, then renamed. An
// existing target is removed only after that, and only if it contains nothing but a package.
import { chmod, link, mkdir, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, exists, explainingWrites, isDirectory, temporaryName } from '../../host/files.js';
import { ScopeError } from '../error.js';
import type { PackageFiles } from './files.js';

/** What to write: a folder of files, which may be in subfolders, or one file. */
export type Product =
  { readonly kind: 'folder'; readonly files: PackageFiles } | { readonly kind: 'file'; readonly bytes: Buffer };

/** The target, and whether an existing one may be replaced; `check` reads what was written before it gets its name. */
interface Destination {
  readonly path: string;
  readonly force: boolean;
  /**
   * The first thing in an existing folder that must be kept, if any; absent = everything except the files of a package.
   */
  readonly strangerIn?: (path: string) => Promise<string | undefined>;
  readonly check?: (temporary: string) => Promise<void>;
}

/** Throws a `ScopeError` when `path` holds something that must be kept, or when its parent folder is missing. */
export async function refuseOccupied({ path, force, strangerIn = noFileOfPackage }: Destination): Promise<void> {
  const parent = join(path, '..');
  if (!(await isDirectory(parent))) throw new ScopeError('Missing', `there is no folder ${parent}; create it first`);
  const found = await stat(path).catch(() => undefined); // Nothing there, or a dangling link, which is replaced.
  if (found === undefined) return;
  if (!force) throw new ScopeError('Layout', `${path} already exists; choose another path, or replace it with --force`);
  if (!found.isDirectory()) return;
  const stranger = await strangerIn(path);
  if (stranger === undefined) return;
  const what = `${path} holds ${stranger}, which was not made by this command`;
  throw new ScopeError('Layout', `${what}; choose another path, or move it away`);
}

async function noFileOfPackage(path: string): Promise<string | undefined> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.find((entry) => !entry.isFile() || entry.name.startsWith('.'))?.name;
}

/** Writes it. Throws `UnwritableError`, and what `check` throws. */
export async function put(product: Product, destination: Destination): Promise<void> {
  const { path, check, force } = destination;
  const temporary = temporaryName(path);
  try {
    await explainingWrites(path, async () => {
      if (product.kind === 'file') await writeFile(temporary, product.bytes, { flag: 'wx' });
      else await writeFolder(temporary, product.files);
    });
    await check?.(temporary);
    await explainingWrites(path, () => moveInto(path, { temporary, product, force }));
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined); // The original error says more.
  }
}

async function writeFolder(folder: string, files: PackageFiles): Promise<void> {
  await mkdir(folder);
  for (const [name, { content, executable }] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
    const { mode } = await stat(path);
    // Every user who may read the file by the umask may also run it.
    if (executable) await chmod(path, (mode & 0o777) | ((mode & 0o444) >> 2));
  }
}

async function moveInto(
  path: string,
  { temporary, product, force }: { readonly temporary: string; readonly product: Product; readonly force: boolean },
): Promise<void> {
  if (force && (await exists(path))) {
    const old = temporaryName(path);
    await rename(path, old);
    try {
      await rename(temporary, path);
    } catch (error) {
      await rename(old, path);
      throw error;
    }
    return await rm(old, { recursive: true, force: true });
  }
  if (product.kind === 'folder') return await rename(temporary, path);
  // A link does not replace a file that another process put there meanwhile.
  try {
    await link(temporary, path);
    await unlink(temporary);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    await rename(temporary, path); // A file system without hard links.
  }
}
