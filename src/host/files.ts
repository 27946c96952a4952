// Small files that other processes read while we write them: whole or not at all, for the owner's eyes only.
// Imports node: only; must not know what is in the files.
import { readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

let names = 0;

/** A name next to `path` that nobody else uses, for a file that is linked or renamed to `path` when it is whole. */
export function temporaryName(path: string): string {
  // The time, because a pid may come again and find what a killed process left.
  return `${path}.${process.pid}-${Date.now().toString(36)}-${names++}.tmp`;
}

/** Replaces the file by `text` so that a reader sees the old or the new content, never a part; mode 0600. */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Creates the folder and its missing parents with mode 0700; a folder that exists stays as it is. */
export async function makePrivateFolder(path: string): Promise<void> {
  // Not mkdir's own `recursive`: where a folder cannot be created although its parent is there (/proc), it never returns.
  const parent = dirname(path);
  if (parent !== path && !isFolder(parent)) await makePrivateFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(path)) throw error; // else it was there, or somebody else made it meanwhile
  }
}

/** The parsed JSON of a file, or undefined when there is no such file or it is not JSON. */
export function readJsonFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // garbled: the caller treats it as absent and writes it anew
  }
}

/** The code of a system error such as `ENOENT`, or undefined for any other thrown value. */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof Error`: an error of another realm (a vm context) is none of ours.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // whatever is in the way, the caller's own error says it better
  }
}
