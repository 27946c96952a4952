// What can be wrong with a workflow package, and the reading of its file. Every message names the file and what to do.
// What such an error means to a turn or to a start, activities and the client say.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { errorCode } from '../host/files.js';
import type { LineProblem } from '../protocol/language/state-file.js';

/** What kind of thing is wrong. `Unreadable` and `Download` may pass by themselves, the others need the author. */
export type ScopeErrorCode =
  | 'Missing'
  | 'Unreadable'
  | 'Corrupt'
  | 'Layout'
  | 'TooLarge'
  | 'HashMismatch'
  | 'InvalidYaml'
  | 'InvalidManifest'
  | 'InvalidName'
  | 'Download';

/** What is known of an error beside its message: `problems` are its lines, where they are about lines of one file. */
interface ScopeErrorOptions extends ErrorOptions {
  readonly problems?: readonly LineProblem[];
}

/** A package that cannot be used, in words for its author. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError';
  readonly problems: readonly LineProblem[];
  constructor(
    readonly code: ScopeErrorCode,
    message: string,
    { problems = [], ...options }: ScopeErrorOptions = {},
  ) {
    super(message, options);
    this.problems = problems;
  }
}

/** The error for a file or folder that the operating system refuses. */
export function unreadable(path: string, error: unknown): ScopeError {
  const missing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
  const message = `cannot read ${path}: ${whyUnreadable(error)}`;
  return new ScopeError(missing ? 'Missing' : 'Unreadable', message, { cause: error });
}

/** The operating system's reason why a file or folder cannot be used, in words. */
export function whyUnreadable(error: unknown): string {
  const code = errorCode(error) ?? String(error);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist, or is a link to nothing',
    ENOTDIR: 'a part of its path is not a directory',
    EACCES: 'this user may not read it',
    EISDIR: 'it is a directory',
    ELOOP: 'its links go round in a circle',
    EEXIST: 'a file is where a folder should be',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    ENAMETOOLONG: 'its name is too long',
  };
  return reasons[code] ?? code;
}

/** All bytes of a regular file of at most `limit` bytes. */
export async function readWhole(path: string, limit: number): Promise<Buffer> {
  try {
    const found = await stat(path);
    // A pipe or a device would be read for ever.
    if (!found.isFile())
      throw new ScopeError('Unreadable', `${path} is not a file; a .zip or .yaml path names a package in one file`);
    if (found.size > limit) throw tooLarge(path, found.size, limit);
    return await readFile(path);
  } catch (error) {
    throw error instanceof ScopeError ? error : unreadable(path, error);
  }
}

function tooLarge(path: string, size: number, limit: number): ScopeError {
  return new ScopeError(
    'TooLarge',
    `${path} has ${size} bytes, more than the ${limit} that a package may have; keep large data out of it`,
  );
}

/** The SHA-256 of `bytes` in lower-case hexadecimal digits. */
export function sha256Of(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The text of a file in UTF-8, without a byte order mark. */
export function decodeText(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ScopeError('Unreadable', `${path} is not UTF-8 text; save it as UTF-8`);
  }
}
