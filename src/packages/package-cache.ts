// Packages, state files and lists of folders in memory until they change on disk, because every turn reads its state.
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { unreadable } from './error.js';

interface Entry<T> {
  readonly signature: string;
  readonly loaded: Promise<T>;
  size: number;
}

const MAX_BYTES = 128 * 1024 ** 2;

/** A file written this recently may be written again without a later time stamp. */
const SETTLED_MS = 100;

/** The results of the most recent `load` calls, up to 128 MiB. */
export class PackageCache<T extends { readonly size: number }> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(private readonly load: (path: string) => Promise<T>) {}

  /** What is at `path` now. Throws a `ScopeError`. */
  async get(path: string): Promise<T> {
    const found = await stat(path, { bigint: true }).catch((error: unknown) => {
      this.entries.delete(path);
      throw unreadable(path, error);
    });
    const signature = signatureOf(found);
    const known = this.entries.get(path);
    this.entries.delete(path); // Moves it to the end, as the most recently used.
    if (known?.signature === signature) {
      this.entries.set(path, known);
      return await known.loaded;
    }
    if (!isSettled(found)) return await this.load(path);
    return await this.add(path, signature);
  }

  /**
   * The package of a file that never changes, named by its hash; the file is looked for only when it is not in memory.
   */
  async fixed(sha256: string, locate: () => Promise<string>): Promise<T> {
    const known = this.entries.get(sha256);
    if (known === undefined)
      return await this.keep(sha256, { signature: sha256, loaded: locate().then(this.load), size: 0 });
    this.entries.delete(sha256);
    this.entries.set(sha256, known);
    return await known.loaded;
  }

  private async add(path: string, signature: string): Promise<T> {
    return await this.keep(path, { signature, loaded: this.load(path), size: 0 });
  }

  private async keep(path: string, entry: Entry<T>): Promise<T> {
    this.entries.set(path, entry);
    try {
      const loaded = await entry.loaded;
      entry.size = loaded.size;
      this.shrink();
      return loaded;
    } catch (error) {
      if (this.entries.get(path) === entry) this.entries.delete(path);
      throw error;
    }
  }

  private shrink(): void {
    let total = 0;
    for (const { size } of this.entries.values()) total += size;
    for (const [path, { size }] of this.entries) {
      if (total <= MAX_BYTES) return;
      total -= size;
      this.entries.delete(path);
    }
  }
}

function signatureOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function isSettled({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  const newest = Math.max(Number(mtimeMs), Number(ctimeMs));
  return Date.now() - newest > SETTLED_MS;
}
