// Measures, cuts and compares text; and the values that travel between states: text, or a reference to an artifact when
// the text is large (invariant I5); and durations as authors write them: 90, 90s, 1.5m, 2h, 7d, 1w. Pure.

/** The number of bytes of `text` in UTF-8; a lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) bytes += utf8Size(char.codePointAt(0) ?? 0);
  return bytes;
}

function utf8Size(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** `text`, or its beginning and an ellipsis when it has more than `max` characters. */
export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** C0 without newline and tab, DEL, C1, and characters that change the direction of text. */
// eslint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `text` for people: characters that a terminal would act on become symbols or escapes. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL, (control) => {
    const code = control.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The value of a JSON text; undefined for any other text, for example a line that was cut. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Dollars for people: to the cent, and less than ten cents to the hundredth of a cent. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2)}`;
}

type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that have a value: an optional field of a record is absent, never undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The lists that have an entry: an empty list of a record is absent. */
export function nonEmpty<T extends object>(lists: T): Partial<T> {
  const entries = Object.entries(lists).filter(([, list]) => Array.isArray(list) && list.length > 0);
  return Object.fromEntries(entries) as Partial<T>;
}

/** Counts lines from 1; the offsets must never decrease, so that all calls together read `text` once. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (offset) => {
    while (next >= 0 && next < offset) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}

/** The candidate that `name` probably meant: equal but for case, or one or two typos away. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const meant = name.toLowerCase();
  let best: { readonly candidate: string; readonly edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = editDistance(meant, candidate.toLowerCase());
    if (edits <= tolerance(meant, candidate) && (best === undefined || edits < best.edits)) best = { candidate, edits };
  }
  return best?.candidate;
}

function tolerance(a: string, b: string): number {
  // With two typos a name of four letters could be any other name: "dead" is not "delay".
  const shorter = Math.min(a.length, b.length);
  return Math.min(shorter < 5 ? 1 : 2, Math.floor(shorter / 2));
}

/** Levenshtein distance, with two swapped letters as one edit; names whose lengths are far apart are not compared. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = at(row, j) + (a[i] === b[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwap ? at(before, j - 1) + 1 : Infinity;
      next.push(Math.min(changed, swapped, at(row, j + 1) + 1, at(next, j) + 1));
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

/** A large value kept in the artifact store: the SHA-256 of its bytes (hex) and their number. */
export interface ArtifactRef {
  readonly sha256: string;
  readonly bytes: number;
}

/** Text, or the reference to text that is longer than `MAX_INLINE_BYTES`. */
export type Value = string | ArtifactRef;

/** The longest text, in UTF-8 bytes, that goes through Temporal by value. */
export const MAX_INLINE_BYTES = 32 * 1024;

/** True for a value that lives in the artifact store. */
export function isArtifact(value: Value): value is ArtifactRef {
  return typeof value !== 'string';
}

/** Three times 0.1 is a little more than 0.3 in binary fractions, which must not count as over budget. */
export function exactly(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** The message of what was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What zod says about a value, in the words of our own messages: `expected number, got string`. */
export function issueText(message: string): string {
  return message.replace(/^(?:Invalid|Too) \w+: (?=expected)/u, '').replace(', received ', ', got ');
}

/** The form of a duration, for messages. */
export const DURATION_FORM = 'a duration such as 90s, 5m, 2h or 7d';

/** The same as an expression. */
export const DURATION = /^(\d+(?:\.\d*)?|\.\d+)\s*([smhdw]?)$/;

/** The longest wait of a workflow in seconds: ten years. */
const LONGEST_SECONDS = 10 * 366 * 86_400;

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** The seconds of a duration; undefined when the text is not a duration or is longer than ten years. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text.trim());
  const unit = SECONDS[match?.[2] ?? ''];
  if (match === null || unit === undefined) return undefined;
  const seconds = Number(match[1]) * unit;
  return seconds <= LONGEST_SECONDS ? seconds : undefined;
}

/** A pattern that matches this text and nothing else. */
export function literalPattern(text: string): string {
  return text.replace(/\W/g, '\\$&');
}
