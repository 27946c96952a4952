// Files and folders of a host: existence, command lookup, small files that other processes read while we write them
// (atomic, and private to the owner), and the meaning of file system errors in words.
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { mkdir, open, rename, rm, stat, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, resolve } from 'node:path';
import { MAX_BYTES, readPlainTextSync } from './plain-file.js';

/** True when the path exists (false for a dangling link). */
export async function exists(path: string): Promise<boolean> {
  return (await statOrNothing(path)) !== undefined;
}

/** True when the path leads to a folder. */
export async function isDirectory(path: string): Promise<boolean> {
  return (await statOrNothing(path))?.isDirectory() ?? false;
}

/** True when the path exists; also updates its time stamp, so that clean-ups keep it. */
export async function touch(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch {
    return await exists(path); // It belongs to another user, or is on a read-only disk.
  }
}

/** Where to look for a command: the entries of `path` (absent = this process's). */
interface PathOptions {
  readonly path?: string;
  /** The base of relative and empty entries; without it they are skipped. */
  readonly cwd?: string;
}

/** The first executable file of this name on PATH, absolute; on Windows the name needs its extension. */
export function findOnPath(command: string, options: PathOptions = {}): string | undefined {
  return pathsOnPath(command, options).find(isExecutable);
}

/** Every path of a command with this name, in order; a name with a slash only relative to `cwd`. */
export function pathsOnPath(command: string, { path = process.env['PATH'] ?? '', cwd }: PathOptions): string[] {
  if (command.includes('/')) return [resolve(cwd ?? '', command)];
  const folders = path.split(delimiter).filter((folder) => cwd !== undefined || isAbsolute(folder));
  return folders.map((folder) => resolve(cwd ?? folder, folder, command));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile(); // A folder may have the executable bit, too.
  } catch {
    return false;
  }
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return await stat(path).catch(() => undefined);
}

let names = 0;

/** A unique name next to `path`, for a file that is linked or renamed to `path` when it is complete. */
export function temporaryName(path: string): string {
  // The time, because a pid may be reused and meet the leftovers of a killed process.
  return `${path}.${process.pid}-${Date.now().toString(36)}-${names++}.tmp`;
}

/** The process that made a temporary name; undefined for other names. */
export function makerOf(name: string): number | undefined {
  const pid = /\.(\d+)-[0-9a-z]+-\d+\.tmp$/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/**
 * Replaces the file by `text` so that a reader sees the old or the new content, never a part; the default `mode` is
 * 0600. Throws `UnwritableError`.
 */
export function writeFileAtomic(path: string, text: string, mode = 0o600): Promise<void> {
  return replaceFile(path, { text, mode, move: rename });
}

/**
 * The same for files that must survive a power failure: when it resolves, content and name are on disk. Throws
 * `UnwritableError`.
 */
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
      await rm(temporary, { force: true }).catch(() => undefined); // The original error says more.
      throw error;
    }
  });
}

/** Renames a finished file or folder; when it resolves, content and name are on disk. */
export async function renameDurable(temporary: string, path: string): Promise<void> {
  await flushToDisk(temporary);
  await rename(temporary, path);
  await flushToDisk(dirname(path));
}

/** Errors of platforms and file systems that cannot flush a folder, or a file that is open for reading. */
const CANNOT_FLUSH = ['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOTSUP', 'ENOSYS'];

/** Waits until a file, or a folder's list of names, is on disk, where the platform can do that. */
export async function flushToDisk(path: string): Promise<void> {
  try {
    const handle = await open(path);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_FLUSH.includes(errorCode(error) ?? '')) throw error;
  }
}

/**
 * Creates the folder and its missing parents with mode 0700; an existing folder stays as it is. Throws
 * `UnwritableError`.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, 0o700);
}

/** The same with another mode, which the umask reduces. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  // Not mkdir's own `recursive`: where a folder cannot be created although its parent exists (/proc), it never returns,
  // and on a read-only disk it reports a missing folder.
  const parent = dirname(path);
  if (parent !== path && !(await isDirectory(parent))) await makeFolder(parent, mode);
  await explainingWrites(path, async () => {
    try {
      await mkdir(path, { mode });
    } catch (error) {
      if (!(await isDirectory(path))) throw error; // It already existed, or another process has created it meanwhile.
    }
  });
}

/** The same, on disk when it resolves. */
export async function makeDurableFolder(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  await makeDurableFolder(dirname(path));
  await makePrivateFolder(path);
  await flushToDisk(dirname(path));
}

/** Opens a file for writing with mode 0600; creates its folder if it is missing. Throws the file system's error. */
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
    return undefined; // Garbled: the caller treats it as absent and writes it again.
  }
}

/** The meaning of a system error about writing, and the remedy. */
interface WriteProblem {
  readonly why: string;
  readonly next: string;
}

/** Errors of a disk that accepts no more data, by code. */
export const FULL_DISK = {
  ENOSPC: { why: 'the disk is full', next: 'free some space' },
  EDQUOT: { why: 'the disk quota is used up', next: 'free some space' },
  EFBIG: { why: 'the file would be larger than is allowed', next: 'raise the limit (ulimit -f)' },
  EROFS: { why: 'the file system is read-only', next: 'make it writable, or use another folder' },
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

/** Runs `work`, which writes at `path`: errors of the disk become `UnwritableError`; other errors pass unchanged. */
export async function explainingWrites<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = writeProblem(error);
    throw problem === undefined || error instanceof UnwritableError ? error : new UnwritableError(path, problem, error);
  }
}

/** Why a disk accepts no more data, in words; undefined for any other error. */
export function whyFull(error: unknown): string | undefined {
  return FULL[errorCode(error) ?? '']?.why;
}

/** Why something could not be written, in words; undefined for an error that is not about writing. */
export function whyUnwritable(error: unknown): string | undefined {
  return writeProblem(error)?.why;
}

function writeProblem(error: unknown): WriteProblem | undefined {
  const code = errorCode(error) ?? '';
  return FULL[code] ?? BARRED[code];
}

/** The code of a system error such as `ENOENT`, or undefined for any other thrown value. */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof Error`, which is false for errors of another realm (a vm context).
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The file of a system error, if it has one. */
export function errorPath(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('path' in error)) return undefined;
  return typeof error.path === 'string' ? error.path : undefined;
}
