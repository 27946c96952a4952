// Puts what a conversion has made into its place, whole or not at all: it is written beside its place and renamed. What was there goes only
// when the new one is whole, and only if it is nothing but a package.
import { chmod, link, mkdir, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, exists, explainingWrites, isDirectory, temporaryName } from '../../host/files.js';
import { ScopeError } from '../error.js';
import type { PackageFiles } from './files.js';

/** What is to be written: a folder of files, which may lie in folders of their own, or one file. */
export type Product =
  { readonly kind: 'folder'; readonly files: PackageFiles } | { readonly kind: 'file'; readonly bytes: Buffer };

/** Where to, and whether what is there may go; `check` looks at what was written before it gets its name. */
interface Destination {
  readonly path: string;
  readonly force: boolean;
  /** What a folder that is there holds beside what may go, if anything; absent = all but the files of a package. */
  readonly strangerIn?: (path: string) => Promise<string | undefined>;
  readonly check?: (temporary: string) => Promise<void>;
}

/** Throws a `ScopeError` when something is at `path` that may not go, or when there is no folder for it. */
export async function refuseOccupied({ path, force, strangerIn = noFileOfPackage }: Destination): Promise<void> {
  const parent = join(path, '..');
  if (!(await isDirectory(parent))) throw new ScopeError('Missing', `there is no folder ${parent}; make it first`);
  const found = await stat(path).catch(() => undefined); // nothing, or a link to nothing, which is replaced
  if (found === undefined) return;
  if (!force)
    throw new ScopeError('Layout', `${path} is there already; name another place, or replace it with --force`);
  if (!found.isDirectory()) return;
  const stranger = await strangerIn(path);
  if (stranger === undefined) return;
  const what = `${path} holds ${stranger}, which was not made by this command`;
  throw new ScopeError('Layout', `${what}: it is not replaced; name another place, or move it away`);
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
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined); // what went wrong before says more
  }
}

async function writeFolder(folder: string, files: PackageFiles): Promise<void> {
  await mkdir(folder);
  for (const [name, { content, executable }] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
    const { mode } = await stat(path);
    // Whoever may read it, as the user's mask says, may run it.
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
  // A link does not replace what somebody else has put there meanwhile.
  try {
    await link(temporary, path);
    await unlink(temporary);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    await rename(temporary, path); // a file system without links
  }
}
