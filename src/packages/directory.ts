// A scope that is a directory. What it reads is cached until its time stamp changes, so that edits take effect at once.
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../host/files.js';
import { openPlainFile } from '../host/plain-file.js';
import { decodeText, readWhole, ScopeError, unreadable } from './error.js';
import { MANIFEST_FILE, parseManifest, type ParsedManifest } from './manifest.js';
import { PackageCache } from './package-cache.js';
import { MAX_PACKAGE_BYTES, MAX_YAML_BYTES } from './limits.js';
import type { ScopeReader } from './package.js';

/** A file of a directory. */
interface OrdinaryFile {
  readonly name: string;
  readonly size: number;
  readonly executable: boolean;
  readonly modifiedMs: number;
}

/** What precedes the content of a file in the bytes that a directory's hash is made of. */
export function hashHead(name: string, size: number): string {
  return `${Buffer.byteLength(name)} ${name} ${size}\n`;
}

/** The files directly in a directory; sub-folders are not part of it. */
export class DirectoryScope implements ScopeReader {
  readonly warnings = [];

  constructor(private readonly path: string) {}

  async list(): Promise<readonly string[]> {
    return (await listings.get(this.path)).names;
  }

  async read(file: string): Promise<Buffer> {
    return (await texts.get(join(this.path, file))).bytes;
  }

  settingsOf(): Record<string, never> {
    return {};
  }

  policyOf(): undefined {
    return undefined;
  }

  positionOf(file: string, line?: number): string {
    return line === undefined ? join(this.path, file) : `${join(this.path, file)}:${line}`;
  }

  scriptPath(file: string): Promise<string> {
    return Promise.resolve(join(this.path, file));
  }

  async hash(): Promise<string> {
    const hash = createHash('sha256');
    for (const { name, size, modifiedMs } of await this.ordinary()) {
      const path = join(this.path, name);
      hash.update(hashHead(name, size));
      // Data files beside the states, which no run reads.
      if (size > MAX_PACKAGE_BYTES) {
        hash.update(`${modifiedMs}\n`);
        continue;
      }
      try {
        const file = await openPlainFile(path, MAX_PACKAGE_BYTES);
        for await (const chunk of file.createReadStream({ end: MAX_PACKAGE_BYTES })) hash.update(chunk as Buffer);
      } catch (error) {
        throw unreadable(path, error);
      }
    }
    return hash.digest('hex');
  }

  /** The files with content: no pipes, devices, or dangling links (editors create such links). */
  async ordinary(): Promise<readonly OrdinaryFile[]> {
    const found: OrdinaryFile[] = [];
    for (const name of await this.list()) {
      const path = join(this.path, name);
      const file = await stat(path).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw unreadable(path, error);
      });
      if (file?.isFile() !== true) continue;
      const { size, mode, mtimeMs: modifiedMs } = file;
      found.push({ name, size, executable: (mode & 0o100) !== 0, modifiedMs });
    }
    return found;
  }

  async manifest(): Promise<ParsedManifest | undefined> {
    const file = this.positionOf(MANIFEST_FILE);
    const bytes = await readWhole(file, MAX_YAML_BYTES).catch((error: unknown) => {
      if (error instanceof ScopeError && error.code === 'Missing') return undefined;
      throw error;
    });
    return bytes === undefined ? undefined : parseManifest(decodeText(file, bytes), file);
  }
}

const listings = new PackageCache(async (path) => {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    return { names: names.sort(), size: names.join('').length };
  } catch (error) {
    throw unreadable(path, error);
  }
});

const texts = new PackageCache(async (path) => {
  const bytes = await readWhole(path, MAX_PACKAGE_BYTES);
  return { bytes, size: bytes.length };
});
