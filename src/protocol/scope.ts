// What the path of a workflow package says about it: its kind, its stem, the folder that it stands for. Pure text.
// Must not look at files: the extension alone decides, as for people who read a path.
import type { Scope } from './agent.js';
import { stem } from './names.js';

const PACKAGES: Readonly<Record<string, 'zip' | 'yaml'>> = { zip: 'zip', yaml: 'yaml', yml: 'yaml' };

/** The scope at an absolute path. */
export function scopeAt(path: string): Scope {
  return { kind: packageKind(path) ?? 'directory', path };
}

/** `zip` or `yaml` for the path of a package in one file, else undefined. */
export function packageKind(path: string): 'zip' | 'yaml' | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(PACKAGES, extension) ? PACKAGES[extension] : undefined;
}

/** The last part of a path; empty for a root. */
export function lastPart(path: string): string {
  return path.slice(lastSeparator(path) + 1);
}

/** A path without its last part. */
export function parentOf(path: string): string {
  const at = lastSeparator(path);
  // A root keeps its separator: "/", "C:\".
  return at === 0 || /^[A-Za-z]:$/.test(path.slice(0, at)) ? path.slice(0, at + 1) : path.slice(0, at);
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}

/** Where a package was found: what people know it by, and what its relative paths start from. */
export function originOf({ path, origin }: Scope): string {
  return origin ?? path;
}

/** The folder that relative specifiers of a scope start from: a package in one file stands for a folder of its own. */
export function folderOf(scope: Scope): string {
  const path = originOf(scope);
  const { kind } = scope;
  return kind === 'directory' ? path : path.slice(0, path.length - lastPart(path).length) + packageStem(path);
}

/** The name of a package in one file, without its extension. */
export function packageStem(path: string): string {
  return stem(lastPart(path));
}

/** What people call a package: the name of its folder or file, without an extension and the SHA-256 that it may carry. */
export function packageName(scope: Scope): string {
  if (scope.kind === 'directory') return lastPart(originOf(scope));
  const file = packageStem(scope.kind === 'zip' && scope.url !== undefined ? pathOf(scope.url) : originOf(scope));
  const name = file.replace(/[0-9a-f]{64}/i, '').replace(/^[-_. ]+|[-_. ]+$/g, '');
  return name === '' ? file.slice(0, 12) : name;
}

/** The path in an address, without what stands behind it. */
function pathOf(url: string): string {
  return url.replace(/[?#].*$/, '');
}

/** What to resolve for `name`: in a YAML file a state is one thing, whatever extension a target gives it. */
export function nameInScope({ kind }: { readonly kind?: Scope['kind'] }, name: string): string {
  return kind === 'yaml' ? name.replace(/\.(md|sh|ps1|bat)$/i, '') : name;
}
