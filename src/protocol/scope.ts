// What the path of a workflow package says about it (its kind, its stem, its folder), and what the text of a
// `…-workflow` tag names. Pure text: only the extension decides; packages/ reads files and the network.
import { abbreviation, stem } from './ids.js';
import { clip } from './text.js';

/**
 * Where states are. `path` is absolute, on the worker; a downloaded zip keeps its `url`. A package that was frozen at
 * the start of its run is in the artifact store; `origin` is the path that it was copied from. For a package that
 * travels with its run, `path` is only a name for people.
 */
export type Scope = (
  | { readonly kind: 'directory'; readonly path: string; readonly origin?: string }
  | { readonly kind: 'zip'; readonly path: string; readonly url?: string; readonly origin?: string }
  | { readonly kind: 'yaml'; readonly path: string; readonly origin?: string }
) & {
  readonly stored?: StoredPackage;
  /** The prompts that a fork of a run replaced: the SHA-256 of their text in the artifact store, by file name. */
  readonly replaced?: Readonly<Record<string, string>>;
};

/**
 * A package in the artifact store: the hash of its file (a folder is stored as a zip), and of the list of packages that
 * travel with it.
 */
interface StoredPackage {
  readonly blob: string;
  readonly bundle?: string;
}

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

/** Where a package was found: its name for people, and the base of its relative paths. */
export function originOf({ path, origin }: Scope): string {
  return origin ?? path;
}

/** The folder that relative specifiers of a scope start from: a package in one file counts as a folder. */
export function folderOf(scope: Scope): string {
  const path = originOf(scope);
  const { kind } = scope;
  return kind === 'directory' ? path : path.slice(0, path.length - lastPart(path).length) + packageStem(path);
}

/** The name of a package in one file, without its extension. */
export function packageStem(path: string): string {
  return stem(lastPart(path));
}

/** The name of a package for people: its folder or file, without an extension and a SHA-256. */
export function packageName(scope: Scope): string {
  if (scope.kind === 'directory') return lastPart(originOf(scope));
  const file = packageStem(scope.kind === 'zip' && scope.url !== undefined ? pathOf(scope.url) : originOf(scope));
  const name = file.replace(/[0-9a-f]{64}/i, '').replace(/^[-_. ]+|[-_. ]+$/g, '');
  return name === '' ? file.slice(0, 12) : name;
}

/** The path in an address, without query and fragment. */
function pathOf(url: string): string {
  return url.replace(/[?#].*$/, '');
}

/** What to resolve for `name`: a state in a YAML file is one thing, whatever extension a target gives it. */
export function nameInScope({ kind }: { readonly kind?: Scope['kind'] }, name: string): string {
  return kind === 'yaml' ? name.replace(/\.(md|sh|ps1|bat|py|js|ts)$/i, '') : name;
}

/** A scope and its first state (none = its entry point); `abbreviation` is part of the ids of agents that it starts. */
export interface NamedWorkflow {
  readonly scope: Scope;
  readonly name?: string;
  readonly abbreviation: string;
}

/** A package on the web: `url` without the state. */
export interface RemoteWorkflow {
  readonly url: string;
  readonly name?: string;
  readonly abbreviation: string;
}

/** What a specifier names. `open`: the folder if it exists, else the state. Its message says what to write. */
export type WorkflowPlace =
  | { readonly kind: 'named'; readonly workflow: NamedWorkflow }
  | { readonly kind: 'open'; readonly folder: NamedWorkflow; readonly state?: NamedWorkflow }
  | { readonly kind: 'remote'; readonly workflow: RemoteWorkflow }
  | { readonly kind: 'invalid'; readonly message: string };

/** A specifier, the scope of its agent, and `resolve` of node:path on this platform. */
interface SpecifierContext {
  readonly specifier: string;
  readonly scope: Scope;
  readonly resolve: (folder: string, path: string) => string;
}

/** Reads a specifier; both separators mean the same, so that a package works on every platform. */
export function readSpecifier({ specifier, scope, resolve }: SpecifierContext): WorkflowPlace {
  const text = specifier.trim().replaceAll('\\', '/');
  if (text === '') return invalid('the name of a workflow is empty; write a path such as ../other/ or ../other.zip');
  // A control character in a path is never intended, and the system's error about it helps no one.
  if (/\p{Cc}/u.test(text)) return invalid(`${quoted(text)} is not the path of a workflow; write it in one line`);
  if (isUrl(text)) return invalid(`${quoted(text)} is an address; name a workflow by a path relative to this one`);
  if (scope.kind === 'zip' && scope.url !== undefined) return beside(scope.url, text);
  return classify(resolve(folderOf(scope), text), text.endsWith('/'));
}

/** True for `scheme://…`. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function classify(path: string, slash: boolean): WorkflowPlace {
  const last = lastPart(path);
  const parent = parentOf(path);
  if (packageKind(path) !== undefined)
    return named({ scope: scopeAt(path), abbreviation: shortened(packageStem(path)) });
  const kind = packageKind(parent);
  if (kind !== undefined && slash) {
    return invalid(`${quoted(path)} names a state of a ${kind} file; remove the slash at its end`);
  }
  if (kind !== undefined)
    return named({ scope: scopeAt(parent), name: last, abbreviation: shortened(packageStem(parent)) });
  const siblings: Scope = { kind: 'directory', path: parent };
  if (/\.md$/i.test(last) && !slash) return named({ scope: siblings, name: last, abbreviation: abbreviation(last) });
  const folder: NamedWorkflow = { scope: { kind: 'directory', path }, abbreviation: shortened(last) };
  if (slash || last === '') return { kind: 'open', folder };
  return { kind: 'open', folder, state: { scope: siblings, name: last, abbreviation: shortened(lastPart(parent)) } };
}

/** A specifier of a downloaded package is relative to its address, and stays on its host. */
function beside(url: string, text: string): WorkflowPlace {
  const base = new URL(url);
  base.pathname += '/';
  base.search = '';
  const target = parsedUrl(text, base);
  if (target?.origin !== base.origin) {
    return invalid(
      `${quoted(text)} is outside of ${base.origin}; a downloaded workflow can only name packages on its own server`,
    );
  }
  return readRemote(target.href);
}

/** Reads the address of a package: http or https, the SHA-256 of the zip in its name, and perhaps a state after it. */
export function readRemote(address: string): WorkflowPlace {
  const url = parsedUrl(address);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return invalid(`${quoted(address)} is not an http or https address; no other kind is supported`);
  }
  if (url.username !== '' || url.password !== '') {
    return invalid(`the address of ${url.host} contains a user name or password, which would be recorded; remove it`);
  }
  url.hash = '';
  const inner = /^(.*\.zip)\/([^/]+)$/i.exec(url.pathname);
  const name = inner?.[2] === undefined ? undefined : decoded(inner[2]);
  if (inner?.[1] !== undefined) url.pathname = inner[1];
  const file = lastPart(url.pathname);
  const hash = hashInName(file);
  if (packageKind(file) !== 'zip' || hash.kind !== 'hash' || !file.includes(hash.sha256)) return unnamed(url);
  const state = name === undefined ? {} : { name };
  return { kind: 'remote', workflow: { url: url.href, ...state, abbreviation: shortened(packageStem(file)) } };
}

function unnamed({ href }: URL): WorkflowPlace {
  return invalid(
    `${quoted(href)} does not end with a zip file that has its SHA-256 in its name; name it like flow-<64 lower-case hex digits>.zip`,
  );
}

function parsedUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined; // The caller reports the expected form of an address.
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // Not encoded: no state has such a name, and the message shows it.
  }
}

function named(workflow: NamedWorkflow): WorkflowPlace {
  return { kind: 'named', workflow };
}

function invalid(message: string): WorkflowPlace {
  return { kind: 'invalid', message };
}

/** Like `abbreviation`, for a name without an extension. */
function shortened(name: string): string {
  return Array.from(name.toLowerCase()).slice(0, 6).join('');
}

function quoted(text: string): string {
  return JSON.stringify(clip(text, 200));
}

/** The hashes in a name: none, one (lower case), or an ambiguous sequence. */
type HashName =
  { readonly kind: 'none' } | { readonly kind: 'hash'; readonly sha256: string } | { readonly kind: 'ambiguous' };

const DIGITS = 64;

/** The hash in a file name: a run of exactly 64 hexadecimal digits; a longer run or a second one makes it ambiguous. */
export function hashInName(name: string): HashName {
  const runs = name.toLowerCase().match(/[0-9a-f]{64,}/g) ?? [];
  const [only, second] = runs;
  if (only === undefined) return { kind: 'none' };
  return second === undefined && only.length === DIGITS ? { kind: 'hash', sha256: only } : { kind: 'ambiguous' };
}
