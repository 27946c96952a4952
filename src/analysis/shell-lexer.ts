// Parses a bash script into commands with their here-documents, comments, variables and functions. It covers the syntax that scripts of
// states use, runs nothing, and never fails: it skips what it does not know.
import { TracedText } from './position.js';
import { ShellWords, type VariableUse } from './shell-words.js';

/** A simple command. */
export interface Command {
  readonly words: TracedText[];
  /** Its here-documents and here-strings. */
  readonly stdin: TracedText[];
  at: number;
  /** True if its output goes into a file or to stderr. */
  redirected: boolean;
  /** True inside `$(…)`: its output becomes a value. */
  readonly captured: boolean;
}

/** A parsed bash script. */
export interface ShellScript {
  readonly commands: readonly Command[];
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

class ShellLexer extends ShellWords implements ShellScript {
  readonly commands: Command[] = [];
  readonly comments: { readonly text: string; readonly at: number }[] = [];
  readonly functions = new Set<string>();
  private readonly pending: Heredoc[] = [];

  /** Parses commands up to the end of the text, or to the `)` or backtick that ends a substitution. */
  override run(end?: ')' | '`'): void {
    let command = this.begin();
    let openParens = 0;
    let openCases = 0;
    const endCommand = (): void => {
      const [first, last] = [command.words[0]?.text, command.words.at(-1)?.text];
      if (first === 'case') openCases += 1;
      if (first === 'esac' || last === 'esac') openCases = Math.max(0, openCases - 1);
      if (command.words.length + command.stdin.length > 0 || command.redirected) this.commands.push(command);
      command = this.begin();
    };
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? '';
      if (char === end && openParens === 0 && !(end === ')' && (openCases > 0 || command.words[0]?.text === 'case')))
        break;
      if (char === '\n') {
        this.at += 1;
        this.heredocs();
        endCommand();
      } else if (/\s/.test(char)) this.at += 1;
      else if (char === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (char === '#') this.comment();
      else if (this.redirection(command)) continue;
      else if (char === '(' && this.text.startsWith('((', this.at) && command.words.length === 0) this.arithmetic();
      else if (char === '(') {
        if (this.functionHead(command)) command = this.begin();
        else {
          openParens += 1;
          endCommand();
          this.at += 1;
        }
      } else if (char === ')') {
        // A `)` without an open parenthesis ends a pattern of `case`.
        if (openParens > 0) {
          openParens -= 1;
          endCommand();
        } else {
          if (command.words[0]?.text === 'case') openCases += 1;
          command = this.begin();
        }
        this.at += 1;
      } else if (';&|'.includes(char)) {
        endCommand();
        this.at += 1;
      } else this.addWord(command);
    }
    endCommand();
  }

  private begin(): Command {
    const captured = this.depth > 0;
    return { words: [], stdin: [], at: this.at, redirected: false, captured };
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
    else if (sign.startsWith('&>')) command.redirected = true;
    else if (sign.startsWith('>') && (descriptor === '' || descriptor === '1')) {
      const toStdout = /^(1|\/dev\/stdout|\/dev\/fd\/1)$/.test(word.text) && (sign === '>&' || word.text !== '1');
      if (!toStdout) command.redirected = true;
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
