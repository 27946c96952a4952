// Finds what a script prints, as far as its source shows: arguments of echo and printf, here-documents, texts stored in variables; but not
// comments, redirected output, or search patterns. Pure.
import { executorOf } from '../protocol/language/resolve.js';
import { literalsOf } from './code-source.js';
import { TracedText } from './position.js';
import { readShell, type Command, type ShellScript } from './shell-lexer.js';
import { COMPUTED } from './shell-words.js';

/** A parsed script. */
export interface ScriptSource {
  /** Its output in order, and the text that it captures in variables. */
  readonly printed: readonly TracedText[];
  /** True if it may print text that its source does not show. */
  readonly opaque: boolean;
  /** Its commands; empty for other shells, which are not parsed. */
  readonly commands: readonly CommandLine[];
  readonly shell?: ShellScript;
}

/** A command without keywords and assignments before its name. */
export interface CommandLine {
  readonly name: string;
  readonly args: readonly TracedText[];
  readonly at: number;
  readonly command: Command;
}

/** Parses the text of the script `file`. */
export function readScript(text: string, file: string): ScriptSource {
  const executor = executorOf(file);
  if (executor === 'bash') return bashSource(text);
  if (executor !== 'python' && executor !== 'node') return foreignSource(text);
  return { printed: [literalsOf(text, executor)], opaque: true, commands: [] };
}

function bashSource(text: string): ScriptSource {
  const shell = readShell(text);
  const [printed, captured] = [new TracedText(), new TracedText()];
  const commands: CommandLine[] = [];
  let opaque = false;
  for (const command of shell.commands) {
    const line = commandLine(command);
    if (line !== undefined) commands.push(line);
    if (command.redirected) continue;
    const print = printOf(line, { command, shell });
    (command.captured ? captured : printed).append(print);
    opaque ||= !command.captured && print.text.includes(COMPUTED) && !isComputedOnlyInTags(print.text);
  }
  return { printed: [printed, captured], opaque, commands, shell };
}

/** True if every computed part is inside a tag; rules about tags check those. */
function isComputedOnlyInTags(text: string): boolean {
  return !text.replace(/<(\w[\w-]*)[^<>]*>[^]*<\/\1>/g, '').includes(COMPUTED);
}

const KEYWORDS = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  '{',
  '}',
  'time',
  'exec',
  'command',
  'builtin',
]);
const ASSIGNMENT = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/;

function commandLine(command: Command): CommandLine | undefined {
  const words = [...command.words];
  while (words[0] !== undefined && (KEYWORDS.has(words[0].text) || ASSIGNMENT.test(words[0].text))) words.shift();
  const [name, ...args] = words;
  return name === undefined ? undefined : { name: name.text, args, at: name.offsetOf(0), command };
}

/** Commands that never print a tag. */
const SILENT = new Set(
  `set cd mkdir rmdir rm cp mv touch chmod chown ln sleep true false : exit return test [ [[ kill wait trap shift unset read mapfile
  readarray ulimit umask break continue fi done esac shopt let install sync mktemp`.split(/\s+/),
);

/** Commands that print their input, not their arguments. */
const FILTERS = new Set(
  `grep egrep fgrep rg sed awk tr cut sort uniq head tail wc jq xargs case for select git`.split(' '),
);

/** Commands that store text which may be printed later. */
const DECLARATIONS = new Set(['export', 'local', 'declare', 'readonly', 'typeset']);

function printOf(
  line: CommandLine | undefined,
  { command, shell }: { readonly command: Command; readonly shell: ShellScript },
): TracedText {
  const output = new TracedText();
  for (const word of command.words)
    if (ASSIGNMENT.test(word.text)) append(output, literalOnly(word.slice(word.text.indexOf('=') + 1)));
  if (line === undefined || SILENT.has(line.name)) return output;
  const { name, args, at } = line;
  if (name === 'echo') append(output, joined(args.filter(({ text }, index) => index > 0 || !/^-[neE]+$/.test(text))));
  else if (name === 'printf') append(output, args[0]?.text === '-v' ? new TracedText() : formatted(args));
  else if (DECLARATIONS.has(name)) for (const word of args) append(output, literalOnly(word));
  else if (FILTERS.has(name)) output.add(`${COMPUTED}\n`, at, true);
  else {
    append(output, joined(args));
    for (const fed of command.stdin) append(output, fed);
    const copies = name === 'cat' && args.length === 0 && command.stdin.length > 0;
    if (!copies && !shell.functions.has(name)) output.add(`${COMPUTED}\n`, at, true);
  }
  return output;
}

function append(print: TracedText, more: TracedText): void {
  print.append(more);
  print.add('\n', more.offsetOf(more.text.length), true);
}

/** Of a stored text only tags count here: computed parts count where the variable is printed. */
function literalOnly(word: TracedText): TracedText {
  return /<[\w-]/.test(word.text) ? word : new TracedText();
}

function joined(words: readonly TracedText[]): TracedText {
  const all = new TracedText();
  for (const [index, word] of words.entries()) {
    if (index > 0) all.add(' ', word.offsetOf(0), true);
    all.append(word);
  }
  return all;
}

/** The output of printf. */
function formatted(words: readonly TracedText[]): TracedText {
  const [format, ...values] = words[0]?.text === '--' ? words.slice(1) : words;
  const output = new TracedText();
  if (format === undefined) return output;
  do {
    const valueCount = values.length;
    fill(output, format, values);
    if (values.length === valueCount) break;
  } while (values.length > 0);
  return output;
}

function fill(output: TracedText, format: TracedText, values: TracedText[]): void {
  const piece = /%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z])|\\[nt\\"']|[^]/g;
  for (let match = piece.exec(format.text); match !== null; match = piece.exec(format.text)) {
    const [text, conversion] = match;
    const at = format.offsetOf(match.index);
    if (conversion !== undefined) {
      const value = values.shift();
      if (value === undefined) continue;
      if (conversion === 's' || conversion === 'b') output.append(value);
      else output.add(COMPUTED, at, true);
    } else if (text.length === 2) output.add(text === '\\n' ? '\n' : text === '\\t' ? '\t' : text.slice(1), at, true);
    else output.add(text, at);
  }
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
  return { printed: [printed], opaque: true, commands: [] };
}
