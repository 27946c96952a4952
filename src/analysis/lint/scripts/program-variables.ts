// Finds the environment variables that a Python or JavaScript program reads, also by another name of the environment. Pure.
import { functionsIn } from '../numbers/lengths.js';

/** A variable that a program reads; `guarded` = the program knows that it may not be set. */
interface ProgramVariable {
  readonly name: string;
  readonly at: number;
  readonly guarded: boolean;
}

/** Another name that a program gives the environment. */
const OTHER_NAME =
  /(?<![\w.])(\w+)[ \t]*=[ \t]*(?:os\.environ(?:\.copy\(\)|[ \t]*$)|process\.env[ \t]*(?:;|$))|\{[ \t]*(env)[ \t]*\}[ \t]*(?:=[ \t]*(?:process\b|require\(["'](?:node:)?process)|from[ \t]+["'](?:node:)?process)/gm;

/** The variables that a Python or JavaScript program reads. */
export function variablesOfProgram(text: string): readonly ProgramVariable[] {
  const names = [...text.matchAll(OTHER_NAME)].map(([, name, env]) => name ?? env ?? '');
  const alias = names.length === 0 ? '(?!)' : `(?<![\\w.])(?:${names.join('|')})`;
  const use = new RegExp(
    `(?:(?:\\benviron|${alias})(?:\\.get\\(|\\[)|\\bgetenv\\()\\s*["'](\\w+)["']\\s*(,|\\)\\s*or\\b)?|(?<!!|\\b(?:if|while)\\s*\\(\\s*|\\bBoolean\\()(?:\\bprocess\\.env|${alias})(?:\\.(?!get\\b|items\\b|copy\\b)|\\[["'])(\\w+)(?!["'] *\\+)["'\\])]*\\s*(\\?\\?|\\|\\||\\?[^.]|&&)?`,
    'g',
  );
  const assigned = new Set(
    [...text.matchAll(/\benv(?:iron)?(?:\.|\[["'])(\w+)["']?\]?\s*(?:=(?!=)|\?\?=)/g)].map(([, name]) => name),
  );
  const read = [...text.matchAll(use)].map(({ 0: whole, 1: python, 2: comma, 3: node, 4: otherwise, index }) => {
    const name = python ?? node ?? '';
    const guarded = comma !== undefined || otherwise !== undefined || assigned.has(name);
    return { name, at: index + whole.lastIndexOf(name), guarded };
  });
  return [...read, ...destructured(text, alias)];
}

/** The variables that functions of the program read by a parameter: `env('NAME')`. They may have a default. */
export function variablesOfReaders(text: string): readonly ProgramVariable[] {
  const reads = /(?:\benviron(?:\.get\(|\[)|\bgetenv\(|\benv\[)\s*(\w+)\s*[\]),]/;
  const readers = functionsIn(text).filter(({ at, end, params }) =>
    params.includes(reads.exec(text.slice(at, end))?.[1] ?? ''),
  );
  return readers.flatMap(({ name }) =>
    [...text.matchAll(new RegExp(`(?<![\\w.])${name}\\(\\s*["'](\\w+)["']`, 'g'))].map(
      ({ 0: whole, 1: variable = '', index }) => ({
        name: variable,
        at: index + whole.lastIndexOf(variable),
        guarded: true,
      }),
    ),
  );
}

/** `const { name, other: alias = 'none' } = process.env`. */
function destructured(text: string, alias: string): readonly ProgramVariable[] {
  const pattern = new RegExp(
    `\\{([^{}]{1,400})\\}\\s*(?::\\s*[\\w<>, ]{1,60})?=\\s*(?:process\\.env\\b(?![.\\[])|${alias}(?![\\w.\\[(]))`,
    'g',
  );
  return [...text.matchAll(pattern)].flatMap(({ 1: names = '', index }) =>
    [...names.matchAll(/(?<=^|,)\s*(\w+)\s*(?::\s*\w+\s*)?(=[^,]*)?(?=,|\s*$)/g)].map(
      ({ 0: whole, 1: name = '', 2: otherwise, index: offset }) => {
        return { name, at: index + 1 + offset + whole.indexOf(name), guarded: otherwise !== undefined };
      },
    ),
  );
}
