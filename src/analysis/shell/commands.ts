// What simple commands do to a path of a bash script: print, assign, call a function, end the script, or hand text to another program.
import { parse, type Command as CommandNode, type Function as FunctionNode } from 'unbash';
import type { CompoundCommand, ParsedScript, Redirection, Statement } from 'unbash';
import { TracedText } from '../position.js';
import {
  exiting,
  exitStatus,
  forget,
  isTrue,
  POSITIONAL,
  START,
  together,
  type ExitCode,
  type Path,
  type Status,
} from '../script/path.js';
import { commandLine, DECLARATIONS, outputOf, type CommandLine, type ShellScript } from './shell.js';
import { COPIES, FILTERS, joined, printed, SILENT } from './output.js';
import { COMPUTED, traced, type WordContext } from './words.js';

const MAX_CALLS = 12;

/** True for a program of sed that writes a tag into its output. */
function writesTag(name: string, text: string): boolean {
  return name === 'sed' && /s([|/#,@!]).*?\1[^]*<[a-z]/.test(text);
}

/** Follows simple commands; `run` and `list` follow all others. */
export abstract class ShellCommands {
  protected readonly possible: TracedText[] = [];
  protected readonly files: TracedText[] = [];
  protected readonly origins = new Map<number, number>();
  protected isComplete = true;
  private readonly called = new Set<string>();
  private calls = 0;
  /** How many substitutions are being followed: there any output counts, not only tags. */
  private captures = 0;

  constructor(protected readonly shell: ShellScript) {}

  protected abstract run(
    node: CompoundCommand | Extract<FunctionNode['body'], { readonly type: 'Redirected' }>,
    path: Path,
  ): readonly Path[];

  protected abstract list(statements: readonly Statement[], from: readonly Path[]): readonly Path[];

  /** Functions that a trap or another program calls. */
  protected otherwiseCalled(): void {
    for (const [name, node] of this.shell.functions) {
      const isNamed = this.shell.commands.some(({ args }) => args.some(({ text }) => text.split(/\W+/).includes(name)));
      if (this.called.has(name) || !isNamed) continue;
      for (const { chunks } of this.body(node, START)) this.possible.push(together(chunks));
    }
  }

  /** A subshell keeps neither variables nor ends the script. */
  protected inSubshell(paths: readonly Path[], outer: Path): readonly Path[] {
    return paths.map((path) => {
      const skipped = path.end === 'exit' ? outer.skipped : path.skipped;
      return { ...path, values: outer.values, end: 'next', skipped, exit: outer.exit };
    });
  }

  protected redirected(
    redirects: readonly Redirection[],
    path: Path,
    run: (path: Path) => readonly Path[],
  ): readonly Path[] {
    const output = outputOf(redirects);
    if (output === undefined) return run(path);
    return run({ ...path, chunks: [] }).map((inner) => {
      this.writtenTo(inner.chunks, output);
      return { ...inner, chunks: path.chunks, isOpen: path.isOpen };
    });
  }

  private writtenTo(chunks: readonly TracedText[], output: string): void {
    if (output === 'stderr' || output === '/dev/null') return;
    // Another descriptor, or a program, may lead to stdout.
    const isFile = !/^\d+$|^>\(/.test(output);
    (isFile ? this.files : this.possible).push(...chunks);
  }

  /** Whether a command can change what a path prints or where it ends. */
  protected matters({ pos, end }: { readonly pos: number; readonly end: number }): boolean {
    const text = this.shell.text.slice(pos, end);
    if (this.captures > 0) return true;
    if (/<|\\x3c|\\0?74|\b(?:exit|return|break|continue|exec|shift|set)\b/i.test(text)) return true;
    const names = [...text.matchAll(/[\w-]+/g)].map(([name]) => name);
    return names.some((name) => this.shell.functions.has(name) || this.shell.assigned.has(name));
  }

  protected printsTag({ pos, end }: { readonly pos: number; readonly end: number }): boolean {
    const text = this.shell.text.slice(pos, end);
    return [text, ...this.bodiesOf(text)].some((part) => /<[a-z]/i.test(part));
  }

  protected bodiesOf(text: string): readonly string[] {
    return [...this.shell.functions].flatMap(([name, { pos, end }]) =>
      text.includes(name) ? [this.shell.text.slice(pos, end)] : [],
    );
  }

  /** The text that all paths print, if it is one; otherwise it is possible that it is printed later. */
  protected captured(paths: readonly Path[]): TracedText | undefined {
    const [first, ...others] = paths.map(({ chunks }) => together(chunks));
    const isKnown = first !== undefined && others.every(({ text }) => text === first.text);
    if (isKnown && !paths.some(({ isOpen }) => isOpen) && !first.text.includes(COMPUTED)) return first;
    for (const { chunks } of paths) this.possible.push(together(chunks));
    return undefined;
  }

  protected context(path: Path): WordContext {
    return {
      valueOf: (name, at) => this.valueAt(path.values.get(name), at),
      outputOf: (script) => this.substituted(script, path),
    };
  }

  /** The value of a variable at its use, where its computed parts are. */
  private valueAt(value: TracedText | undefined, at: number): TracedText | undefined {
    if (value?.text.includes(COMPUTED) !== true) return value;
    const here = new TracedText();
    for (let index = 0; index < value.text.length; index++) {
      const char = value.text[index] ?? '';
      if (char === COMPUTED) this.origins.set(at, value.offsetOf(index));
      here.add(char, char === COMPUTED ? at : value.offsetOf(index), true);
    }
    return here;
  }

  private substituted(script: ParsedScript, path: Path): TracedText | undefined {
    if (script.source !== undefined) return undefined;
    this.captures += 1;
    const paths = this.list(script.commands, [{ ...path, chunks: [], isOpen: false }]);
    this.captures -= 1;
    const output = this.captured(paths);
    return output?.slice(0, output.text.replace(/\n+$/, '').length);
  }

  protected command(node: CommandNode, start: Path, stdin?: TracedText): readonly Path[] {
    const context = this.context(start);
    const line = commandLine(node, context);
    if (line === undefined) return [this.assigned(node, start)];
    const fed = stdin === undefined ? line : { ...line, stdin: [...line.stdin, stdin] };
    if (line.name === 'exec' && line.args.length === 0) return this.redirectedForGood(line, start);
    return this.redirected(node.redirects, start, (path) => this.named(fed, node, path));
  }

  /** `exec >file`: from here on, only the run knows what reaches stdout. */
  private redirectedForGood({ output }: CommandLine, path: Path): readonly Path[] {
    if (output === undefined) return [{ ...path, status: 'true' }];
    this.isComplete = false;
    return [{ ...path, end: 'exit', status: 'maybe', isOpen: true }];
  }

  private assigned({ prefix }: CommandNode, path: Path): Path {
    const values = new Map(path.values);
    let status: Status = 'true';
    for (const part of prefix) {
      if (part.type !== 'Assignment') continue;
      if (part.value.type === 'ArrayValue') {
        for (const element of part.value.elements) this.possible.push(traced(element, this.context(path)));
        continue;
      }
      const value = traced(part.value, this.context({ ...path, values }));
      if (part.value.text.includes('$(') || part.value.text.includes('`')) status = 'maybe';
      if (this.shell.assigned.has(part.name)) values.set(part.name, value);
      else if (this.isRead(part.name)) this.possible.push(value);
    }
    return { ...path, values, status };
  }

  private isRead(name: string): boolean {
    return this.shell.variables.some((use) => use.name === name);
  }

  private named(line: CommandLine, node: CommandNode, path: Path): readonly Path[] {
    const { name, args } = line;
    const body = this.shell.functions.get(name);
    if (body !== undefined) return this.call(body, args, path);
    switch (name) {
      case 'echo':
      case 'printf':
        return [{ ...path, status: 'true', chunks: [...path.chunks, ...printed(line)] }];
      case 'exit':
      case 'return': {
        const status = exitStatus(args[0]?.text, path.status);
        const ended = { ...path, end: name, status };
        if (this.captures > 0) return [ended];
        const exit = isTrue(ended) ? undefined : this.exitCode(line, ended);
        return [{ ...(name === 'exit' && isTrue(ended) ? exiting(ended, ended.endsAt) : ended), exit }];
      }
      case 'break':
        return [{ ...path, end: 'loop' }];
      case 'continue':
        return [{ ...path, end: 'again' }];
      case 'exec':
        this.handOver(line);
        return [{ ...path, end: 'exit', status: 'maybe', isOpen: true }];
      case ':':
      case 'true':
        return [{ ...path, status: 'true' }];
      case 'false':
        return [{ ...path, status: 'false' }];
      case '[':
      case 'test':
        return [{ ...path, status: 'test' }];
      case 'trap':
        return [this.trap(line, path)];
      case 'shift':
      case 'set':
        return [
          {
            ...forget(path, args.some(({ text }) => text === '--') || name === 'shift' ? POSITIONAL : []),
            status: 'true',
          },
        ];
      default:
        return [DECLARATIONS.has(name) ? this.declared(node, path) : this.program(line, path)];
    }
  }

  private exitCode({ at, args: [code] }: CommandLine, { status, chunks }: Path): ExitCode | undefined {
    if (code === undefined) return undefined;
    const end = at + (/^.*/.exec(this.shell.text.slice(at))?.[0].length ?? 0);
    return { at, end, isKnown: status === 'false', printed: chunks.length };
  }

  private declared(node: CommandNode, path: Path): Path {
    const assignments = node.args.flatMap((arg) => (arg.type === 'Assignment' ? [arg] : []));
    return this.assigned({ ...node, prefix: assignments, suffix: [], args: [], redirects: [] }, path);
  }

  private program(line: CommandLine, path: Path): Path {
    const { name, args, stdin } = line;
    const isTest = name === 'grep' && args.some(({ text }) => /^-\w*q|^--quiet/.test(text));
    const status: Status = isTest ? 'test' : COPIES.has(name) && args.length === 0 ? 'true' : 'maybe';
    if (COPIES.has(name) && stdin.length > 0) return { ...path, status, chunks: [...path.chunks, ...stdin] };
    this.handOver(line);
    const unknown = new TracedText();
    if (this.captures > 0) unknown.add(COMPUTED, line.at, true);
    return { ...path, status, chunks: [...path.chunks, unknown], isOpen: path.isOpen || isOpenCommand(line) };
  }

  /** Texts that a program gets, and may print. */
  protected handOver({ name, args, stdin }: CommandLine): void {
    if (SILENT.has(name) || name === 'echo' || name === 'printf') return;
    const given = FILTERS.has(name) ? args.filter(({ text }) => writesTag(name, text)) : [...args, ...stdin];
    if (given.length > 0) this.possible.push(joined(given));
  }

  /** The code of a trap may print at any time. */
  private trap({ args }: CommandLine, path: Path): Path {
    const [code] = args;
    const prints =
      code !== undefined &&
      (/<|\b(?:echo|printf|cat)\b[^;]*\$/.test(code.text) || this.bodiesOf(code.text).some((body) => /</.test(body)));
    if (code !== undefined && prints) {
      const commands = parse(code.text).commands;
      this.possible.push(code);
      if (commands.length > 0) this.isComplete = false;
    }
    return { ...path, status: 'true', isOpen: path.isOpen || prints };
  }

  private call(node: FunctionNode, args: readonly TracedText[], path: Path): readonly Path[] {
    this.called.add(node.name.value);
    if (this.calls >= MAX_CALLS) {
      this.isComplete = false;
      return [{ ...path, status: 'maybe', isOpen: true }];
    }
    const all = joined(args);
    const given = new Map([...path.values].filter(([name]) => !POSITIONAL.includes(name)));
    for (const [index, value] of args.entries()) given.set(String(index + 1), value);
    const values = given.set('@', all).set('*', all);
    this.calls += 1;
    const after = this.body(node, { ...path, values });
    this.calls -= 1;
    return after.map((end) => {
      const restored = new Map(end.values);
      for (const name of [...POSITIONAL, ...this.localsOf(node)]) {
        const before = path.values.get(name);
        if (before === undefined) restored.delete(name);
        else restored.set(name, before);
      }
      return { ...end, values: restored };
    });
  }

  private localsOf({ pos, end }: FunctionNode): readonly string[] {
    const text = this.shell.text.slice(pos, end);
    return [...text.matchAll(/\b(?:local|declare|typeset)\b([^\n;&|]*)/g)].flatMap(([, names = '']) =>
      [...names.matchAll(/\b([A-Za-z_]\w*)=/g)].map(([, name = '']) => name),
    );
  }

  protected body({ body }: FunctionNode, path: Path): readonly Path[] {
    const paths = body.type === 'CompoundList' ? this.list(body.commands, [path]) : this.run(body, path);
    return paths.map((end) => (end.end === 'return' ? { ...end, end: 'next' } : end));
  }
}

/** Programs whose output is known only at run time. */
export function isOpenCommand({ name, args, stdin }: CommandLine): boolean {
  if (name === 'echo' || name === 'printf') return [...args].some(({ text }) => text.includes(COMPUTED));
  if (name === 'git') return /^(?:show|log|cat-file)$/.test(args[0]?.text ?? '');
  return !SILENT.has(name) && !DECLARATIONS.has(name) && !(COPIES.has(name) && stdin.length > 0);
}
