// A copy of a package on disk, for the programs that run its scripts: one folder per content, shared by the turns of a worker.
// Must not trust what it finds there: a script may have written into its own copy, or a cleaner removed parts of it.
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, temporaryName } from '../../host/files.js';
import type { Packed, PackedFile } from './packed.js';

/** Copies that this process has seen whole. */
const whole = new Set<string>();

/** Makes or mends the copy of a package under `folder`; gives its folder. The file `wanted` is checked each time, the others once. */
export async function unpack(
  { sha256, files }: Packed,
  { folder, label, wanted }: { readonly folder: string; readonly label: string; readonly wanted: string },
): Promise<string> {
  const copy = join(folder, `${label}-${sha256.slice(0, 32)}`);
  const needed = files.get(wanted);
  if (needed !== undefined && whole.has(copy) && (await isThere(join(copy, wanted), needed))) return copy;
  await makePrivateFolder(copy);
  for (const [name, file] of files) await put(join(copy, name), file);
  whole.add(copy);
  return copy;
}

async function put(path: string, file: PackedFile): Promise<void> {
  if (await isThere(path, file)) return;
  // Renamed into its place, because a shell reads the script that it runs bit by bit.
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, file.content, { mode: 0o600, flag: 'wx' });
    if (file.executable) await chmod(temporary, 0o700);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error says more
    throw error;
  }
}

async function isThere(path: string, { content }: PackedFile): Promise<boolean> {
  try {
    return content.equals(await readFile(path));
  } catch {
    return false; // absent or unreadable: `put` makes it anew, or says why it cannot
  }
}
