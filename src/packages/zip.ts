// Reads a workflow package from a zip file into memory and trusts nothing that the file says about itself: it checks
// names, layout and sizes, and applies all limits to the bytes that really come out.
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { errorCode } from '../host/files.js';
import { hashInName } from '../protocol/scope.js';
import { clip, messageOf } from '../protocol/text.js';
import { sha256Of } from '../host/sha256.js';
import { ScopeError, readWhole, type ScopeErrorCode } from './error.js';
import { MAX_ENTRIES, MAX_FILE_BYTES, MAX_PACKAGE_BYTES, MAX_RATIO, RATIO_FROM_BYTES } from './limits.js';
import type { Packed, PackedFile } from './packed.js';

/** Reads the zip file at `path`; a SHA-256 in its name is checked. */
export async function readZip(path: string): Promise<Packed> {
  const bytes = await readWhole(path, MAX_PACKAGE_BYTES);
  const sha256 = sha256Of(bytes);
  checkHash(path, sha256);
  const files = await new ZipReader(path, bytes).files();
  const size = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
  return { sha256, size, files, warnings: [] };
}

function checkHash(path: string, sha256: string): void {
  const expected = hashInName(basename(path));
  if (expected.kind === 'ambiguous') {
    const message = `the name of ${path} contains more than one SHA-256, or a longer run of hexadecimal digits; rename it`;
    throw new ScopeError('HashMismatch', message);
  }
  if (expected.kind === 'none' || expected.sha256 === sha256) return;
  const message = `${path} does not match the SHA-256 in its name: it has ${sha256}; get the right file, or rename it`;
  throw new ScopeError('HashMismatch', message);
}

/** An entry that is a file, with its name in the zip. */
interface Item {
  readonly entry: Entry;
  readonly name: string;
}

class ZipReader {
  constructor(
    private readonly path: string,
    private readonly bytes: Buffer,
  ) {}

  async files(): Promise<ReadonlyMap<string, PackedFile>> {
    const zip = await this.guarded(() => fromBufferPromise(this.bytes, { decodeStrings: false }));
    const items = await this.items(zip);
    const layout = layoutOf(items.map(({ name }) => name));
    if (layout.kind === 'problem') throw this.error('Layout', layout.message);
    const files = new Map<string, PackedFile>();
    for (const { entry, name } of sorted(items)) {
      const content = await this.content(zip, { entry, name });
      const executable = isExecutable(entry, name);
      files.set(name.slice(layout.prefix.length), { content, executable, ...marked(entry) });
    }
    return files;
  }

  /** All files, checked as far as the zip's directory allows. */
  private async items(zip: ZipFile): Promise<readonly Item[]> {
    if (zip.entryCount > MAX_ENTRIES) throw this.tooMany();
    const items: Item[] = [];
    const seen = new Map<string, string>();
    let total = 0;
    for (const entry of await this.guarded(() => entriesOf(zip))) {
      const name = this.fileName(entry);
      if (name === undefined) continue;
      const clash = seen.get(foldedName(name));
      if (clash !== undefined)
        throw this.error('Layout', `it contains ${quoted(clash)} and ${quoted(name)}; remove one`);
      seen.set(foldedName(name), name);
      this.checkSize({ entry, name });
      total += entry.uncompressedSize;
      if (total > MAX_PACKAGE_BYTES) {
        throw this.error('TooLarge', `its files have more than ${MAX_PACKAGE_BYTES} bytes; keep large data out of it`);
      }
      items.push({ entry, name });
    }
    return items;
  }

  /** The name of an entry, undefined for a folder and for files that the Finder of macOS adds. */
  private fileName(entry: Entry): string | undefined {
    const read = readZipName(entry.fileNameRaw);
    if (read.kind === 'problem') throw this.error('Layout', read.message);
    if (read.kind === 'folder' || read.name.startsWith('__MACOSX/')) return undefined;
    if (entry.isEncrypted()) {
      throw this.error('Layout', `${quoted(read.name)} is encrypted; zip it without a password`);
    }
    if (isSpecial(entry)) {
      throw this.error('Layout', `${quoted(read.name)} is a link or a device; zip the file that it points to`);
    }
    return read.name;
  }

  private checkSize({ entry: { uncompressedSize, compressedSize }, name }: Item): void {
    if (uncompressedSize > MAX_FILE_BYTES) {
      throw this.error('TooLarge', `${quoted(name)} has more than ${MAX_FILE_BYTES} bytes; keep large data out of it`);
    }
    if (uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO) {
      throw this.error('TooLarge', `${quoted(name)} grows more than ${MAX_RATIO} times when it is unpacked; remove it`);
    }
  }

  private async content(zip: ZipFile, { entry, name }: Item): Promise<Buffer> {
    const { fileDataStart } = await this.guarded(() => zip.readLocalFileHeaderPromise(entry, { minimal: true }));
    const packed = this.bytes.subarray(fileDataStart, fileDataStart + entry.compressedSize);
    const content = await this.inflated(packed, { entry, name });
    if (content.length !== entry.uncompressedSize || crc32(content) !== entry.crc32) {
      throw this.error('Corrupt', `${quoted(name)} is damaged; create the zip again`);
    }
    return content;
  }

  private async inflated(packed: Buffer, { entry, name }: Item): Promise<Buffer> {
    // A copy, so that the archive itself need not stay in memory.
    if (entry.compressionMethod === 0) return Buffer.from(packed);
    if (entry.compressionMethod !== 8) {
      const method = entry.compressionMethod;
      throw this.error(
        'Corrupt',
        `${quoted(name)} is packed in a way that is not supported (method ${method}); use deflate`,
      );
    }
    try {
      return await promisify(inflateRaw)(packed, { maxOutputLength: Math.max(1, entry.uncompressedSize) });
    } catch (error) {
      const reason = errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'is larger than it says' : 'is damaged';
      throw this.error('Corrupt', `${quoted(name)} ${reason}; create the zip again`);
    }
  }

  private async guarded<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof TooMany) throw this.tooMany();
      const reason = messageOf(error);
      throw this.error('Corrupt', `it is damaged or not a zip file (${reason}); create it again`);
    }
  }

  private tooMany(): ScopeError {
    return this.error('TooLarge', `it contains more than ${MAX_ENTRIES} files and folders; keep other files out of it`);
  }

  private error(code: ScopeErrorCode, message: string): ScopeError {
    return new ScopeError(code, `cannot use ${this.path}: ${message}`);
  }
}

class TooMany extends Error {}

async function entriesOf(zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entries.push(entry) > MAX_ENTRIES) throw new TooMany();
  }
  return entries;
}

const TYPE = 0o170000;
const ORDINARY: readonly number[] = [0, 0o100000, 0o040000];

function modeOf({ externalFileAttributes }: Entry): number {
  return externalFileAttributes >>> 16;
}

function isSpecial(entry: Entry): boolean {
  return !ORDINARY.includes(modeOf(entry) & TYPE);
}

function isExecutable(entry: Entry, name: string): boolean {
  return (modeOf(entry) & 0o100) !== 0 || name.endsWith('.sh');
}

/** The zip's own mark; zips of systems without such marks have none. */
function marked(entry: Entry): Pick<PackedFile, 'marked'> {
  return modeOf(entry) === 0 ? {} : { marked: (modeOf(entry) & 0o100) !== 0 };
}

function sorted(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A name that was understood, or its problem. */
type ZipName =
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'problem'; readonly message: string };

/** Reads the bytes of an entry's name. */
function readZipName(raw: Buffer): ZipName {
  let name: string;
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return problem(`the name ${quoted(raw.toString('latin1'))} is not UTF-8; zip it with a program that writes UTF-8`);
  }
  if (/\p{Cc}/u.test(name)) return problem(`the name ${quoted(name)} contains a control character; rename the file`);
  if (name.includes('\\'))
    return problem(`the name ${quoted(name)} contains a backslash; zip it with / between folders`);
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.includes('..') || parts.includes('') || /^[A-Za-z]:/.test(name)) {
    return problem(`the name ${quoted(name)} points outside the zip; zip it with relative names`);
  }
  if (name.endsWith('/')) return { kind: 'folder' };
  if (parts.at(-1) === '.') return problem(`${quoted(name)} is not a valid file name; rename it`);
  return { kind: 'file', name };
}

/** The folder of all files (empty for a flat zip), or the problem of their layout. */
type ZipLayout =
  { readonly kind: 'layout'; readonly prefix: string } | { readonly kind: 'problem'; readonly message: string };

/** Accepts files that are all at the top, or all directly in one folder. */
function layoutOf(names: readonly string[]): ZipLayout {
  const deep = names.find((name) => name.split('/').length > 2);
  if (deep !== undefined) {
    return problem(`${quoted(deep)} is in a nested folder; a workflow has all its states in one folder`);
  }
  const [first] = names;
  if (first === undefined) return problem('it contains no files; zip the states of a workflow');
  const prefix = folderOf(first);
  const stranger = names.find((name) => folderOf(name) !== prefix);
  if (stranger === undefined) return { kind: 'layout', prefix };
  const both = `${quoted(first)} and ${quoted(stranger)}`;
  return prefix === '' || folderOf(stranger) === ''
    ? problem(`it contains files at the top and in a folder (${both}); zip either the folder or its content`)
    : problem(`it contains several folders (${both}); zip one workflow`);
}

/** A key that is equal for two names which a case-insensitive file system takes for one. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** A name for messages. */
function quoted(name: string): string {
  return JSON.stringify(clip(name, 120));
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

function problem(message: string): { readonly kind: 'problem'; readonly message: string } {
  return { kind: 'problem', message };
}
