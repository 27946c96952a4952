// Opens a scope of any kind. Opening a directory costs nothing; a zip, YAML file or frozen folder is read once and
// cached until its file changes.
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Scope } from '../protocol/scope.js';
import { assertNever } from '../protocol/failure.js';
import { DirectoryScope } from './directory.js';
import { readFrozen } from './frozen.js';
import type { ScopeReader } from './package.js';
import { PackageCache } from './package-cache.js';
import { PackedScope, type Packed } from './packed.js';
import { fetchPackage } from './remote.js';
import { ReplacedScope } from './replaced.js';
import { isStored, type Blobs, type StoredScope } from './stored.js';
import { readYaml } from './yaml.js';
import { readZip } from './zip.js';

const zips = new PackageCache(readZip);
const yamls = new PackageCache(readYaml);
const frozen = new PackageCache(readFrozen);

/**
 * Opens a scope. A zip or YAML file is checked as a whole; a downloaded package that this host lacks is fetched again,
 * one that travels with its run is read from `blobs`, and so are prompts that a fork replaced.
 */
export async function openScope(scope: Scope, blobs?: Blobs): Promise<ScopeReader> {
  const reader = await openAsStored(scope, blobs);
  const { replaced } = scope;
  return replaced === undefined || blobs === undefined ? reader : new ReplacedScope(reader, { replaced, blobs });
}

async function openAsStored(scope: Scope, blobs: Blobs | undefined): Promise<ScopeReader> {
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
