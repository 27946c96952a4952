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
  /** Of a program, the texts that go to stderr. */
  readonly misdirected?: readonly TracedText[];
  /** Of a program, the texts that it prints one after the other, whatever its conditions are. */
  readonly certain?: readonly TracedText[];
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
  readonly printsToStderr: RegExp;
  /** What stands before a statement that no other is around. */
  readonly beforeStatement: RegExp;
}

const PYTHON: Language = {
  token:
    /#.*|(?:[rbuf]{0,2})("""[^]*?"""|'''[^]*?'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*')|(?<![\w.])([\w.]*)[ \t]?(\()|\)/gi,
  computed: /^(?:\{[^{}]*\}|%(?:\(\w+\))?[-+ #0]*[\d.*]*[sdrifgx])/,
  prints: /^(?:print|sys\.stdout\.write)$/,
  printsToStderr: /^sys\.stderr\.write$/,
  beforeStatement: /(?:^|\n)$/,
};

const NODE: Language = {
  token:
    /\/\/.*|\/\*[^]*?\*\/|("(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`)|(?<![\w.])([\w.]*)[ \t]?(\()|\)/g,
  computed: /^(?:\$\{(?:[^{}]|\{[^{}]*\})*\}|%[sdifjoO])/,
  prints: /^(?:console\.log|process\.stdout\.write)$/,
  printsToStderr: /^(?:console\.(?:error|warn)|process\.stderr\.write)$/,
  beforeStatement: /(?:^|[;}]\s*\n)$/,
};

/** A literal of a program: its text, and where it is printed for certain; `file` is any other than these two. */
interface Literal {
  readonly text: string;
  readonly start: number;
  readonly to?: 'stdout' | 'stderr' | 'file' | undefined;
  /** Where the statement that prints it begins, if no other is around it. */
  readonly statement?: number | undefined;
}

/**
 * What a program prints, and all that it may print: its literals in order, with a computed part after each, because what
 * is computed in them and between them is known only at run time. Not a parser: a program that it misreads shows fewer
 * tags.
 */
function programSource(text: string, language: Language): ScriptSource {
  const literals = literalsOf(text, language);
  const to = (where: Literal['to']): readonly Literal[] => literals.filter((literal) => literal.to === where);
  const traced = (some: readonly Literal[]): TracedText => {
    const all = new TracedText();
    for (const { text: literal, start } of some) {
      addLiteral(all, { text: literal, start, computed: language.computed });
      all.add(`${COMPUTED}\n`, start, true);
    }
    return all;
  };
  return {
    printed: [traced(to('stdout'))],
    handedOver: [traced(literals.filter(({ to }) => to !== 'stderr' && to !== 'file'))],
    misdirected: [traced(to('stderr'))],
    certain: certainly(to('stdout'), text).map(traced),
    opaque: true,
    commands: [],
  };
}

/** The literals of each statement at the top of a program, until something may end it; without statements that choose. */
function certainly(printed: readonly Literal[], text: string): readonly (readonly Literal[])[] {
  const ends = text.search(/\b(?:_?exit|quit|abort|raise|throw|return|execv\w*)\b/);
  const statements = [...new Set(printed.map(({ statement = text.length }) => statement))];
  return statements
    .filter((at) => at < (ends < 0 ? text.length : ends))
    .map((at) => printed.filter(({ statement }) => statement === at))
    .filter((literals) => literals.filter(({ text }) => WHOLE_TAG.test(text)).length < 2);
}

/** Of two such literals in one statement, a condition may choose one. */
const WHOLE_TAG = /<([\w-]+)[^<]*(?:<\/\1>|\/>)/;

/** A call around a literal; one without a name only groups. */
interface Call {
  readonly name: string;
  readonly at: number;
  readonly from: number;
  /** How many braces are open around it. */
  readonly depth: number;
}

function literalsOf(text: string, { token, prints, printsToStderr, beforeStatement }: Language): readonly Literal[] {
  const literals: (Omit<Literal, 'to'> & { readonly call?: Call })[] = [];
  const redirected = new Map<Call, 'stderr' | 'file'>();
  const calls: Call[] = [];
  let [depth, seen] = [0, 0];
  for (const match of text.matchAll(token)) {
    const [all, literal, name = '', opening] = match;
    const end = match.index + all.length;
    depth += bracesIn(text.slice(seen, match.index));
    seen = end;
    if (opening !== undefined) calls.push({ name, at: match.index, from: end, depth });
    else if (all === ')') {
      const call = calls.pop();
      const [, file] = /\bfile\s*=\s*([\w.]*)/.exec(text.slice(call?.from ?? end, end)) ?? [];
      if (call !== undefined && file !== undefined) redirected.set(call, file === 'sys.stderr' ? 'stderr' : 'file');
    } else if (literal !== undefined && !(calls.length === 0 && isStatement(text.slice(0, match.index)))) {
      const quotes = /^(?:"""|''')/.test(literal) ? 3 : 1;
      const [outer] = calls;
      const isAtTop = outer !== undefined && outer.depth === 0 && beforeStatement.test(text.slice(0, outer.at));
      literals.push({
        text: literal.slice(quotes, -quotes),
        start: end - literal.length + quotes,
        ...defined({ call: calls.findLast((around) => around.name !== ''), statement: isAtTop ? outer.at : undefined }),
      });
    }
  }
  return literals.map(({ call, ...literal }) => {
    const { name = '' } = call ?? {};
    const known = prints.test(name) ? 'stdout' : printsToStderr.test(name) ? 'stderr' : undefined;
    return { ...literal, to: (call && redirected.get(call)) ?? known };
  });
}

function bracesIn(code: string): number {
  return code.split('{').length - code.split('}').length;
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
