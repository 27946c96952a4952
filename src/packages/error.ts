// The kinds of errors in a workflow package, and reading its files. Every message names the file and what to do.
// Activities and the client decide how such an error affects a turn or a start.
import { errorCode } from '../host/files.js';
import { readPlainFile, UnusableFileError } from '../host/plain-file.js';
import type { LineProblem } from '../protocol/language/state-file.js';

/** The kind of error. `Unreadable` and `Download` may pass on their own, the others need the author. */
export type ScopeErrorCode =
  | 'Missing'
  | 'Unreadable'
  | 'Corrupt'
  | 'Layout'
  | 'TooLarge'
  | 'HashMismatch'
  | 'InvalidYaml'
  | 'InvalidManifest'
  | 'InvalidSchema'
  | 'InvalidName'
  | 'Download';

/** Details beside the message: `problems` are its lines, when they are about lines of one file. */
interface ScopeErrorOptions extends ErrorOptions {
  readonly problems?: readonly LineProblem[];
}

/** An error about an unusable package, worded for its author. */
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

/** The error for a file or folder that the operating system does not let us use. */
export function unreadable(path: string, error: unknown): ScopeError {
  const message = `cannot read ${path}: ${whyUnreadable(error)}`;
  if (error instanceof UnusableFileError && error.fault === 'size')
    return new ScopeError('TooLarge', `${message}; keep large data out of the package`);
  const missing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
  return new ScopeError(missing ? 'Missing' : 'Unreadable', message, { cause: error });
}

/** The operating system's reason in words. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof UnusableFileError) return error.why;
  const code = errorCode(error) ?? String(error);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist, or is a dangling link',
    ENOTDIR: 'a part of its path is not a directory',
    EACCES: 'this user may not read it',
    EISDIR: 'it is a directory',
    ELOOP: 'its links form a cycle',
    ENXIO: 'it is a socket or a device, not a file',
    EEXIST: 'a file is where a folder should be',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    ENAMETOOLONG: 'its name is too long',
  };
  return reasons[code] ?? code;
}

/** All bytes of a package's plain file of at most `limit` bytes. Throws a `ScopeError`. */
export async function readWhole(path: string, limit: number): Promise<Buffer> {
  return await readPlainFile(path, limit).catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

/** The text of a file in UTF-8, without a byte order mark. */
export function decodeText(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ScopeError('Unreadable', `${path} is not UTF-8 text; save it as UTF-8`);
  }
}
