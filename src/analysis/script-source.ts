// What a script prints, as far as its text tells: the arguments of echo and printf, here-documents, texts that it keeps in variables;
// neither comments nor what goes into files, to stderr, or is only searched for. Pure.
import { executorOf } from '../protocol/language/resolve.js';
import { TracedText } from './position.js';
import { readShell, type Command, type ShellScript } from './shell-lexer.js';
import { COMPUTED } from './shell-words.js';

/** A script as read. */
export interface ScriptSource {
  /** What it prints itself in its order, and what it prints into values of its own. */
  readonly printed: readonly TracedText[];
  /** True when it may print what its text does not show. */
  readonly opaque: boolean;
  /** Its commands by name, with literal arguments; those of other shells are not read. */
  readonly commands: readonly CommandLine[];
  readonly shell?: ShellScript;
}

/** A command without what stands before its name. */
export interface CommandLine {
  readonly name: string;
  readonly args: readonly TracedText[];
  readonly at: number;
  readonly command: Command;
}

/** Reads the text of the state `file`. */
export function readScript(text: string, file: string): ScriptSource {
  return executorOf(file) === 'bash' ? bashSource(text) : foreignSource(text);
}

function bashSource(text: string): ScriptSource {
  const shell = readShell(text);
  const [own, kept] = [new TracedText(), new TracedText()];
  const commands: CommandLine[] = [];
  let opaque = false;
  for (const command of shell.commands) {
    const line = commandLine(command);
    if (line !== undefined) commands.push(line);
    if (command.diverted) continue;
    const print = printOf(line, { command, shell });
    (command.captured ? kept : own).append(print);
    opaque ||= !command.captured && print.text.includes(COMPUTED) && !isInTag(print.text);
  }
  return { printed: [own, kept], opaque, commands, shell };
}

/** True when what is computed stands within tags only: it is then their concern. */
function isInTag(text: string): boolean {
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

/** What cannot print a tag, whatever it is given. */
const SILENT = new Set(
  `set cd mkdir rmdir rm cp mv touch chmod chown ln sleep true false : exit return test [ [[ kill wait trap shift unset read mapfile
  readarray ulimit umask break continue fi done esac shopt let install sync mktemp`.split(/\s+/),
);

/** What prints what it reads, not its arguments. */
const FILTERS = new Set(
  `grep egrep fgrep rg sed awk tr cut sort uniq head tail wc jq xargs case for select git`.split(' '),
);

/** What keeps texts that may be printed later. */
const KEEPERS = new Set(['export', 'local', 'declare', 'readonly', 'typeset']);

function printOf(
  line: CommandLine | undefined,
  { command, shell }: { readonly command: Command; readonly shell: ShellScript },
): TracedText {
  const print = new TracedText();
  for (const word of command.words)
    if (ASSIGNMENT.test(word.text)) append(print, literalOnly(word.slice(word.text.indexOf('=') + 1)));
  if (line === undefined || SILENT.has(line.name)) return print;
  const { name, args, at } = line;
  if (name === 'echo') append(print, joined(args.filter(({ text }, index) => index > 0 || !/^-[neE]+$/.test(text))));
  else if (name === 'printf') append(print, args[0]?.text === '-v' ? new TracedText() : formatted(args));
  else if (KEEPERS.has(name)) for (const word of args) append(print, literalOnly(word));
  else if (FILTERS.has(name)) print.add(`${COMPUTED}\n`, at, true);
  else {
    append(print, joined(args));
    for (const fed of command.fed) append(print, fed);
    const copies = name === 'cat' && args.length === 0 && command.fed.length > 0;
    if (!copies && !shell.functions.has(name)) print.add(`${COMPUTED}\n`, at, true);
  }
  return print;
}

function append(print: TracedText, more: TracedText): void {
  print.append(more);
  print.add('\n', more.offsetOf(more.text.length), true);
}

/** A text that is kept prints only what is literal in it: what it takes from elsewhere is told where that is printed. */
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

/** What printf makes of its arguments. */
function formatted(words: readonly TracedText[]): TracedText {
  const [format, ...values] = words[0]?.text === '--' ? words.slice(1) : words;
  const made = new TracedText();
  if (format === undefined) return made;
  do {
    const before = values.length;
    fill(made, format, values);
    if (values.length === before) break;
  } while (values.length > 0);
  return made;
}

function fill(made: TracedText, format: TracedText, values: TracedText[]): void {
  const piece = /%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?([a-zA-Z])|\\[nt\\"']|[^]/g;
  for (let found = piece.exec(format.text); found !== null; found = piece.exec(format.text)) {
    const [text, conversion] = found;
    const at = format.offsetOf(found.index);
    if (conversion !== undefined) {
      const value = values.shift();
      if (value === undefined) continue;
      if (conversion === 's' || conversion === 'b') made.append(value);
      else made.add(COMPUTED, at, true);
    } else if (text.length === 2) made.add(text === '\\n' ? '\n' : text === '\\t' ? '\t' : text.slice(1), at, true);
    else made.add(text, at);
  }
}

/** Other shells: all but their comments counts, and every variable is something computed. */
function foreignSource(text: string): ScriptSource {
  const printed = new TracedText();
  const plain = text.replace(/^[ \t]*(?:#|::|rem\b).*$/gim, (comment) => ' '.repeat(comment.length));
  const piece = /[\^`](?=["'<>])|%\w+%|![A-Za-z_]\w*!|\$(?:env:)?\w+|\$\(|[^]/g;
  for (let found = piece.exec(plain); found !== null; found = piece.exec(plain)) {
    const [text] = found;
    if (text === '^' || text === '`') continue;
    if (text.length > 1) printed.add(COMPUTED, found.index, true);
    else printed.add(text, found.index);
  }
  return { printed: [printed], opaque: true, commands: [] };
}
