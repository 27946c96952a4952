// The names in a zip file: what a name may be, and how the files may lie. Pure.
// Must not read the zip; a mistake is a text that says what is wrong with the name or the layout.
import { clip } from '../../protocol/text.js';

/** A name that was understood, or what is wrong with it. */
export type ZipName =
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'mistake'; readonly message: string };

/** Reads the bytes of an entry's name. */
export function readZipName(raw: Buffer): ZipName {
  let name: string;
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return mistake(`the name ${quoted(raw.toString('latin1'))} is not UTF-8; zip it with a program that writes UTF-8`);
  }
  if (/\p{Cc}/u.test(name)) return mistake(`the name ${quoted(name)} holds a control character; rename the file`);
  if (name.includes('\\')) return mistake(`the name ${quoted(name)} holds a backslash; zip it with / between folders`);
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.includes('..') || parts.includes('') || /^[A-Za-z]:/.test(name)) {
    return mistake(`the name ${quoted(name)} leads out of the zip; zip it with relative names`);
  }
  if (name.endsWith('/')) return { kind: 'folder' };
  if (parts.at(-1) === '.') return mistake(`the name ${quoted(name)} is no name of a file; rename it`);
  return { kind: 'file', name };
}

/** The folder that all files lie in (empty for a flat zip), or what is wrong with how they lie. */
export type ZipLayout =
  { readonly kind: 'layout'; readonly prefix: string } | { readonly kind: 'mistake'; readonly message: string };

/** Accepts files that all lie at the top, or all directly in one folder. */
export function layoutOf(names: readonly string[]): ZipLayout {
  const deep = names.find((name) => name.split('/').length > 2);
  if (deep !== undefined) {
    return mistake(`${quoted(deep)} lies in a folder of a folder; a workflow has its states in one folder`);
  }
  const [first] = names;
  if (first === undefined) return mistake('it holds no files; zip the states of a workflow');
  const prefix = folderOf(first);
  const stranger = names.find((name) => folderOf(name) !== prefix);
  if (stranger === undefined) return { kind: 'layout', prefix };
  const both = `${quoted(first)} and ${quoted(stranger)}`;
  return prefix === '' || folderOf(stranger) === ''
    ? mistake(`it holds files at the top and in a folder (${both}); zip either the folder or what is in it`)
    : mistake(`it holds several folders (${both}); zip one workflow`);
}

/** What two names have in common when a file system that does not tell upper from lower case takes them for one. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** A name for messages. */
export function quoted(name: string): string {
  return JSON.stringify(clip(name, 120));
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

function mistake(message: string): { readonly kind: 'mistake'; readonly message: string } {
  return { kind: 'mistake', message };
}
