// Reads files that others have written (packages, configs, tests, files of agents) without blocking, and only plain
// files of a bounded size. Reading a pipe could wait forever, reading /dev/zero would never end.
import { closeSync, constants, createWriteStream, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

const MIB = 1024 ** 2;

/** The size limits by kind of file; those of packages are in packages/package.ts. */
export const MAX_BYTES = {
  /** A config, a file of tokens, a small file of Raymond's own. */
  settings: 4 * MIB,
  /** A test file, and a file that a test checks. */
  test: 16 * MIB,
  /** A file that a question shows or an answer contains. */
  ask: 1024 * MIB,
  /** A JSON document of Raymond's own. */
  record: 256 * MIB,
} as const;

/** A path that is not a plain file, or is too large; `why` follows "cannot read PATH:". */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';

  constructor(
    readonly path: string,
    readonly fault: 'folder' | 'kind' | 'size',
    readonly why: string,
  ) {
    super(`cannot read ${path}: ${why}`);
  }

  /** The operating system's error, if it would report one. */
  get code(): 'EISDIR' | undefined {
    return this.fault === 'folder' ? 'EISDIR' : undefined;
  }
}

/**
 * An open plain file of at most `maxBytes`, which the caller closes. Throws an `UnusableFileError`, or the file
 * system's error.
 */
export async function openPlainFile(path: string, maxBytes: number): Promise<FileHandle> {
  const file = await open(path, FLAGS);
  try {
    check(await file.stat(), { path, maxBytes });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** All bytes of a plain file. Throws an `UnusableFileError`, or the file system's error. */
export async function readPlainFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openPlainFile(path, maxBytes);
  try {
    const { size } = await file.stat();
    let bytes = Buffer.allocUnsafe(size + 1);
    for (let length = 0; ;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (bytesRead === 0) return bytes.subarray(0, length);
      // It grows while it is read, or is in /proc, where files have no size.
      if (length > maxBytes) throw tooLarge(path, length, maxBytes);
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(length + 4096)]);
    }
  } finally {
    await file.close();
  }
}

/** The text of a plain file in UTF-8. Throws as `readPlainFile` does. */
export async function readPlainText(path: string, maxBytes: number): Promise<string> {
  return (await readPlainFile(path, maxBytes)).toString();
}

/** The same for a short file, synchronously. */
export function readPlainTextSync(path: string, maxBytes: number): string {
  const file = openSync(path, FLAGS);
  try {
    check(fstatSync(file), { path, maxBytes });
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Copies a plain file to a path that does not exist yet. Throws as `readPlainFile` does. */
export async function copyPlainFile(
  from: string,
  { to, maxBytes }: { readonly to: string; readonly maxBytes: number },
): Promise<void> {
  const file = await openPlainFile(from, maxBytes);
  await pipeline(file.createReadStream({ end: maxBytes }), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
}

/**
 * A pipe without a writer opens at once, and a terminal does not become ours. On Windows the flags are undefined, which
 * counts as 0.
 */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

function check(found: Stats, { path, maxBytes }: { readonly path: string; readonly maxBytes: number }): void {
  if (found.isDirectory()) throw new UnusableFileError(path, 'folder', 'it is a directory');
  if (!found.isFile())
    throw new UnusableFileError(path, 'kind', `it is a ${found.isFIFO() ? 'pipe' : 'device'}, not a file`);
  if (found.size > maxBytes) throw tooLarge(path, found.size, maxBytes);
}

function tooLarge(path: string, size: number, maxBytes: number): UnusableFileError {
  return new UnusableFileError(path, 'size', `it has ${size} bytes, more than the limit of ${maxBytes}`);
}
