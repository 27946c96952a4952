// Reads a filter of jq as far as its paths matter: which fields it reads, and of what. Pure.

/** A field that a filter reads of its input. */
export interface FilterRead {
  /** Where the field is: names, and `*` for an item of a list. */
  readonly path: readonly string[];
  readonly key: string;
  readonly at: number;
}

/** What a part of a filter gives: a part of the input, a list of such parts, or something else. */
type Shape = { readonly path: readonly string[] } | { readonly list: Shape } | undefined;

const TOKEN =
  /\s+|#[^\n]*|"(?:\\\((?:[^()"]|"[^"]*"|\([^()]*\))*\)|\\[^(]|[^"\\])*"|\.\.|\.[A-Za-z_]\w*|@\w+|\$\w+|[A-Za-z_]\w*|\d+(?:\.\d+)?|\/\/=?|\?\/\/|[=!<>]=|[|+*/%-]?=|[^]/y;

interface Token {
  readonly text: string;
  readonly at: number;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null && match[0] !== ''; match = TOKEN.exec(text)) {
    const [token] = match;
    if (!/^(?:\s|#)/.test(token)) tokens.push({ text: token, at: match.index });
  }
  return tokens;
}

/** The fields that a filter reads; none if the filter is not understood. */
export function readsOfFilter(text: string): readonly FilterRead[] {
  if (text.length > 2000) return [];
  const reading = new FilterReading(tokensOf(text));
  return reading.whole();
}

const STOPS = /^(?:[|,)\]};:]|as|then|else|elif|end|and|or|[=!<>]=|[<>+*/%-]|\/\/|[|+*/%-]?=)$/;

/** Functions that give their input as it is, some of its items, or one of them. */
const KEEPS = /^(?:sort_by|unique_by|sort|unique|reverse|limit|recurse|debug|tostream)$/;
const ITEMS = /^(?:min_by|max_by|min|max|first|last|nth)$/;
const WITH_ITEMS = /^(?:map|sort_by|unique_by|group_by|min_by|max_by|any|all|map_values)$/;

class FilterReading {
  private next = 0;
  private failed = false;
  private readonly reads: FilterRead[] = [];

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): readonly FilterRead[] {
    this.pipe({ path: [] });
    return this.failed || this.next < this.tokens.length ? [] : this.reads;
  }

  private peek(): string {
    return this.tokens[this.next]?.text ?? '';
  }

  private take(text: string): boolean {
    if (this.peek() !== text) return false;
    this.next += 1;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text)) this.failed = true;
  }

  private pipe(input: Shape): Shape {
    let shape = this.comma(input);
    if (this.take('as')) {
      while (this.peek() !== '|' && this.next < this.tokens.length) this.next += 1;
      this.expect('|');
      return this.failed ? undefined : this.pipe(input);
    }
    if (this.take('|')) shape = this.pipe(shape);
    return shape;
  }

  private comma(input: Shape): Shape {
    let shape = this.operation(input);
    while (!this.failed && this.take(',')) shape = both(shape, this.operation(input));
    return shape;
  }

  private operation(input: Shape): Shape {
    let shape = this.postfix(input);
    while (!this.failed && /^(?:and|or|[=!<>]=|[<>+*/%-]|\/\/|[|+*/%-]?=)$/.test(this.peek())) {
      const sign = this.peek();
      this.next += 1;
      const other = this.postfix(input);
      shape = sign === '//' ? both(shape, other) : undefined;
    }
    return shape;
  }

  private postfix(input: Shape): Shape {
    let shape = this.primary(input);
    for (;;) {
      const token = this.tokens[this.next];
      if (token === undefined || this.failed) return shape;
      if (/^\.[A-Za-z_]/.test(token.text)) {
        this.next += 1;
        shape = this.field(shape, { text: token.text.slice(1), at: token.at + 1 });
      } else if (token.text === '[') shape = this.bracket(shape, input);
      else if (token.text === '?') this.next += 1;
      else if (token.text === '.' && /^["[]/.test(this.tokens[this.next + 1]?.text ?? '')) {
        this.next += 1;
        shape = this.dotted(shape, input);
      } else return shape;
    }
  }

  private dotted(shape: Shape, input: Shape): Shape {
    const token = this.tokens[this.next];
    if (token?.text.startsWith('"') !== true) return this.bracket(shape, input);
    this.next += 1;
    return this.field(shape, { text: token.text.slice(1, -1), at: token.at + 1 });
  }

  private field(shape: Shape, { text, at }: Token): Shape {
    if (shape === undefined || !('path' in shape)) return undefined;
    this.reads.push({ path: shape.path, key: text, at });
    return { path: [...shape.path, text] };
  }

  private bracket(shape: Shape, input: Shape): Shape {
    this.expect('[');
    if (this.take(']')) return itemOf(shape);
    const token = this.tokens[this.next];
    const isPlain = token !== undefined && this.tokens[this.next + 1]?.text === ']';
    if (isPlain && token.text.startsWith('"')) {
      this.next += 2;
      return this.field(shape, { text: token.text.slice(1, -1), at: token.at + 1 });
    }
    const isIndex = isPlain && /^\d/.test(token.text);
    const isLast = token?.text === '-' && this.tokens[this.next + 2]?.text === ']';
    while (this.peek() === ':' || (!this.failed && this.next < this.tokens.length && this.peek() !== ']'))
      if (!this.take(':')) this.pipe(input);
    this.expect(']');
    return isIndex || isLast ? itemOf(shape) : undefined;
  }

  private primary(input: Shape): Shape {
    const token = this.tokens[this.next];
    if (token === undefined || STOPS.test(token.text)) {
      if (token?.text === '-') {
        this.next += 1;
        this.postfix(input);
      } else this.failed = true;
      return undefined;
    }
    this.next += 1;
    const { text, at } = token;
    if (text === '.') return /^"/.test(this.peek()) ? this.dotted(input, input) : input;
    if (/^\.[A-Za-z_]/.test(text)) return this.field(input, { text: text.slice(1), at: at + 1 });
    if (text.startsWith('"')) return this.text(token, input);
    if (text.startsWith('@')) return undefined;
    if (text === '(') return this.closed(')', input);
    if (text === '[') {
      if (this.take(']')) return undefined;
      const shape = this.closed(']', input);
      return shape === undefined ? undefined : { list: shape };
    }
    if (text === '{') return this.object(input);
    if (text === 'if') return this.conditional(input);
    if (/^(?:reduce|foreach|def|label|import|include|try|\.\.)$/.test(text)) this.failed = true;
    if (/^[A-Za-z_]/.test(text)) return this.call(text, input);
    return undefined;
  }

  private closed(end: string, input: Shape): Shape {
    const shape = this.pipe(input);
    this.expect(end);
    return shape;
  }

  /** The `\(…)` in a text. */
  private text({ text, at }: Token, input: Shape): undefined {
    for (const { index, 1: inner = '' } of text.matchAll(/\\\(((?:[^()"]|"[^"]*"|\([^()]*\))*)\)/g)) {
      if (input === undefined || !('path' in input)) continue;
      for (const read of readsOfFilter(inner))
        this.reads.push({ ...read, path: [...input.path, ...read.path], at: at + index + 2 + read.at });
    }
    return undefined;
  }

  private object(input: Shape): undefined {
    while (!this.failed && !this.take('}')) {
      const key = this.tokens[this.next];
      if (key === undefined) this.failed = true;
      else if (key.text === '(') {
        this.next += 1;
        this.closed(')', input);
      } else this.next += 1;
      if (key !== undefined && /^[A-Za-z_]\w*$/.test(key.text) && this.peek() !== ':') this.field(input, key);
      if (this.take(':')) this.operation(input);
      if (!this.take(',') && this.peek() !== '}') this.failed = true;
    }
    return undefined;
  }

  private conditional(input: Shape): Shape {
    this.pipe(input);
    this.expect('then');
    let shape = this.pipe(input);
    if (this.take('elif')) return both(shape, this.conditional(input));
    if (this.take('else')) shape = both(shape, this.pipe(input));
    this.expect('end');
    return shape;
  }

  private call(name: string, input: Shape): Shape {
    const isKnown = WITH_ITEMS.test(name) || /^(?:select|first|last|limit)$/.test(name);
    const inner = WITH_ITEMS.test(name) ? itemOf(input) : isKnown ? input : undefined;
    let given: Shape;
    let hasArgs = false;
    if (this.take('(')) {
      hasArgs = true;
      do given = this.pipe(inner);
      while (!this.failed && this.take(';'));
      this.expect(')');
    }
    if (name === 'map') return given === undefined ? undefined : { list: given };
    if (name === 'select' || KEEPS.test(name)) return name === 'limit' ? given : input;
    if (name === 'group_by') return input === undefined ? undefined : { list: input };
    if (ITEMS.test(name)) return hasArgs && /^(?:first|last)$/.test(name) ? given : itemOf(input);
    return undefined;
  }
}

function itemOf(shape: Shape): Shape {
  if (shape === undefined) return undefined;
  return 'list' in shape ? shape.list : { path: [...shape.path, '*'] };
}

/** One of two shapes: known only if both are the same. */
function both(one: Shape, other: Shape): Shape {
  return JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
}
