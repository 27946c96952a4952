// Packages in the artifact store. A run that travels has its package there under its hash, with a list of the other
// packages, by the paths and addresses at which its states name them.
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Scope, NamedWorkflow } from '../protocol/scope.js';
import type { ArtifactStore } from '../store/store.js';
import { ScopeError } from './error.js';

/** The part of a store that reading packages needs. */
export type Blobs = Pick<ArtifactStore, 'locate'>;

/** A package that travels with a run: its kind, and the hash of its file. */
export interface SentPackage {
  readonly kind: Scope['kind'];
  readonly blob: string;
}

/** The packages that travel together, by path or address. */
export interface Bundle {
  readonly packages: Readonly<Record<string, SentPackage>>;
}

/** A scope whose package is in the store. */
export type StoredScope = Scope & { readonly stored: NonNullable<Scope['stored']> };

/** True for a scope whose package is in the store. */
export function isStored(scope: Scope): scope is StoredScope {
  return scope.stored !== undefined;
}

/** The key of a package in the list: its address, or its path. */
export function nameOf(scope: Scope): string {
  return scope.kind === 'zip' && scope.url !== undefined ? scope.url : scope.path;
}

/** The first of these workflows that travels with `from`; undefined when none does. */
export async function broughtAlong(
  from: StoredScope,
  { wanted, blobs }: { readonly wanted: readonly NamedWorkflow[]; readonly blobs: Blobs },
): Promise<NamedWorkflow | undefined> {
  const { blob, bundle } = from.stored;
  const own = { [nameOf(from)]: { kind: from.kind, blob } };
  const packages = bundle === undefined ? own : (await readBundle(bundle, blobs)).packages;
  for (const workflow of wanted) {
    const found = packages[nameOf(workflow.scope)];
    if (found !== undefined && found.kind === workflow.scope.kind)
      return { ...workflow, scope: { ...workflow.scope, stored: { ...from.stored, blob: found.blob } } };
  }
  return undefined;
}

/** The message for a workflow that does not travel with the run. */
export function missingPackage(name: string): ScopeError {
  const todo = 'name it literally in the text of a state, or start the run with --live';
  return new ScopeError(
    'Missing',
    `${name} was not uploaded with the run, so host ${hostname()} does not have it; ${todo}`,
  );
}

async function readBundle(sha256: string, blobs: Blobs): Promise<Bundle> {
  return JSON.parse(await readFile(await blobs.locate(sha256), 'utf8')) as Bundle;
}
