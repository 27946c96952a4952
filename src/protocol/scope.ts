// What the path of a workflow package says about it (its kind, its stem, the folder that it stands for), and what the text of a
// `…-workflow` tag names, as far as text can tell. Pure text: the extension alone decides; files and the network are packages/.
import type { Scope } from './machine/agent.js';
import { abbreviation, stem } from './ids.js';
import { clip } from './text.js';

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

/** A scope and the state in it to begin with (none = its entry point); `abbreviation` goes into the ids of agents that it starts. */
export interface NamedWorkflow {
  readonly scope: Scope;
  readonly name?: string;
  readonly abbreviation: string;
}

/** A package on the web: `url` without what names a state in it. */
export interface RemoteWorkflow {
  readonly url: string;
  readonly name?: string;
  readonly abbreviation: string;
}

/** What a specifier names. `open`: the folder if there is one, else the state. Its message says what to write. */
export type WorkflowPlace =
  | { readonly kind: 'named'; readonly workflow: NamedWorkflow }
  | { readonly kind: 'open'; readonly folder: NamedWorkflow; readonly state?: NamedWorkflow }
  | { readonly kind: 'remote'; readonly workflow: RemoteWorkflow }
  | { readonly kind: 'invalid'; readonly message: string };

/** A specifier, the scope of the agent that wrote it, and how this platform makes a path absolute (`resolve` of node:path). */
interface SpecifierContext {
  readonly specifier: string;
  readonly scope: Scope;
  readonly resolve: (folder: string, path: string) => string;
}

/** Reads a specifier; both separators are read as one, so that a package works on every platform. */
export function readSpecifier({ specifier, scope, resolve }: SpecifierContext): WorkflowPlace {
  const text = specifier.trim().replaceAll('\\', '/');
  if (text === '') return invalid('the name of a workflow is empty; write a path such as ../other/ or ../other.zip');
  // A control character in a path is never meant, and the system refuses some of them in a way that helps nobody.
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
    return invalid(`${quoted(path)} names a state of a ${kind} file; write it without the slash at its end`);
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
    return invalid(`${quoted(text)} leaves ${base.origin}; a downloaded workflow can only name packages beside itself`);
  }
  return readRemote(target.href);
}

/** Reads the address of a package: http or https, the SHA-256 of the zip in its name, and perhaps a state after it. */
export function readRemote(address: string): WorkflowPlace {
  const url = parsedUrl(address);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return invalid(`${quoted(address)} is no http or https address; other kinds of address are not supported`);
  }
  if (url.username !== '' || url.password !== '') {
    return invalid(`the address of ${url.host} holds a user name or password; it would be recorded, so leave it out`);
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
    `${quoted(href)} does not end with a zip file that carries its SHA-256 in its name; name it like flow-<64 lower-case hex digits>.zip`,
  );
}

function parsedUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined; // the caller says what an address must be like
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // not encoded after all: no state has such a name, and that is what the author is told
  }
}

function named(workflow: NamedWorkflow): WorkflowPlace {
  return { kind: 'named', workflow };
}

function invalid(message: string): WorkflowPlace {
  return { kind: 'invalid', message };
}

/** Like `abbreviation`, for a name that has no extension (any more). */
function shortened(name: string): string {
  return Array.from(name.toLowerCase()).slice(0, 6).join('');
}

function quoted(text: string): string {
  return JSON.stringify(clip(text, 200));
}

/** What a name says: nothing, one hash (lower case), or more than can be told apart. */
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
