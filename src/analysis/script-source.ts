// Finds what a script prints, as far as its source shows: arguments of echo and printf, here-documents, texts stored in variables; but not
// comments, redirected output, or search patterns. Pure.
import { executorOf } from '../protocol/language/resolve.js';
import { literalsOf } from './code-source.js';
import { TracedText } from './position.js';
import { readShell, type Command, type ShellScript } from './shell-lexer.js';
import { addUnescaped, COMPUTED } from './shell-words.js';

/** A parsed script. */
export interface ScriptSource {
  /** Its output in order, and the text that it captures in variables. */
  readonly printed: readonly TracedText[];
  /** Texts that its functions and other programs get, and may print. */
  readonly handedOver: readonly TracedText[];
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
  return { printed: [literalsOf(text, executor)], handedOver: [], opaque: true, commands: [] };
}

function bashSource(text: string): ScriptSource {
  const shell = readShell(text);
  const [printed, captured, handedOver] = [new TracedText(), new TracedText(), new TracedText()];
  const commands: CommandLine[] = [];
  let opaque = false;
  for (const command of shell.commands) {
    const line = commandLine(command);
    if (line !== undefined) commands.push(line);
    if (command.redirected) continue;
    const print = printOf(line, { command, shell });
    if (line !== undefined && isHandedOver(line))
      append(handedOver, unescapedQuotes(joined([...line.args, ...command.stdin])));
    (command.captured ? captured : printed).append(print);
    opaque ||= !command.captured && print.text.includes(COMPUTED) && !isComputedOnlyInTags(print.text);
  }
  return { printed: [printed, captured], handedOver: [handedOver], opaque, commands, shell };
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
    if (ASSIGNMENT.test(word.text) && isRead(word.text, shell))
      append(output, literalOnly(word.slice(word.text.indexOf('=') + 1)));
  if (line === undefined || SILENT.has(line.name)) return output;
  const { name, args, at } = line;
  if (name === 'echo') append(output, echoed(args));
  else if (name === 'printf') append(output, args[0]?.text === '-v' ? new TracedText() : formatted(args));
  else if (DECLARATIONS.has(name)) for (const word of args) append(output, literalOnly(word));
  else if (FILTERS.has(name)) output.add(`${COMPUTED}\n`, at, true);
  else {
    const copies = COPIES.has(name) && command.stdin.length > 0;
    if (copies) for (const fed of command.stdin) append(output, fed);
    if (!copies && !shell.functions.has(name)) output.add(`${COMPUTED}\n`, at, true);
  }
  return output;
}

/** Commands that print what they read. */
const COPIES = new Set(['cat', 'tee']);

/** True for a command that gets texts which it may print: a function of the script, or another program. */
function isHandedOver({ name, command, args }: CommandLine): boolean {
  if (name === 'trap') return true;
  if (name === 'echo' || name === 'printf' || SILENT.has(name) || DECLARATIONS.has(name) || FILTERS.has(name))
    return false;
  return !COPIES.has(name) || (args.length > 0 && command.stdin.length === 0);
}

/** True if the script reads the variable of an assignment. */
function isRead(assignment: string, { variables }: ShellScript): boolean {
  const [name = ''] = /^\w+/.exec(assignment) ?? [];
  return variables.some((use) => use.name === name);
}

/** Other languages write a quote inside a string with a backslash. */
function unescapedQuotes(text: TracedText): TracedText {
  const plain = new TracedText();
  for (let index = 0; index < text.text.length; index++)
    if (!/^\\["']/.test(text.text.slice(index, index + 2))) plain.append(text.slice(index, index + 1));
  return plain;
}

function echoed(args: readonly TracedText[]): TracedText {
  const [first, ...rest] = args;
  const options = first !== undefined && /^-[neE]+$/.test(first.text) ? first.text : '';
  const text = joined(options === '' ? args : rest);
  if (!options.includes('e')) return text;
  const plain = new TracedText();
  addUnescaped(plain, text);
  return plain;
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
  const [written, ...values] = words[0]?.text === '--' ? words.slice(1) : words;
  const output = new TracedText();
  if (written === undefined) return output;
  const format = new TracedText();
  addUnescaped(format, written);
  do {
    const valueCount = values.length;
    fill(output, format, values);
    if (values.length === valueCount) break;
  } while (values.length > 0);
  return output;
}

function fill(output: TracedText, format: TracedText, values: TracedText[]): void {
  const piece = /%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z])|[^]/g;
  for (let match = piece.exec(format.text); match !== null; match = piece.exec(format.text)) {
    const [text, conversion] = match;
    const at = format.offsetOf(match.index);
    if (conversion !== undefined) {
      const value = values.shift();
      if (value === undefined) continue;
      if (conversion === 's' || conversion === 'b') output.append(value);
      else output.add(COMPUTED, at, true);
    } else if (text === '%%') output.add('%', at, true);
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
  return { printed: [printed], handedOver: [], opaque: true, commands: [] };
}
