// A scope that is a directory: every question goes to the disk, so that edits take effect at once.
// Must not cache anything, nor touch more files than it is asked for.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeText, readWhole, ScopeError, unreadable } from './error.js';
import { MAX_YAML_BYTES } from './limits.js';
import { MANIFEST_FILE, parseManifest, type ParsedManifest } from './manifest.js';
import type { ScopeReader } from './scopeReader.js';

/** The files directly in a directory; sub-folders are not part of it. */
export class DirectoryScope implements ScopeReader {
  readonly warnings = [];

  constructor(private readonly path: string) {}

  async list(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.path, { withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name)
        .sort();
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  async read(file: string): Promise<Buffer> {
    const path = join(this.path, file);
    return await readFile(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
  }

  settingsOf(): Record<string, never> {
    return {};
  }

  placeOf(file: string, line?: number): string {
    return line === undefined ? join(this.path, file) : `${join(this.path, file)}:${line}`;
  }

  scriptPath(file: string): Promise<string> {
    return Promise.resolve(join(this.path, file));
  }

  async hash(): Promise<string> {
    const hash = createHash('sha256');
    for (const name of await this.list()) {
      const path = join(this.path, name);
      try {
        const found = await stat(path);
        if (!found.isFile()) continue;
        hash.update(`${Buffer.byteLength(name)} ${name} ${found.size}\n`);
        for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      } catch (error) {
        throw unreadable(path, error);
      }
    }
    return hash.digest('hex');
  }

  async manifest(): Promise<ParsedManifest | undefined> {
    const file = this.placeOf(MANIFEST_FILE);
    const bytes = await readWhole(file, MAX_YAML_BYTES).catch((error: unknown) => {
      if (error instanceof ScopeError && error.code === 'Missing') return undefined;
      throw error;
    });
    return bytes === undefined ? undefined : parseManifest(decodeText(file, bytes), file);
  }
}
