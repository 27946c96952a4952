// Opens a scope of any kind. Opening a directory costs nothing; a zip, YAML file or frozen folder is read once and
// cached until its file changes, because every turn opens its package.
import type { BigIntStats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Scope } from '../protocol/machine/agent.js';
import { assertNever } from '../protocol/failure.js';
import { DirectoryScope } from './directory.js';
import { unreadable } from './error.js';
import { readFrozen } from './frozen.js';
import type { ScopeReader } from './package.js';
import { PackedScope, type Packed } from './packed.js';
import { fetchPackage } from './remote.js';
import { isStored, type Blobs, type StoredScope } from './stored.js';
import { readYaml } from './yaml.js';
import { readZip } from './zip.js';

interface Entry<T> {
  readonly signature: string;
  readonly loaded: Promise<T>;
  size: number;
}

const MAX_BYTES = 128 * 1024 ** 2;

/** A file written this recently may be written again without a later time stamp. */
const SETTLED_MS = 100;

/** The packages most recently read with `load`, up to 128 MiB. */
class PackageCache<T extends { readonly size: number }> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(private readonly load: (path: string) => Promise<T>) {}

  /** The package at `path` as it is now. */
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

const zips = new PackageCache(readZip);
const yamls = new PackageCache(readYaml);
const frozen = new PackageCache(readFrozen);

/**
 * Opens a scope. A zip or YAML file is checked as a whole; a downloaded package that this host lacks is fetched again,
 * one that travels with its run is read from `blobs`.
 */
export async function openScope(scope: Scope, blobs?: Blobs): Promise<ScopeReader> {
  if (isStored(scope)) return new PackedScope(scope, await storedPackage(scope, blobs));
  switch (scope.kind) {
    case 'directory':
      if (scope.origin !== undefined) return new PackedScope(scope, await frozen.get(scope.path));
      return new DirectoryScope(scope.path);
    case 'zip':
      if (scope.url !== undefined) await ensureFetched(scope.path, scope.url);
      return new PackedScope(scope, await zips.get(scope.path));
    case 'yaml':
      return new PackedScope(scope, await yamls.get(scope.path));
    default:
      return assertNever(scope);
  }
}

async function storedPackage(scope: StoredScope, blobs: Blobs | undefined): Promise<Packed> {
  if (blobs === undefined)
    throw new TypeError(`${scope.path} is in a bucket, but this process has none configured; set bucket in the config`);
  const { blob } = scope.stored;
  const packages = scope.kind === 'yaml' ? yamls : zips;
  return await packages.fixed(blob, () => blobs.locate(blob));
}

async function ensureFetched(path: string, url: string): Promise<void> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (!there) await fetchPackage(url, { cacheDir: dirname(path) });
}
