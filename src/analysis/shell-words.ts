// Parses the words of a bash script: quotes are removed, and parts that are known only at run time become `COMPUTED`. Knows nothing of
// commands.
import { TracedText } from './position.js';

/** Stands for text that is known only at run time: a private-use character that scripts do not contain. */
export const COMPUTED = '\uE000';

/** A variable that the script reads; `guarded` = with a default, as in `${NAME:-default}`. */
export interface VariableUse {
  readonly name: string;
  readonly at: number;
  readonly guarded: boolean;
}

const WORD_END = /[\s;&|()<>]/;

/** Parses words at the current offset; `run` parses the commands of a substitution. */
export abstract class ShellWords {
  readonly variables: VariableUse[] = [];
  protected at = 0;
  /** How many substitutions enclose the current offset. */
  protected depth = 0;
  private backticks = 0;

  constructor(protected readonly text: string) {}

  abstract run(end?: ')' | '`'): void;

  /** Skips `((…))`. */
  protected arithmetic(): void {
    const end = this.text.indexOf('))', this.at);
    this.at = end < 0 ? this.text.length : end + 2;
  }

  protected word(): TracedText {
    const word = new TracedText();
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? '';
      if ((char === '<' || char === '>') && this.text[this.at + 1] === '(' && word.text === '')
        this.substituted(word, 2);
      else if (WORD_END.test(char) || (char === '`' && this.backticks > 0)) break;
      else if (char === "'") this.single(word);
      else if (char === '"') {
        this.at += 1;
        this.expanded(word, () => this.text[this.at] === '"');
        this.at += 1;
      } else if (char === '\\') {
        if (this.text[this.at + 1] !== '\n') word.add(this.text[this.at + 1] ?? '', this.at + 1);
        this.at += 2;
      } else if (char === '$' || char === '`') this.dollar(word);
      else word.add(char, this.at++);
    }
    return word;
  }

  private single(word: TracedText): void {
    const end = this.text.indexOf("'", this.at + 1);
    const to = end < 0 ? this.text.length : end;
    word.add(this.text.slice(this.at + 1, to), this.at + 1);
    this.at = to + 1;
  }

  /** Text in double quotes or of a here-document. */
  protected expanded(word: TracedText, ends: () => boolean): void {
    while (this.at < this.text.length && !ends()) {
      const char = this.text[this.at] ?? '';
      const next = this.text[this.at + 1] ?? '';
      if (char === '\\' && '$`"\\\n'.includes(next) && next !== '') {
        if (next !== '\n') word.add(next, this.at + 1);
        this.at += 2;
      } else if (char === '$' || (char === '`' && this.backticks === 0)) this.dollar(word);
      else word.add(char, this.at++);
    }
  }

  /** Parses an expansion: it starts with `$` or a backtick. */
  private dollar(word: TracedText): void {
    const from = this.at;
    const rest = this.text.slice(from, from + 200);
    if (rest.startsWith('`')) return this.substituted(word, 1);
    if (rest.startsWith('$((')) {
      this.arithmetic();
      return word.add(COMPUTED, from, true);
    }
    if (rest.startsWith('$(')) return this.substituted(word, 2);
    if (rest.startsWith('${')) return this.braced(word);
    if (rest.startsWith("$'")) {
      this.at += 1;
      return this.single(word);
    }
    const name = /^\$([A-Za-z_]\w*|[0-9@*#?$!-])/.exec(rest)?.[1];
    if (name === undefined) return word.add('$', this.at++);
    this.at += 1 + name.length;
    this.variables.push({ name, at: from, guarded: false });
    word.add(COMPUTED, from, true);
  }

  private braced(word: TracedText): void {
    const from = this.at;
    const [, name, operator = ''] =
      /^\$\{[#!]?([A-Za-z_]\w*|[0-9@*#?$!-]+)([^}]?[^}]?)/.exec(this.text.slice(from, from + 200)) ?? [];
    if (name !== undefined) this.variables.push({ name, at: from, guarded: /^:?[-=?+]/.test(operator) });
    let level = 0;
    for (; this.at < this.text.length; this.at++) {
      if (this.text.startsWith('${', this.at)) level += 1;
      if (this.text[this.at] === '}' && --level === 0) break;
    }
    this.at += 1;
    word.add(COMPUTED, from, true);
  }

  private substituted(word: TracedText, skip: number): void {
    const from = this.at;
    const ending = skip === 1 ? '`' : ')';
    this.at += skip;
    this.depth += 1;
    this.backticks += ending === '`' ? 1 : 0;
    this.run(ending);
    this.backticks -= ending === '`' ? 1 : 0;
    this.depth -= 1;
    this.at += 1;
    word.add(COMPUTED, from, true);
  }
}
