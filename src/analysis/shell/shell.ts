// A parsed bash script: its commands, variables, functions and comments. paths.ts finds its output.
import {
  forEachChild,
  parse,
  type CaseItem,
  type Command as CommandNode,
  type Function as FunctionNode,
  type ParsedScript,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { TracedText } from '../position.js';
import { NO_CONTEXT, traced, type WordContext } from './words.js';

/** A variable that the script reads; `guarded` = with a default, as in `${NAME:-default}`. */
interface VariableUse {
  readonly name: string;
  readonly at: number;
  readonly guarded: boolean;
}

/** A simple command, without the assignments before its name. */
export interface CommandLine {
  readonly name: string;
  readonly args: readonly TracedText[];
  /** Its here-documents and here-strings. */
  readonly stdin: readonly TracedText[];
  readonly at: number;
  /** Where its output goes, if not to stdout: the name of a file, or `stderr`. */
  readonly output?: string;
}

/** A parsed bash script. */
export interface ShellScript {
  readonly text: string;
  readonly ast: ParsedScript;
  readonly commands: readonly CommandLine[];
  readonly variables: readonly VariableUse[];
  readonly functions: ReadonlyMap<string, FunctionNode>;
  /** Variables that get their values only from assignments, so that they are known where those are. */
  readonly assigned: ReadonlySet<string>;
  /** True for a variable that the script may set itself. */
  readonly isSet: (name: string) => boolean;
  readonly comments: readonly { readonly text: string; readonly at: number }[];
  readonly loops: readonly ShellLoop[];
  /** What stands behind an `exit` and the like, and never runs. */
  readonly dead: readonly Range[];
}

/** A range of the text. */
export interface Range {
  readonly at: number;
  readonly end: number;
}

/** A `while` or `until` loop. */
export interface ShellLoop {
  readonly at: number;
  readonly test: Range;
  readonly body: Range;
}

/** Parses a bash script; skips what is not bash. */
export function readShell(text: string): ShellScript {
  const ast = parse(text);
  const reading = new ShellReading();
  reading.visit(ast);
  const assigned = [...reading.assignments].filter((name) => !reading.changed.has(name));
  return {
    text,
    ast,
    commands: reading.commands,
    variables: reading.variables,
    functions: reading.functions,
    assigned: new Set(reading.isDynamic ? [] : assigned),
    isSet: (name) => reading.assignments.has(name) || reading.changed.has(name) || reading.sources,
    comments: commentsIn(text, reading.words),
    loops: reading.loops,
    dead: reading.dead,
  };
}

/** Commands that set the variables that they name. */
const SETTERS = new Set(['read', 'mapfile', 'readarray', 'getopts', 'unset', 'let', 'wait', 'printf']);

/** Commands that declare variables. */
export const DECLARATIONS: ReadonlySet<string> = new Set(['export', 'local', 'declare', 'readonly', 'typeset']);

class ShellReading {
  readonly commands: CommandLine[] = [];
  readonly variables: VariableUse[] = [];
  readonly functions = new Map<string, FunctionNode>();
  readonly assignments = new Set<string>();
  /** Variables that something else than an assignment of a text may change. */
  readonly changed = new Set<string>();
  readonly loops: ShellLoop[] = [];
  readonly dead: Range[] = [];
  /** The ranges of words and here-documents. */
  readonly words: (readonly [number, number])[] = [];
  isDynamic = false;
  /** True if another file may set variables. */
  sources = false;

  readonly visit = (node: SyntaxNode): void => {
    // Its positions are those of another text.
    if (node.type === 'Script' && node.source !== undefined) return;
    this.read(node);
    forEachChild(node, this.visit);
  };

  private read(node: SyntaxNode): void {
    switch (node.type) {
      case 'Word':
      case 'HereDocBody':
        this.words.push([node.pos, node.end]);
        return;
      case 'Command':
        return this.command(node);
      case 'Function':
        // One of two functions of a name is not known.
        if (this.functions.has(node.name.value)) this.isDynamic = true;
        this.functions.set(node.name.value, node);
        return;
      case 'Assignment':
        this.assignments.add(node.name);
        if (node.append === true || node.index !== undefined || node.value.type === 'ArrayValue')
          this.changed.add(node.name);
        return;
      case 'Script':
      case 'CompoundList':
        return this.behindEnd(node.commands);
      case 'Case':
        return this.behindDefault(node.items);
      case 'While':
        this.loops.push({ at: node.pos, test: rangeOf(node.clause), body: rangeOf(node.body) });
        return;
      case 'For':
      case 'Select':
        this.changed.add(node.name.value);
        return;
      case 'ArithmeticWord':
        for (const [name] of node.value.matchAll(/[A-Za-z_]\w*/g)) {
          this.changed.add(name);
          this.variables.push({ name, at: node.pos, guarded: true });
        }
        return;
      case 'SimpleExpansion':
        this.variables.push({ name: node.text.slice(1), at: node.pos, guarded: false });
        return;
      case 'ParameterExpansion': {
        const { operation, parameter: name } = node;
        const guarded = operation?.type === 'Default' || node.prefix !== undefined;
        this.variables.push({ name, at: node.pos, guarded });
        if (operation?.type === 'Default' && operation.operator.endsWith('=')) this.changed.add(name);
        return;
      }
      default:
    }
  }

  private behindEnd(statements: readonly Statement[]): void {
    const index = statements.findIndex(({ command }) => {
      return command.type === 'Command' && /^(?:exit|return|break|continue)$/.test(command.name?.value ?? '');
    });
    const [next, last] = [statements[index + 1], statements.at(-1)];
    if (index >= 0 && next !== undefined && last !== undefined) this.dead.push({ at: next.pos, end: last.end });
  }

  /** The cases below `*)`. */
  private behindDefault(items: readonly CaseItem[]): void {
    const index = items.findIndex(
      ({ pattern, terminator }) =>
        pattern.some(({ value }) => value === '*') && terminator !== ';;&' && terminator !== ';&',
    );
    const [next, last] = [items[index + 1], items.at(-1)];
    if (index >= 0 && next !== undefined && last !== undefined) this.dead.push({ at: next.pos, end: last.end });
  }

  private command(node: CommandNode): void {
    for (const part of node.prefix)
      if (part.type === 'Assignment' && node.name !== undefined) this.changed.add(part.name);
    const line = commandLine(node);
    if (line === undefined) return;
    this.commands.push(line);
    const { name, args } = line;
    if (name === 'eval' || name === 'source' || name === '.') this.isDynamic = this.sources = true;
    const isReference = args.some(({ text }) => /^-\w*n/.test(text));
    if (DECLARATIONS.has(name) && isReference && name !== 'export') this.isDynamic = true;
    if (SETTERS.has(name) || DECLARATIONS.has(name))
      for (const { text } of args) {
        const [, variable] = /^([A-Za-z_]\w*)(?:[[=+-].*)?$/.exec(text) ?? [];
        const isExport = name === 'export' || name === 'readonly';
        if (variable !== undefined && !isExport && !(DECLARATIONS.has(name) && text.includes('=')))
          this.changed.add(variable);
      }
  }
}

function rangeOf({ pos, end }: { readonly pos: number; readonly end: number }): Range {
  return { at: pos, end };
}

/** A command with its words; undefined if it only assigns or redirects. */
export function commandLine(node: CommandNode, context: WordContext = NO_CONTEXT): CommandLine | undefined {
  if (node.name === undefined) return undefined;
  const words = [node.name, ...node.args].map((word) =>
    word.type === 'Word' ? traced(word, context) : assignmentText(word.text, word.pos),
  );
  const wrappers = words.findIndex(({ text }) => !/^(?:command|builtin)$/.test(text));
  const [name, ...args] = words.slice(Math.max(0, wrappers));
  const output = outputOf(node.redirects);
  return name === undefined
    ? undefined
    : {
        name: name.text,
        args,
        stdin: stdinOf(node.redirects, context),
        at: node.name.pos,
        ...(output === undefined ? {} : { output }),
      };
}

function assignmentText(text: string, at: number): TracedText {
  const words = new TracedText();
  words.add(text, at);
  return words;
}

/** The here-documents and here-strings of a command. */
function stdinOf(redirects: readonly Redirection[], context: WordContext): readonly TracedText[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return [traced(redirect.body, context)];
    return redirect.type === 'HereString' && redirect.target !== undefined ? [traced(redirect.target, context)] : [];
  });
}

/** Where the output goes, if not to stdout. */
export function outputOf(redirects: readonly Redirection[]): string | undefined {
  let output: string | undefined;
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || redirect.target === undefined) continue;
    const { operator, descriptor, target } = redirect;
    const isStdout = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1);
    if (!operator.includes('>') || operator === '<>' || !(isStdout || operator.startsWith('&'))) continue;
    const name = target.value;
    if (/^(?:\/dev\/stdout|\/dev\/fd\/1|\/proc\/self\/fd\/1)$/.test(name) || (operator === '>&' && name === '1'))
      output = undefined;
    else output = name === '/dev/stderr' || (operator === '>&' && name === '2') ? 'stderr' : name;
  }
  return output;
}

/** A `#` begins a comment where a word could begin. */
function commentsIn(
  text: string,
  words: readonly (readonly [number, number])[],
): readonly { readonly text: string; readonly at: number }[] {
  const inWords = new Uint8Array(text.length + 1);
  for (const [from, to] of words) inWords.fill(1, from, to);
  return [...text.matchAll(/(?<=^|[\s;&|()])#.*/gm)].flatMap((match) =>
    inWords[match.index] === 1 ? [] : [{ text: match[0], at: match.index }],
  );
}
