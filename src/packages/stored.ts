// Packages in the artifact store: a run whose package travels has it there under its hash, and a list of the packages that came along, by
// the paths and addresses at which its states name them.
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Scope } from '../protocol/machine/agent.js';
import type { NamedWorkflow } from '../protocol/scope.js';
import type { ArtifactStore } from '../store/store.js';
import { ScopeError } from './error.js';

/** The part of a store that packages are read from. */
export type Blobs = Pick<ArtifactStore, 'locate'>;

/** A package that came along: its kind, and the hash of its file. */
export interface SentPackage {
  readonly kind: Scope['kind'];
  readonly blob: string;
}

/** The packages that travel together, by their places. */
export interface Bundle {
  readonly packages: Readonly<Record<string, SentPackage>>;
}

/** A scope whose package is in the store. */
export type StoredScope = Scope & { readonly stored: NonNullable<Scope['stored']> };

/** True for a scope whose package is in the store. */
export function isStored(scope: Scope): scope is StoredScope {
  return scope.stored !== undefined;
}

/** What a package is listed under: its address, or its path. */
export function placeOf(scope: Scope): string {
  return scope.kind === 'zip' && scope.url !== undefined ? scope.url : scope.path;
}

/** The one of these workflows that came along with `from`; undefined when none did. */
export async function broughtAlong(
  from: StoredScope,
  { wanted, blobs }: { readonly wanted: readonly NamedWorkflow[]; readonly blobs: Blobs },
): Promise<NamedWorkflow | undefined> {
  const { blob, bundle } = from.stored;
  const own = { [placeOf(from)]: { kind: from.kind, blob } };
  const packages = bundle === undefined ? own : (await readBundle(bundle, blobs)).packages;
  for (const workflow of wanted) {
    const found = packages[placeOf(workflow.scope)];
    if (found !== undefined && found.kind === workflow.scope.kind)
      return { ...workflow, scope: { ...workflow.scope, stored: { ...from.stored, blob: found.blob } } };
  }
  return undefined;
}

/** What to say of a workflow that did not come along. */
export function notBrought(place: string): ScopeError {
  const todo = 'name it literally in the text of a state, give the address of a zip, or start the run with --live';
  return new ScopeError(
    'Missing',
    `${place} did not come along with the run, so host ${hostname()} does not have it; ${todo}`,
  );
}

async function readBundle(sha256: string, blobs: Blobs): Promise<Bundle> {
  return JSON.parse(await readFile(await blobs.locate(sha256), 'utf8')) as Bundle;
}
