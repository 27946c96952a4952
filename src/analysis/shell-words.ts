// Parses the words of a bash script: quotes are removed, and parts that are known only at run time become `COMPUTED`. Knows nothing of
// commands.
import { TracedText } from './position.js';

/** Stands for text that is known only at run time: a private-use character that scripts do not contain. */
export const COMPUTED = '\uE000';

/** A variable that the script reads; `guarded` = with a default, as in `${NAME:-default}`; `plain` = its value as it is. */
export interface VariableUse {
  readonly name: string;
  readonly at: number;
  readonly guarded: boolean;
  readonly plain: boolean;
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" };

/** Adds a text whose backslash escapes are read as `printf` and `echo -e` read them. */
export function addUnescaped(to: TracedText, source: Pick<TracedText, 'text' | 'offsetOf'>): void {
  const { text } = source;
  let from = 0;
  const plain = (end: number): void => {
    for (; from < end; from++) to.add(text[from] ?? '', source.offsetOf(from));
  };
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, hex, unicode, octal, letter = ''] = match;
    plain(match.index);
    const code = hex ?? unicode;
    const value = code === undefined ? parseInt(octal ?? '', 8) : parseInt(code, 16);
    to.add(
      Number.isNaN(value) ? (ESCAPED[letter] ?? ' ') : String.fromCharCode(value),
      source.offsetOf(match.index),
      true,
    );
    from += whole.length;
  }
  plain(text.length);
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

  /** Text in `$'…'`, with its escapes. */
  private escaped(word: TracedText): void {
    const from = this.at + 2;
    const [body = ''] = /^(?:\\[^]|[^'\\])*/.exec(this.text.slice(from)) ?? [];
    addUnescaped(word, { text: body, offsetOf: (index) => from + index });
    this.at = from + body.length + 1;
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
    if (rest.startsWith("$'")) return this.escaped(word);
    const name = /^\$([A-Za-z_]\w*|[0-9@*#?$!-])/.exec(rest)?.[1];
    if (name === undefined) return word.add('$', this.at++);
    this.at += 1 + name.length;
    this.variables.push({ name, at: from, guarded: false, plain: true });
    word.add(COMPUTED, from, true);
  }

  private braced(word: TracedText): void {
    const from = this.at;
    const [, name, operator = ''] =
      /^\$\{[#!]?([A-Za-z_]\w*|[0-9@*#?$!-]+)([^}]?[^}]?)/.exec(this.text.slice(from, from + 200)) ?? [];
    const plain = name !== undefined && this.text.startsWith(`\${${name}}`, from);
    if (name !== undefined) this.variables.push({ name, at: from, guarded: /^:?[-=?+]/.test(operator), plain });
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
