// What a script prints, as far as its source shows: on which paths, and which texts are only possible. Pure.
import { executorOf } from '../protocol/language/resolve.js';
import { TracedText } from './position.js';
import { readShell, type CommandLine, type ShellScript } from './shell.js';
import { outputOfShell, type ShellOutput } from './shell-paths.js';
import { COMPUTED } from './shell-words.js';

/** A parsed script. */
export interface ScriptSource {
  /** What it prints, on each path. */
  readonly printed: readonly TracedText[];
  /** Texts that its functions and other programs get, and may print. */
  readonly handedOver: readonly TracedText[];
  /** True if it may print text that its source does not show. */
  readonly opaque: boolean;
  /** Its commands; empty for other shells, which are not parsed. */
  readonly commands: readonly CommandLine[];
  readonly shell?: ShellScript & ShellOutput;
}

/** Parses the text of the script `file`. */
export function readScript(text: string, file: string): ScriptSource {
  const executor = executorOf(file);
  if (executor === 'bash') return bashSource(text);
  if (executor !== 'python' && executor !== 'node') return foreignSource(text);
  return { printed: [literalsOf(text, executor)], handedOver: [], opaque: true, commands: [] };
}

function bashSource(text: string): ScriptSource {
  const parsed = readShell(text);
  const shell = { ...parsed, ...outputOfShell(parsed) };
  const { paths, possible, files, commands, isComplete } = shell;
  const opaque = !isComplete || paths.some(({ isOpen, text: { text } }) => isOpen || !isComputedOnlyInTags(text));
  return {
    printed: paths.map((path) => path.text),
    // What is in a file may be printed by a program.
    handedOver: [...possible, ...(opaque ? files : [])].map(unescapedQuotes),
    opaque,
    commands,
    shell,
  };
}

/** True if every computed part is inside a tag; rules about tags check those. */
function isComputedOnlyInTags(text: string): boolean {
  return !text.replace(/<(\w[\w-]*)[^<>]*>[^]*<\/\1>/g, '').includes(COMPUTED);
}

/** Other languages write a quote inside a string with a backslash. */
function unescapedQuotes(text: TracedText): TracedText {
  const plain = new TracedText();
  for (let index = 0; index < text.text.length; index++)
    if (!/^\\["']/.test(text.text.slice(index, index + 2))) plain.append(text.slice(index, index + 1));
  return plain;
}

/** Scripts of other shells: everything except comments may be printed, and every variable is computed. */
function foreignSource(text: string): ScriptSource {
  const printed = new TracedText();
  const plain = text.replace(/^[ \t]*(?:#|::|rem\b).*$/gim, (comment) => ' '.repeat(comment.length));
  const piece = /[\^`](?=["'<>])|%\w+%|![A-Za-z_]\w*!|\$(?:env:)?\w+|\$\(|[^]/g;
  for (let match = piece.exec(plain); match !== null; match = piece.exec(plain)) {
    const [text] = match;
    if (text === '^' || text === '`') continue;
    if (text.length > 1) printed.add(COMPUTED, match.index, true);
    else printed.add(text, match.index);
  }
  return { printed: [printed], handedOver: [], opaque: true, commands: [] };
}

/** How a language writes comments, strings, and what it computes within a string. */
interface Language {
  readonly token: RegExp;
  readonly computed: RegExp;
}

const PYTHON: Language = {
  token: /#.*|(?:[rbuf]{0,2})("""[^]*?"""|'''[^]*?'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*')/gi,
  computed: /^(?:\{[^{}]*\}|%(?:\(\w+\))?[-+ #0]*[\d.*]*[sdrifgx])/,
};

const NODE: Language = {
  token: /\/\/.*|\/\*[^]*?\*\/|("(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`)/g,
  computed: /^(?:\$\{(?:[^{}]|\{[^{}]*\})*\}|%[sdifjoO])/,
};

/**
 * The literals of a program in order, with a computed part after each: what is computed in them and
 * between them is known only at run time. Not a parser: a program that it misreads shows fewer tags.
 */
function literalsOf(text: string, language: 'python' | 'node'): TracedText {
  const { token, computed } = language === 'python' ? PYTHON : NODE;
  const printed = new TracedText();
  for (const match of text.matchAll(token)) {
    const [, literal] = match;
    if (literal === undefined) continue;
    const quotes = /^(?:"""|''')/.test(literal) ? 3 : 1;
    const start = match.index + match[0].length - literal.length + quotes;
    addLiteral(printed, { text: literal.slice(quotes, -quotes), start, computed });
    printed.add(`${COMPUTED}\n`, start, true);
  }
  return printed;
}

function addLiteral(
  printed: TracedText,
  { text, start, computed }: { readonly text: string; readonly start: number; readonly computed: RegExp },
): void {
  for (let at = 0; at < text.length;) {
    const [found] = computed.exec(text.slice(at)) ?? [];
    const escaped = text[at] === '\\';
    if (found !== undefined) printed.add(COMPUTED, start + at, true);
    else if (escaped) printed.add(ESCAPES[text[at + 1] ?? ''] ?? text[at + 1] ?? '', start + at, true);
    else printed.add(text[at] ?? '', start + at);
    at += found?.length ?? (escaped ? 2 : 1);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\n': '' };
