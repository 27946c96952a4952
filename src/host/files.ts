// Files and folders of a host: what is there, where a command lies, small files that other processes read while we write them
// (whole or not at all, for the owner's eyes only), and what the errors of a file system mean in words.
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { mkdir, open, rename, rm, stat, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, resolve } from 'node:path';
import { MAX_BYTES, readPlainTextSync } from './plain-file.js';

/** True when something with this path is there (a link that leads nowhere is not). */
export async function exists(path: string): Promise<boolean> {
  return (await statOrNothing(path)) !== undefined;
}

/** True when the path leads to a folder. */
export async function isDirectory(path: string): Promise<boolean> {
  return (await statOrNothing(path))?.isDirectory() ?? false;
}

/** True when something with this path is there, which from now on counts as written just now: whoever tidies up leaves it alone. */
export async function touch(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch {
    return await exists(path); // it is somebody else's, or on a disk that is read only
  }
}

/** Where a command is looked for: the entries of `path` (that of this process when absent). */
interface PathOptions {
  readonly path?: string;
  /** Relative and empty entries count from this folder; without it they are left out. */
  readonly cwd?: string;
}

/** The first executable file of this name on PATH, absolute; on Windows the name needs its extension. */
export function findOnPath(command: string, options: PathOptions = {}): string | undefined {
  return placesOnPath(command, options).find(isExecutable);
}

/** Every path at which a command of this name would be looked for, in their order; a name with a slash from `cwd` only. */
export function placesOnPath(command: string, { path = process.env['PATH'] ?? '', cwd }: PathOptions): string[] {
  if (command.includes('/')) return [resolve(cwd ?? '', command)];
  const folders = path.split(delimiter).filter((folder) => cwd !== undefined || isAbsolute(folder));
  return folders.map((folder) => resolve(cwd ?? folder, folder, command));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile(); // a folder may be "executed" too
  } catch {
    return false;
  }
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return await stat(path).catch(() => undefined);
}

let names = 0;

/** A name next to `path` that nobody else uses, for a file that is linked or renamed to `path` when it is whole. */
export function temporaryName(path: string): string {
  // The time, because a pid may come again and find what a killed process left.
  return `${path}.${process.pid}-${Date.now().toString(36)}-${names++}.tmp`;
}

/** Replaces the file by `text` so that a reader sees the old or the new content, never a part; `mode` 0600 when nothing is said. Throws `UnwritableError`. */
export function writeFileAtomic(path: string, text: string, mode = 0o600): Promise<void> {
  return replaceFile(path, { text, mode, move: rename });
}

/** The same for what must survive a power cut: when it resolves, the content and the name are on the disk. Throws `UnwritableError`. */
export function writeFileDurable(path: string, text: string, mode = 0o600): Promise<void> {
  return replaceFile(path, { text, mode, move: renameDurable });
}

interface Replacement {
  readonly text: string;
  readonly mode: number;
  readonly move: (temporary: string, path: string) => Promise<void>;
}

function replaceFile(path: string, { text, mode, move }: Replacement): Promise<void> {
  const temporary = temporaryName(path);
  return explainingWrites(path, async () => {
    try {
      await writeFile(temporary, text, { mode, flag: 'wx' });
      await move(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined); // the first error says more
      throw error;
    }
  });
}

/** Gives a finished file or folder its name; when it resolves, both are on the disk. */
export async function renameDurable(temporary: string, path: string): Promise<void> {
  await flushToDisk(temporary);
  await rename(temporary, path);
  await flushToDisk(dirname(path));
}

/** What some platforms and file systems answer that cannot flush a folder, or a file that is open for reading. */
const CANNOT_FLUSH = ['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS'];

/** Waits until a file, or the list of names in a folder, is on the disk, where the platform can do that. */
export async function flushToDisk(path: string): Promise<void> {
  try {
    const handle = await open(path);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_FLUSH.includes(errorCode(error) ?? '')) throw error;
  }
}

/** Creates the folder and its missing parents with mode 0700; a folder that exists stays as it is. Throws `UnwritableError`. */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, 0o700);
}

/** The same with another mode, from which the umask takes. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  // Not mkdir's own `recursive`: where a folder cannot be created although its parent is there (/proc), it never returns, and on a
  // read-only disk it says that there is no such folder.
  const parent = dirname(path);
  if (parent !== path && !(await isDirectory(parent))) await makeFolder(parent, mode);
  await explainingWrites(path, async () => {
    try {
      await mkdir(path, { mode });
    } catch (error) {
      if (!(await isDirectory(path))) throw error; // else it was there, or somebody else made it meanwhile
    }
  });
}

/** The same, on the disk when it resolves. */
export async function makeDurableFolder(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  await makeDurableFolder(dirname(path));
  await makePrivateFolder(path);
  await flushToDisk(dirname(path));
}

/** Opens a file for writing with mode 0600; its folder is made (anew) when it is not there. Throws what the file system says. */
export async function openInFolder(path: string, flags: 'w' | 'wx' | 'a+'): Promise<FileHandle> {
  return await open(path, flags, 0o600).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makePrivateFolder(dirname(path));
    return await open(path, flags, 0o600);
  });
}

const NO_FILE = ['ENOENT', 'ENOTDIR', 'EISDIR'];

/** The parsed JSON of a file, or undefined when there is no such file or it is not JSON. */
export function readJsonFile(path: string): unknown {
  let text: string;
  try {
    text = readPlainTextSync(path, MAX_BYTES.record);
  } catch (error) {
    if (NO_FILE.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // garbled: the caller treats it as absent and writes it anew
  }
}

/** What a system error says about writing, and what helps. */
interface WriteProblem {
  readonly why: string;
  readonly next: string;
}

/** A disk that takes nothing more, by the code of the error. */
export const FULL_DISK = {
  ENOSPC: { why: 'the disk is full', next: 'free some space' },
  EDQUOT: { why: 'the disk quota is used up', next: 'free some space' },
  EFBIG: { why: 'the file would be larger than is allowed', next: 'raise the limit (ulimit -f)' },
  EROFS: { why: 'the file system is read-only', next: 'make it writable, or work in a folder that is' },
} as const satisfies Readonly<Record<string, WriteProblem>>;

const FULL: Readonly<Record<string, WriteProblem>> = FULL_DISK;

const NOT_ALLOWED = { why: 'this user may not write there', next: 'make it writable for this user' };
const IN_THE_WAY = { why: 'a file is in the way', next: 'move that file away' };
const BARRED: Readonly<Record<string, WriteProblem>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  EISDIR: { why: 'a folder is in the way', next: 'move that folder away' },
  EIO: { why: 'the disk reports an error', next: 'check the disk' },
};

/** A file or folder that could not be written: the message says which, why, and what to do next. */
export class UnwritableError extends Error {
  override readonly name = 'UnwritableError';
  /** The operating system's code. */
  readonly code: string | undefined;

  constructor(
    readonly path: string,
    { why, next }: WriteProblem,
    cause: unknown,
  ) {
    const code = errorCode(cause);
    super(`cannot write ${path}: ${why} (${code}); ${next} and try again`, { cause });
    this.code = code;
  }
}

/** Runs `work`, which writes at `path`: what the disk refuses is thrown as an `UnwritableError`; other errors pass unchanged. */
export async function explainingWrites<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = writeProblem(error);
    throw problem === undefined || error instanceof UnwritableError ? error : new UnwritableError(path, problem, error);
  }
}

/** Why a disk takes nothing more, in words; undefined for any other error. */
export function whyFull(error: unknown): string | undefined {
  return FULL[errorCode(error) ?? '']?.why;
}

/** Why something could not be written, in words; undefined for an error that says nothing about writing. */
export function whyUnwritable(error: unknown): string | undefined {
  return writeProblem(error)?.why;
}

function writeProblem(error: unknown): WriteProblem | undefined {
  const code = errorCode(error) ?? '';
  return FULL[code] ?? BARRED[code];
}

/** The code of a system error such as `ENOENT`, or undefined for any other thrown value. */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof Error`: an error of another realm (a vm context) is none of ours.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The file that a system error is about, if it tells. */
export function errorPath(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('path' in error)) return undefined;
  return typeof error.path === 'string' ? error.path : undefined;
}
