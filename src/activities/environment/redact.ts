// Replaces credentials of the environment in a text that leaves a process: each value becomes its
// variable's name in brackets, and tokens with a known shape are hidden. Not for results, which
// belong to the author, nor for what a process reads. Pure.
import { credentialsIn } from './credential-values.js';
import { openBeginning, openToken, tokensIn, withoutTokens } from './token-shapes.js';

/** Knows the credentials of one environment, and the shapes of known tokens. */
export class Redactor {
  private readonly names = new Map<string, string>();
  private pattern: RegExp | undefined;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.learn(environment);
  }

  /** Adds the credentials of another environment. */
  learn(environment: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value = ''] of Object.entries(environment))
      for (const credential of credentialsIn(name, value)) this.know(name, credential);
    // The longest first: one value may be a prefix of another.
    const values = [...this.names.keys()].sort((a, b) => b.length - a.length);
    if (values.length > 0) this.pattern = new RegExp(values.map(escaped).join('|'), 'g');
  }

  /** The text with names instead of values. */
  text(text: string): string {
    const named =
      this.pattern === undefined ? text : text.replace(this.pattern, (value) => `[${this.names.get(value) ?? ''}]`);
    return withoutTokens(named);
  }

  /** The same for every string in a plain value. */
  all<T>(value: T): T {
    return this.within(value) as T;
  }

  /** For the output of a process, whose chunks may split a value. */
  stream(): RedactedStream {
    return new RedactedStream({ redact: (text) => this.text(text), openEnd: (text) => this.openEnd(text) });
  }

  private know(name: string, value: string): void {
    const quoted = JSON.stringify(value).slice(1, -1);
    for (const form of [value, quoted, latin1(value)]) if (!this.names.has(form)) this.names.set(form, name);
  }

  private within(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item: unknown) => this.within(item));
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.within(field)]));
  }

  /** The start of the part at the end of a text that further output may complete to a value. */
  private openEnd(text: string): number {
    const open = Math.min(openBeginning(text, this.names.keys()), openToken(text));
    if (open === text.length) return open;
    // One value may end with the start of another; the last match first, because each may move the
    // cut.
    const whole = [...(this.pattern === undefined ? [] : text.matchAll(this.pattern)), ...tokensIn(text)];
    const later = whole.sort((a, b) => b.index - a.index);
    return later.reduce((cut, { 0: { length }, index }) => (index < cut && index + length > cut ? index : cut), open);
  }
}

/** How a stream is redacted. */
interface Redaction {
  readonly redact: (text: string) => string;
  readonly openEnd: (text: string) => number;
}

/** One stream of output, with names instead of values. */
class RedactedStream {
  private held = '';
  /** The character before the current position: some tokens count only at the start of a word. */
  private before = '';

  constructor(private readonly how: Redaction) {}

  /** The part of the output so far that can be shown. */
  push(chunk: Buffer): Buffer {
    const text = this.held + chunk.toString('latin1');
    const cut = this.how.openEnd(text);
    this.held = text.slice(cut);
    return this.shown(text.slice(0, cut));
  }

  /** The rest, at the end of the output. */
  end(): Buffer {
    const { held } = this;
    this.held = '';
    return this.shown(held);
  }

  private shown(text: string): Buffer {
    const { before } = this;
    const shown = this.how.redact(before + text).slice(before.length);
    this.before = shown.at(-1) ?? before;
    return Buffer.from(shown, 'latin1');
  }
}

/** Bytes are treated as Latin-1: each is one character. */
function latin1(value: string): string {
  return Buffer.from(value).toString('latin1');
}

function escaped(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
