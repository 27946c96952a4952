// Opens a scope of any kind. A directory costs nothing to open; a zip or YAML file is read once as long as it stays the same.
// Must not know what the files mean.
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Scope } from '../../protocol/agent.js';
import { assertNever } from '../../protocol/assert.js';
import { PackageCache } from './cache.js';
import { DirectoryScope } from './directoryScope.js';
import { PackedScope } from './packedScope.js';
import { fetchPackage } from './remote.js';
import type { ScopeReader } from './scopeReader.js';
import { readFrozen } from './frozen.js';
import { readYaml } from './yaml.js';
import { readZip } from './zip.js';

const zips = new PackageCache(readZip);
const yamls = new PackageCache(readYaml);
const frozen = new PackageCache(readFrozen);

/** Opens a scope. A zip or YAML file is checked as a whole; a downloaded one that this host does not have is fetched again. */
export async function openScope(scope: Scope): Promise<ScopeReader> {
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

async function ensureFetched(path: string, url: string): Promise<void> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (!there) await fetchPackage(url, { cacheDir: dirname(path) });
}
