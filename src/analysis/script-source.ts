// Finds the texts that a script prints, as far as its source shows: on which paths, and which texts are only possible. Pure.
import { executorOf } from '../protocol/language/resolve.js';
import { defined } from '../protocol/text.js';
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
  return programSource(text, executor === 'python' ? PYTHON : NODE);
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

/** How a language writes comments, strings, calls that print, and what it computes within a string. */
interface Language {
  readonly token: RegExp;
  readonly computed: RegExp;
  readonly prints: RegExp;
}

const PYTHON: Language = {
  token:
    /#.*|(?:[rbuf]{0,2})("""[^]*?"""|'''[^]*?'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*')|(?<![\w.])([\w.]*)[ \t]?(\()|\)/gi,
  computed: /^(?:\{[^{}]*\}|%(?:\(\w+\))?[-+ #0]*[\d.*]*[sdrifgx])/,
  prints: /^(?:print|sys\.stdout\.write)$/,
};

const NODE: Language = {
  token:
    /\/\/.*|\/\*[^]*?\*\/|("(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`)|(?<![\w.])([\w.]*)[ \t]?(\()|\)/g,
  computed: /^(?:\$\{(?:[^{}]|\{[^{}]*\})*\}|%[sdifjoO])/,
  prints: /^(?:console\.log|process\.stdout\.write)$/,
};

/** A literal of a program: its text, and whether it is printed for certain. */
interface Literal {
  readonly text: string;
  readonly start: number;
  readonly isPrinted: boolean;
}

/**
 * What a program prints, and all that it may print: its literals in order, with a computed part after each, because what
 * is computed in them and between them is known only at run time. Not a parser: a program that it misreads shows fewer
 * tags.
 */
function programSource(text: string, language: Language): ScriptSource {
  const literals = literalsOf(text, language);
  const printed = literals.filter(({ isPrinted }) => isPrinted);
  const traced = (some: readonly Literal[]): TracedText => {
    const all = new TracedText();
    for (const { text: literal, start } of some) {
      addLiteral(all, { text: literal, start, computed: language.computed });
      all.add(`${COMPUTED}\n`, start, true);
    }
    return all;
  };
  return { printed: [traced(printed)], handedOver: [traced(literals)], opaque: true, commands: [] };
}

/** A call around a literal; one without a name only groups. */
interface Call {
  readonly name: string;
  readonly from: number;
}

function literalsOf(text: string, { token, prints }: Language): readonly Literal[] {
  const literals: (Literal & { readonly call?: Call })[] = [];
  const redirected = new Set<Call>();
  const calls: Call[] = [];
  for (const match of text.matchAll(token)) {
    const [all, literal, name = '', opening] = match;
    const end = match.index + all.length;
    if (opening !== undefined) calls.push({ name, from: end });
    else if (all === ')') {
      const call = calls.pop();
      if (call !== undefined && /\bfile\s*=/.test(text.slice(call.from, end))) redirected.add(call);
    } else if (literal !== undefined && !(calls.length === 0 && isStatement(text.slice(0, match.index)))) {
      const quotes = /^(?:"""|''')/.test(literal) ? 3 : 1;
      const call = calls.findLast((around) => around.name !== '');
      const isPrinted = call !== undefined && prints.test(call.name);
      literals.push({
        text: literal.slice(quotes, -quotes),
        start: end - literal.length + quotes,
        isPrinted,
        ...defined({ call }),
      });
    }
  }
  return literals.filter(({ call }) => call === undefined || !redirected.has(call));
}

/** True for a text of its own, such as the description of a module or a function. */
function isStatement(before: string): boolean {
  return /(?:^|\n)[ \t]*$/.test(before);
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
