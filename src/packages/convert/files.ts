// The files of a package as a conversion sees them: names, bytes, and which of them are programs. Reads them from a
// folder or a zip, and reports what no other form can hold; from-yaml.ts and to-yaml.ts know the limits of each form.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readWhole, ScopeError, unreadable } from '../error.js';
import { MAX_FILE_BYTES, MAX_PACKAGE_BYTES } from '../limits.js';
import { readZip } from '../zip.js';

/** One file; `executable` = its owner may run it as a program. */
export interface PackageFile {
  readonly content: Buffer;
  readonly executable: boolean;
}

/** The files of a package by name. */
export type PackageFiles = ReadonlyMap<string, PackageFile>;

/** True for a shell script with a `#!` line, when the package does not list its programs. */
export function isProgram(name: string, content: Buffer): boolean {
  return name.endsWith('.sh') && content.subarray(0, 2).toString() === '#!';
}

/** Files in the requested form, or everything that this form cannot hold, each `file:line: …`. */
export type Converted<T> =
  | { readonly kind: 'converted'; readonly value: T }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** One error that lists all problems. */
export function unconvertible(problems: readonly string[]): ScopeError {
  return new ScopeError('Layout', problems.join('\n'));
}

/** The error for a file in `--without` that does not exist. */
export function notThere(name: string, path: string): ScopeError {
  return new ScopeError('Missing', `--without ${name}: there is no such file in ${path}`);
}

function checkLeft(without: ReadonlySet<string>, names: readonly string[], path: string): void {
  const stranger = [...without].find((name) => !names.includes(name));
  if (stranger !== undefined) throw notThere(stranger, path);
}

/**
 * Reads the files directly in a folder, except those in `without`. Throws a `ScopeError` that lists everything that is
 * not a file.
 */
export async function filesOfFolder(path: string, without: ReadonlySet<string>): Promise<PackageFiles> {
  const entries = await readdir(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  checkLeft(without, entries, path);
  const files = new Map<string, PackageFile>();
  const problems: string[] = [];
  let bytes = 0;
  for (const name of entries.filter((entry) => !without.has(entry)).sort()) {
    const file = join(path, name);
    const found = await stat(file).catch(() => undefined); // A dangling link is not a file either.
    if (found?.isFile() !== true) {
      problems.push(found?.isDirectory() === true ? folderProblem(file, name) : noFileProblem(file, name));
      continue;
    }
    bytes += found.size;
    if (found.size > MAX_FILE_BYTES || bytes > MAX_PACKAGE_BYTES) throw tooLarge(file);
    const content = await readWhole(file, MAX_FILE_BYTES);
    files.set(name, { content, executable: (found.mode & 0o100) !== 0 });
  }
  if (problems.length > 0) throw unconvertible(problems);
  return files;
}

function folderProblem(file: string, name: string): string {
  return `${file}: a package cannot contain a folder; move it out, or leave it behind with --without ${name}`;
}

function noFileProblem(file: string, name: string): string {
  return `${file}: this is neither a file nor a link to one; remove it, or leave it behind with --without ${name}`;
}

function tooLarge(file: string): ScopeError {
  const message = `${file}: the package is larger than ${MAX_PACKAGE_BYTES} bytes, or this file larger than ${MAX_FILE_BYTES}`;
  return new ScopeError('TooLarge', `${message}; keep large data out of it`);
}

/** Reads the files of a zip. Throws a `ScopeError`. */
export async function filesOfZip(path: string, without: ReadonlySet<string>): Promise<PackageFiles> {
  const { files } = await readZip(path);
  checkLeft(without, [...files.keys()], path);
  const kept = [...files].filter(([name]) => !without.has(name));
  return new Map(
    kept.map(([name, { content, executable, marked = executable }]) => [name, { content, executable: marked }]),
  );
}

/**
 * Compares files with what a conversion there and back made of them: the names that differ, each with its first
 * different line.
 */
export function firstDifference(
  one: PackageFiles,
  other: PackageFiles,
): { readonly name: string; readonly line: number } | undefined {
  for (const [name, { content, executable }] of one) {
    const found = other.get(name);
    if (found === undefined || found.executable !== executable) return { name, line: 1 };
    if (!found.content.equals(content)) return { name, line: firstChangedLine(content, found.content) };
  }
  const extra = [...other.keys()].find((name) => !one.has(name));
  return extra === undefined ? undefined : { name: extra, line: 1 };
}

function firstChangedLine(one: Buffer, other: Buffer): number {
  const [lines, others] = [one.toString().split('\n'), other.toString().split('\n')];
  const at = lines.findIndex((line, index) => line !== others[index]);
  return at < 0 ? lines.length : at + 1;
}
