// The lists that the programs of a package read from files, and what changes them. Pure.
import { plainText, type ScriptState } from '../helpers.js';
import { UNKNOWN } from '../paths/path.js';
import { pathUses } from '../paths/path-uses.js';

/** A list that a program reads from a file. */
export interface FileList {
  readonly name: string;
  readonly path: string;
  /** The end of the statement that reads it. */
  readonly end: number;
}

const READS =
  /^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=(?!=)[^\n]*(?:\n[ \t]+[.][^\n]*){0,2}/gm;

/** The lists that a program reads from files as they are. */
export function listsIn(state: ScriptState): readonly FileList[] {
  const code = plainText(state);
  const reads = pathUses(state).filter(({ kind, path }) => kind === 'read' && !path.includes(UNKNOWN) && path !== '');
  return [...code.matchAll(READS)].flatMap(({ index, 0: text, 1: name = '' }) => {
    const end = index + text.length;
    const read = reads.find(({ at }) => at >= index && at < end);
    const isList = /\b(?:loads?|parse)\(|\.splitlines\(\)|\.split\(["']\\n["']\)/.test(text);
    if (read === undefined || !isList || /\?|\bif\b|\bfor\b|\bor\b|\|\||\.(?:filter|map)\(/.test(text)) return [];
    return [{ name, path: read.path, end }];
  });
}

/** What changes a list in its place. */
export function isChanged(name: string, code: string): boolean {
  return new RegExp(
    String.raw`(?<![\w.])${name}(?:\.(?:shift|pop|popleft|splice|remove|sort|reverse|push|append|insert|extend|unshift|clear|fill)\(|\.length[ \t]*=(?!=)|\[[^\]\n]*\][\w."'[\]]*[ \t]*[-+]?=(?!=))|\bdel[ \t]+${name}\b`,
  ).test(code);
}
