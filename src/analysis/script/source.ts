// Finds the texts that a script prints, as far as its source shows: on which paths, and which texts are only possible. Pure.
import { executorOf } from '../../protocol/language/resolve.js';
import { TracedText } from '../position.js';
import type { Program } from '../program/program.js';
import { readShell, type CommandLine, type ShellScript } from '../shell/shell.js';
import { outputOfShell, type ShellOutput } from '../shell/paths.js';
import type { ScriptPath } from './path.js';
import { COMPUTED } from '../shell/words.js';

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
  /** Its paths, and whether these are all; absent for other shells, which are not parsed. */
  readonly flow?: Pick<ShellOutput, 'paths' | 'isComplete' | 'repeated'>;
  /** The commands of a bash script. */
  readonly commands: readonly CommandLine[];
  readonly shell?: ShellScript & ShellOutput;
  readonly program?: Program;
}

/** Parses the text of the script `file`. */
export async function readScript(text: string, file: string): Promise<ScriptSource> {
  const executor = executorOf(file);
  if (executor === 'bash') return bashSource(text);
  if (executor !== 'python' && executor !== 'node') return foreignSource(text);
  return await programSource(text, file);
}

/** The grammars of programs are loaded when there is one. */
async function programSource(text: string, file: string): Promise<ScriptSource> {
  const { outputOfProgram, readProgram } = await import('../program/paths.js');
  const program = readProgram(text, file);
  const { paths, isComplete, possible, misdirected, repeated } = outputOfProgram(program);
  return {
    printed: paths.map((path) => path.text),
    handedOver: possible,
    opaque: isOpaque(paths, isComplete),
    misdirected,
    flow: { paths, isComplete, repeated },
    commands: [],
    program,
  };
}

function isOpaque(paths: readonly ScriptPath[], isComplete: boolean): boolean {
  return !isComplete || paths.some(({ isOpen, text: { text } }) => isOpen || !isComputedOnlyInTags(text));
}

function bashSource(text: string): ScriptSource {
  const parsed = readShell(text);
  const shell = { ...parsed, ...outputOfShell(parsed) };
  const { paths, possible, files, commands, isComplete } = shell;
  const opaque = isOpaque(paths, isComplete);
  return {
    printed: paths.map((path) => path.text),
    // What is in a file may be printed by a program.
    handedOver: [...possible, ...(opaque ? files : [])].map(unescapedQuotes),
    opaque,
    flow: shell,
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
