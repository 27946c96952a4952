// Credentials of the environment in a text that leaves a process: each value becomes the name of its variable in brackets. Pure.
// Not for results, which are the author's, nor for what a process reads.
/** Covers ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN, AWS_SECRET_ACCESS_KEY, TEMPORAL_API_KEY and whatever is named like them. */
const CREDENTIAL = /^\w*(?:_TOKEN|_KEY|_SECRET|PASSWORD)$/i;

/** Shorter values stand in too many texts by chance. */
const SHORTEST = 8;

/** Knows the credentials of one environment. */
export class Redactor {
  private readonly names = new Map<string, string>();
  private pattern: RegExp | undefined;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.learn(environment);
  }

  /** Gets to know more of them. */
  learn(environment: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value = ''] of Object.entries(environment)) {
      if (CREDENTIAL.test(name) && value.trim().length >= SHORTEST) this.know(name, value.trim());
    }
    // The longest first: one value may begin like another.
    const values = [...this.names.keys()].sort((a, b) => b.length - a.length);
    if (values.length > 0) this.pattern = new RegExp(values.map(escaped).join('|'), 'g');
  }

  /** The text with names in the place of values. */
  text(text: string): string {
    return this.pattern === undefined
      ? text
      : text.replace(this.pattern, (value) => `[${this.names.get(value) ?? ''}]`);
  }

  /** The same for every string in a plain value. */
  all<T>(value: T): T {
    return this.pattern === undefined ? value : (this.within(value) as T);
  }

  /** For the output of a process, whose chunks may split a value; without credentials nothing is copied. */
  stream(): RedactedStream {
    if (this.pattern === undefined) return new RedactedStream();
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

  /** Where the end of a text of bytes begins that more output may make a value of. */
  private openEnd(text: string): number {
    let length = 0;
    for (const value of this.names.keys()) {
      for (let n = Math.min(value.length - 1, text.length); n > length; n -= 1) {
        // The last character first: hardly anything passes it.
        if (value[n - 1] === text.at(-1) && text.endsWith(value.slice(0, n))) length = n;
      }
    }
    if (length === 0) return text.length;
    const cut = text.length - length;
    // A whole value may end with what another one begins with.
    const across = [...text.matchAll(this.pattern ?? /(?!)/g)].find(
      ({ 0: { length: long }, index }) => index < cut && index + long > cut,
    );
    return across?.index ?? cut;
  }
}

/** One stream of output, with names in the place of values. */
class RedactedStream {
  private held = '';

  constructor(
    private readonly how?: { readonly redact: (text: string) => string; readonly openEnd: (text: string) => number },
  ) {}

  /** What of the output so far can be shown. */
  push(chunk: Buffer): Buffer {
    if (this.how === undefined) return chunk;
    const text = this.held + chunk.toString('latin1');
    const cut = this.how.openEnd(text);
    this.held = text.slice(cut);
    return Buffer.from(this.how.redact(text.slice(0, cut)), 'latin1');
  }

  /** What was held back; no output may follow. */
  end(): Buffer {
    const { held } = this;
    this.held = '';
    return Buffer.from(this.how?.redact(held) ?? held, 'latin1');
  }
}

/** Bytes are looked at as Latin-1, where each is a character. */
function latin1(value: string): string {
  return Buffer.from(value).toString('latin1');
}

function escaped(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
