// Tells whether a script may print tags by functions of other files, which the analysis of the script does not follow. Pure.
import { stem } from '../protocol/ids.js';
import type { Folder } from '../protocol/language/resolve.js';
import { TAG_NAMES } from '../protocol/language/tag-table.js';
import type { Expression } from './program/program.js';
import type { SourceFile } from './source.js';

/**
 * True for a script in which a function of another file may print a tag: such as `emit goto NEXT` of a library that it
 * sources.
 */
export function printsByLibrary(source: SourceFile, { files }: Pick<Folder, 'files'>): boolean {
  if (source.kind !== 'script' || !source.script.opaque) return false;
  const { shell, program, flow } = source.script;
  const names = new Set([...TAG_NAMES, ...files.map(stem)]);
  if (shell !== undefined)
    return (
      /^\s*(?:\.|source)\s/m.test(shell.text) &&
      shell.commands.some(
        ({ name, args }) =>
          !shell.functions.has(name) && !/^(?:echo|printf)$/.test(name) && args.some(({ text }) => names.has(text)),
      )
    );
  if (program === undefined || !importsOf(program.text, files)) return false;
  const { literals } = program;
  return flow?.paths.some(({ isOpen }) => isOpen) === true && literals.some((literal) => names.has(plainText(literal)));
}

/** True for a program that imports a file of its package, or a file that its text does not name. */
function importsOf(text: string, files: readonly string[]): boolean {
  if (/\bsys\.path\b|\bimportlib\b|\b__import__\b|\bimport\((?!["'`]node:)|\brequire\((?!["'`])/.test(text))
    return true;
  const modules = text.matchAll(
    /\brequire\(\s*["'`]([^"'`\n]+)["'`]|\b(?:from|import)[ \t]+["']([^"'\n]+)["']|^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b|^[ \t]*import[ \t]+([\w., \t]+)/gm,
  );
  const names = new Set(
    [...modules].flatMap(
      (match) =>
        match
          .slice(1)
          .join(',')
          .match(/[\w-]+/g) ?? [],
    ),
  );
  return files.some((file) => names.has(stem(file).split('.')[0] ?? file));
}

/** The text of a literal without computed parts; empty for others. */
function plainText(literal: Expression): string {
  if (literal.kind === 'join') return literal.parts.map(plainText).join('');
  return literal.kind === 'text' ? literal.text.text : '';
}
