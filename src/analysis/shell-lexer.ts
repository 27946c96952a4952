// Reads a bash script into its commands, with their here-documents, and into comments, variables and functions. It follows bash as far
// as scripts of states go, runs nothing, and never fails: what it does not know it passes.
import { TracedText } from './position.js';
import { ShellWords, type VariableUse } from './shell-words.js';

/** A simple command. */
export interface Command {
  readonly words: TracedText[];
  /** Its here-documents and here-strings. */
  readonly fed: TracedText[];
  at: number;
  /** True when what it prints goes into a file or to stderr. */
  diverted: boolean;
  /** True when what it prints becomes a value: it stands in `$(…)`. */
  readonly captured: boolean;
  /** True when it feeds another command. */
  piped: boolean;
}

/** A script as read. */
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

/** Reads a script. */
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

  /** Reads commands up to the end, or to the `)` or backtick that ends a substitution. */
  override run(end?: ')' | '`'): void {
    let command = this.begin();
    let parens = 0;
    let cases = 0;
    const close = (): void => {
      const [first, last] = [command.words[0]?.text, command.words.at(-1)?.text];
      if (first === 'case') cases += 1;
      if (first === 'esac' || last === 'esac') cases = Math.max(0, cases - 1);
      if (command.words.length + command.fed.length > 0 || command.diverted) this.commands.push(command);
      command = this.begin();
    };
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? '';
      if (char === end && parens === 0 && !(end === ')' && (cases > 0 || command.words[0]?.text === 'case'))) break;
      if (char === '\n') {
        this.at += 1;
        this.heredocs();
        close();
      } else if (/\s/.test(char)) this.at += 1;
      else if (char === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (char === '#') this.comment();
      else if (this.redirection(command)) continue;
      else if (char === '(' && this.text.startsWith('((', this.at) && command.words.length === 0) this.arithmetic();
      else if (char === '(') {
        if (this.functionHead(command)) command = this.begin();
        else {
          parens += 1;
          close();
          this.at += 1;
        }
      } else if (char === ')') {
        // Without a "(" before it, what stands before is a pattern of `case`.
        if (parens > 0) {
          parens -= 1;
          close();
        } else {
          if (command.words[0]?.text === 'case') cases += 1;
          command = this.begin();
        }
        this.at += 1;
      } else if (';&|'.includes(char)) {
        command.piped = char === '|' && this.text[this.at + 1] !== '|';
        close();
        this.at += 1;
      } else this.addWord(command);
    }
    close();
  }

  private begin(): Command {
    const captured = this.depth > 0;
    return { words: [], fed: [], at: this.at, diverted: false, captured, piped: false };
  }

  private addWord(command: Command): void {
    const from = this.at;
    const word = this.word();
    if (command.words.length === 0) command.at = from;
    // Nothing was read: a character that no word begins with.
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
    const found = REDIRECTION.exec(this.text);
    if (found === null) return false;
    const [whole, descriptor = '', sign = ''] = found;
    this.at += whole.length;
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at += 1;
    const isHeredoc = sign === '<<' || sign === '<<-';
    const from = this.at;
    const word = this.word();
    if (isHeredoc) {
      const raw = this.text.slice(from, this.at);
      this.pending.push({ command, end: word.text, stripped: sign === '<<-', literal: /['"\\]/.test(raw) });
    } else if (sign === '<<<') command.fed.push(word);
    else if (sign.startsWith('&>')) command.diverted = true;
    else if (sign.startsWith('>') && (descriptor === '' || descriptor === '1')) {
      const stays = /^(1|\/dev\/stdout|\/dev\/fd\/1)$/.test(word.text) && (sign === '>&' || word.text !== '1');
      if (!stays) command.diverted = true;
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
      command.fed.push(body);
    }
  }
}
