// What can be wrong with a workflow package, and the reading of its file. Every message names the file and what to do.
// What such an error means to a turn or to a start, activities and the client say.
import { errorCode } from '../host/files.js';
import { readPlainFile, UnusableFileError } from '../host/plain-file.js';
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
  const message = `cannot read ${path}: ${whyUnreadable(error)}`;
  if (error instanceof UnusableFileError && error.fault === 'size')
    return new ScopeError('TooLarge', `${message}; keep large data out of the package`);
  const missing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
  return new ScopeError(missing ? 'Missing' : 'Unreadable', message, { cause: error });
}

/** The operating system's reason why a file or folder cannot be used, in words. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof UnusableFileError) return error.why;
  const code = errorCode(error) ?? String(error);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist, or is a link to nothing',
    ENOTDIR: 'a part of its path is not a directory',
    EACCES: 'this user may not read it',
    EISDIR: 'it is a directory',
    ELOOP: 'its links go round in a circle',
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
