// Uploads a package with its run: it goes into the artifact store as one file under its hash, with the packages that
// the texts of its states name literally, and those that they name in turn.
import type { Scope } from '../protocol/scope.js';
import { literalWorkflows, stateFiles, type Platform } from '../protocol/language/resolve.js';
import type { ArtifactStore } from '../store/store.js';
import { zipOf } from './archive.js';
import { decodeText, readWhole, ScopeError } from './error.js';
import { readFolder } from './frozen.js';
import { findWorkflow } from './locate.js';
import { openScope } from './open.js';
import { MAX_PACKAGE_BYTES } from './limits.js';
import { nameOf, type Bundle, type SentPackage, type StoredScope } from './stored.js';

/** Packages of one run. */
const MOST_PACKAGES = 100;

/** The store, and the platform whose scripts run. */
interface Destination {
  readonly store: ArtifactStore;
  readonly platform: Platform;
}

/** An uploaded package, and what could not be uploaded with it. */
export interface Sent {
  readonly scope: StoredScope;
  readonly warnings: readonly string[];
}

/** Uploads a package of this host. Throws a `ScopeError`, and the store's errors. */
export async function sendPackage(root: Scope, { store, platform }: Destination): Promise<Sent> {
  const packages = new Map<string, SentPackage>();
  const warnings: string[] = [];
  const open = [root];
  for (let scope = open.shift(); scope !== undefined; scope = open.shift()) {
    if (packages.has(nameOf(scope))) continue;
    if (packages.size === MOST_PACKAGES)
      throw new ScopeError('TooLarge', `${root.path} names more than ${MOST_PACKAGES} packages; start it with --live`);
    packages.set(nameOf(scope), { kind: scope.kind, blob: await sent(scope, store) });
    const named = await namedBy(scope, platform);
    open.push(...named.scopes);
    warnings.push(...named.warnings);
  }
  const bundle: Bundle = { packages: Object.fromEntries(packages) };
  const { sha256 } = await store.put(Buffer.from(JSON.stringify(bundle)));
  const blob = packages.get(nameOf(root))?.blob ?? '';
  const stored = packages.size > 1 ? { blob, bundle: sha256 } : { blob };
  return { scope: { ...root, stored }, warnings };
}

/** Puts one package into the store; returns the hash of its file. */
async function sent(scope: Scope, store: ArtifactStore): Promise<string> {
  const bytes =
    scope.kind === 'directory'
      ? await zipOf((await readFolder(scope.path)).files, scope.path)
      : await readWhole(scope.path, MAX_PACKAGE_BYTES);
  return (await store.put(bytes)).sha256;
}

/** The packages that the states of one package name literally. */
export async function namedBy(
  scope: Scope,
  platform: Platform,
): Promise<{ readonly scopes: readonly Scope[]; readonly warnings: readonly string[] }> {
  const reader = await openScope(scope);
  const scopes: Scope[] = [];
  const warnings: string[] = [];
  for (const file of stateFiles(await reader.list())) {
    const named = reader.positionOf(file);
    for (const specifier of literalWorkflows(decodeText(named, await reader.read(file)))) {
      try {
        const { scope: found } = await findWorkflow({ specifier, scope, platform });
        await (await openScope(found)).list();
        scopes.push(found);
      } catch (error) {
        if (!(error instanceof ScopeError)) throw error;
        warnings.push(`${named}: ${specifier} cannot be uploaded with the run: ${error.message}`);
      }
    }
  }
  return { scopes, warnings };
}
