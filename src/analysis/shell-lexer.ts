// Parses a bash script into commands with their here-documents, comments, variables and functions. It covers the syntax that scripts of
// states use, runs nothing, and never fails: it skips what it does not know.
import { TracedText } from './position.js';
import { COMPUTED, ShellWords, type VariableUse } from './shell-words.js';

/** A simple command. */
export interface Command {
  readonly words: TracedText[];
  /** Its here-documents and here-strings. */
  readonly stdin: TracedText[];
  at: number;
  /** True if its output goes into a file or to stderr. */
  redirected: boolean;
  /** The name of that file, or `stderr`. */
  output?: string;
  /** True inside `$(…)`: its output becomes a value. */
  readonly captured: boolean;
}

/** A command, an operator between commands, the head of a function, or a pattern of `case`. */
export type Token =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pattern'; readonly text: string };

/** A parsed bash script. */
export interface ShellScript {
  readonly commands: readonly Command[];
  readonly tokens: readonly Token[];
  /** What stands in `$(…)` and backticks, by the offset of its beginning. */
  readonly substitutions: ReadonlyMap<number, readonly Token[]>;
  readonly comments: readonly { readonly text: string; readonly at: number }[];
  readonly variables: readonly VariableUse[];
  readonly functions: ReadonlySet<string>;
}

interface Heredoc {
  readonly command: Command;
  readonly end: string;
  readonly stripped: boolean;
  readonly literal: boolean;
}

/** Parses a bash script. */
export function readShell(text: string): ShellScript {
  const lexer = new ShellLexer(text);
  lexer.run();
  return lexer;
}

const REDIRECTION = /(\d*)(<<<|<<-?|<&|<>|>>|>\||>&|>|<(?!\()|(?<!\d)&>>?)/y;

function isOpenTest({ words }: Command): boolean {
  const from = words.findLastIndex(({ text }) => text === '[[');
  return (
    from >= 0 &&
    words.slice(0, from).every(({ text }) => OPENS_TEST.test(text)) &&
    words.slice(from).every(({ text }) => text !== ']]')
  );
}

/** What may stand before `[[`. */
const OPENS_TEST = /^(?:if|elif|while|until|!|then|else|do|\{|time)$/;

/** A pattern before the last `|` of a pattern of `case`. */
function isAlternative(token: Token): boolean {
  return (
    (token.kind === 'operator' && token.text === '|') ||
    (token.kind === 'command' && token.command.words.length === 1 && token.command.words[0]?.text !== 'esac')
  );
}

class ShellLexer extends ShellWords implements ShellScript {
  readonly commands: Command[] = [];
  readonly comments: { readonly text: string; readonly at: number }[] = [];
  readonly functions = new Set<string>();
  readonly substitutions = new Map<number, readonly Token[]>();
  tokens: Token[] = [];
  private readonly pending: Heredoc[] = [];

  /** Parses commands up to the end of the text, or to the `)` or backtick that ends a substitution. */
  override run(end?: ')' | '`'): void {
    if (end === undefined) return this.list();
    const [outer, from] = [this.tokens, this.at - (end === ')' ? 2 : 1)];
    this.tokens = [];
    this.list(end);
    this.substitutions.set(from, this.tokens);
    this.tokens = outer;
  }

  private list(end?: ')' | '`'): void {
    let command = this.begin();
    let openParens = 0;
    let openCases = 0;
    const endCommand = (): void => {
      const [first, last] = [command.words[0]?.text, command.words.at(-1)?.text];
      if (first === 'case') openCases += 1;
      if (first === 'esac' || last === 'esac') openCases = Math.max(0, openCases - 1);
      if (command.words.length + command.stdin.length > 0 || command.redirected || this.awaitsHeredoc(command)) {
        this.commands.push(command);
        this.tokens.push({ kind: 'command', command });
      }
      command = this.begin();
    };
    const operator = (text: string): void => {
      this.tokens.push({ kind: 'operator', text });
      this.at += text.length === 0 ? 1 : text.length;
    };
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? '';
      if (char === end && openParens === 0 && !(end === ')' && (openCases > 0 || command.words[0]?.text === 'case')))
        break;
      if (isOpenTest(command)) {
        if (/\s/.test(char)) this.at += 1;
        else this.addTestWord(command);
      } else if (char === '\n') {
        this.at += 1;
        this.heredocs();
        endCommand();
        this.tokens.push({ kind: 'operator', text: '\n' });
      } else if (this.blank()) continue;
      else if (char === '#') this.comment();
      else if (this.redirection(command)) continue;
      else if (char === '(' && this.text.startsWith('((', this.at) && command.words.length === 0) this.arithmetic();
      else if (char === '(') {
        if (this.arrayValue(command)) continue;
        if (this.functionHead(command)) command = this.begin();
        else if (this.startsPattern(openCases)) this.at += 1;
        else {
          openParens += 1;
          endCommand();
          operator('(');
        }
      } else if (char === ')') {
        // A `)` without an open parenthesis ends a pattern of `case`.
        if (openParens > 0) {
          openParens -= 1;
          endCommand();
          operator(')');
        } else {
          command = this.pattern(command, () => (openCases += 1));
          this.at += 1;
        }
      } else if (';&|'.includes(char)) {
        endCommand();
        operator(/(?:;;&|;;|;&|&&|\|\||\|&|[^])/y.exec(this.text.slice(this.at))?.[0] ?? char);
      } else this.addWord(command);
    }
    endCommand();
  }

  private begin(): Command {
    const captured = this.depth > 0;
    return { words: [], stdin: [], at: this.at, redirected: false, captured };
  }

  /** Skips a blank, or the end of a line that the next one continues. */
  private blank(): boolean {
    const blank = /\\\n|\s/y;
    blank.lastIndex = this.at;
    if (!blank.test(this.text)) return false;
    this.at = blank.lastIndex;
    return true;
  }

  private awaitsHeredoc(command: Command): boolean {
    return this.pending.some((heredoc) => heredoc.command === command);
  }

  /** A `(` before a pattern of `case`. */
  private startsPattern(openCases: number): boolean {
    const before = this.tokens.findLast((token) => token.kind !== 'operator' || token.text !== '\n');
    if (openCases === 0 || before === undefined) return false;
    if (before.kind === 'operator') return /^;[;&]/.test(before.text);
    return before.kind === 'command' && before.command.words[0]?.text === 'case';
  }

  /** Ends a pattern of `case`; its first one stands in the command of `case` itself. */
  private pattern(command: Command, onCase: () => void): Command {
    const { words } = command;
    let first = 0;
    const from = words.findIndex(({ text }) => text === 'case');
    if (from >= 0) {
      onCase();
      first = from + 3;
      this.tokens.push({ kind: 'command', command: { ...command, words: words.slice(0, first) } });
    }
    const alternatives = this.tokens.slice(this.tokens.findLastIndex((token) => !isAlternative(token)) + 1);
    this.tokens.length -= alternatives.length;
    const parts = alternatives.flatMap((token) => (token.kind === 'command' ? token.command.words : []));
    const text = [...parts, ...words.slice(first)].map((word) => word.text).join('|');
    this.tokens.push({ kind: 'pattern', text });
    return this.begin();
  }

  /** The elements of an array are not followed. */
  private arrayValue({ words }: Command): boolean {
    const word = words.at(-1);
    if (word === undefined || this.text[this.at - 1] !== '=' || !/^[A-Za-z_]\w*\+?=$/.test(word.text)) return false;
    const from = this.at++;
    while (this.at < this.text.length && this.text[this.at] !== ')') {
      const before = this.at;
      if (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
      else if (this.text[this.at] === '#') this.comment();
      else this.word();
      if (this.at === before) this.at += 1;
    }
    this.at += 1;
    word.add(COMPUTED, from, true);
    return true;
  }

  /** A word between `[[` and `]]`, where operators are part of the test. */
  private addTestWord(command: Command): void {
    const word = this.word();
    if (word.text === '') word.add(this.text[this.at] ?? '', this.at++);
    command.words.push(word);
  }

  private addWord(command: Command): void {
    const from = this.at;
    const word = this.word();
    if (command.words.length === 0) command.at = from;
    // No word starts with this character: skip it.
    if (this.at === from) this.at += 1;
    else command.words.push(word);
  }

  private comment(): void {
    const end = this.lineEnd(this.at);
    this.comments.push({ text: this.text.slice(this.at, end), at: this.at });
    this.at = end;
  }

  private lineEnd(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end < 0 ? this.text.length : end;
  }

  private functionHead({ words }: Command): boolean {
    const [name, ...more] = words;
    const head = /\(\s*\)/y;
    head.lastIndex = this.at;
    if (name === undefined || more.length > (name.text === 'function' ? 1 : 0) || !head.test(this.text)) return false;
    this.functions.add(more[0]?.text ?? name.text);
    this.tokens.push({ kind: 'function', name: more[0]?.text ?? name.text });
    this.at = head.lastIndex;
    return true;
  }

  private redirection(command: Command): boolean {
    REDIRECTION.lastIndex = this.at;
    const match = REDIRECTION.exec(this.text);
    if (match === null) return false;
    const [whole, descriptor = '', sign = ''] = match;
    this.at += whole.length;
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at += 1;
    const isHeredoc = sign === '<<' || sign === '<<-';
    const from = this.at;
    const word = this.word();
    if (isHeredoc) {
      const raw = this.text.slice(from, this.at);
      this.pending.push({ command, end: word.text, stripped: sign === '<<-', literal: /['"\\]/.test(raw) });
    } else if (sign === '<<<') command.stdin.push(word);
    else if (sign.startsWith('&>') || (sign.startsWith('>') && (descriptor === '' || descriptor === '1'))) {
      const toStdout = /^(1|\/dev\/stdout|\/dev\/fd\/1)$/.test(word.text) && (sign === '>&' || word.text !== '1');
      if (toStdout) return true;
      command.redirected = true;
      command.output = sign === '>&' && word.text === '2' ? 'stderr' : word.text.replace(/^\/dev\/stderr$/, 'stderr');
    }
    return true;
  }

  private heredocs(): void {
    for (const { command, end, stripped, literal } of this.pending.splice(0)) {
      const body = new TracedText();
      while (this.at < this.text.length) {
        const lineEnd = this.lineEnd(this.at);
        if (stripped) while (this.text[this.at] === '\t') this.at += 1;
        const line = this.text.slice(this.at, lineEnd);
        if (line.replace(/\r$/, '') === end) {
          this.at = Math.min(lineEnd + 1, this.text.length);
          break;
        }
        if (literal) body.add(`${line}\n`, this.at);
        else this.expanded(body, () => this.at >= lineEnd);
        if (!literal) body.add('\n', lineEnd);
        this.at = Math.max(this.at, Math.min(lineEnd + 1, this.text.length));
      }
      command.stdin.push(body);
    }
  }
}
