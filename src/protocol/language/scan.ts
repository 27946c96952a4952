// Finds elements, `<name attributes>body</name>`, in any text, in one pass: the time is linear in the text, however
// hostile. tag-table.ts lists the attributes of each tag.
import { lineCounter, defined } from '../text.js';

/** An element as it was written. */
export interface Element {
  readonly name: string;
  /** Values by name; the last one of equal names counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Names that occur more than once. */
  readonly repeated: ReadonlySet<string>;
  /** Stray words among the attributes. */
  readonly stray?: string;
  /** The first malformed attribute, such as `cd=/tmp`, whose value would be lost. */
  readonly malformed?: MalformedAttribute;
  /** The text up to the closing tag, without the white space around it. */
  readonly body: string;
  /** The line of its opening, from 1. */
  readonly line: number;
  /**
   * The offsets of the element, of its body, and of the names of its attributes; a value begins two characters after
   * its name.
   */
  readonly at: number;
  readonly bodyAt: number;
  readonly attributesAt: ReadonlyMap<string, number>;
}

/** A malformed attribute, and its offset. */
interface MalformedAttribute {
  readonly text: string;
  readonly at: number;
}

/** The text up to `end`: a complete opening, or one that another `<` or the end of the text cuts off. */
interface Opening extends Pick<Element, 'attributes' | 'repeated' | 'stray' | 'malformed' | 'attributesAt'> {
  readonly kind: 'opening' | 'cut';
  readonly end: number;
}

/** What to find: names of elements, and those that need no body and may be written `<name/>`. */
interface ScanOptions {
  readonly names: readonly string[];
  readonly bodyless?: readonly string[];
}

/** The elements of the given names, in the order of their openings. */
export function* scanElements(
  text: string,
  { names, bodyless = [] }: ScanOptions,
): Generator<Element, void, undefined> {
  const alone = bodyless.length === 0 ? '' : `|<(${bodyless.join('|')})(?=/>)`;
  const opening = new RegExp(`<(${names.join('|')})(?=[\\s>])${alone}`, 'g');
  const readOpening = openingReader(text);
  const closingAfter = closingReader(text);
  const lineOf = lineCounter(text);
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const name = match[1] ?? match[2] ?? '';
    const needsBody = !bodyless.includes(name);
    if (needsBody && closingAfter(name, opening.lastIndex) === undefined) continue;
    const from = opening.lastIndex;
    const { kind, end, ...read } = readOpening(from);
    // Text that was read as attributes is never read again, or the time would be quadratic.
    opening.lastIndex = end;
    const closing = needsBody && kind === 'opening' ? closingAfter(name, end) : undefined;
    const isWhole = kind === 'opening' && (closing !== undefined || !needsBody);
    const malformed = isWhole ? read.malformed : brokenOff(text, { from, to: end });
    if (!isWhole && malformed === undefined) continue;
    const isStray = read.stray !== undefined && (needsBody || read.stray !== '/');
    const body = closing === undefined ? '' : text.slice(end, closing.bodyEnd).trimStart();
    const bodyAt = closing === undefined ? end : closing.bodyEnd - body.length;
    const { attributes, attributesAt, repeated } = read;
    yield {
      ...{ name, attributes, attributesAt, repeated, body, bodyAt, at: match.index, line: lineOf(match.index) },
      ...defined({ stray: isStray ? read.stray : undefined, malformed }),
    };
  }
}

/** The attributes of an opening that does not end: usually a quote is missing. Without any attribute it is prose. */
function brokenOff(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): MalformedAttribute | undefined {
  const inside = text.slice(from, to);
  return inside.includes('=') ? trimmedAt(inside, from) : undefined;
}

/** An opening without its closing tag; it lacks only the `slash` when the opening occurs twice. */
export interface OpenElement {
  readonly name: string;
  readonly line: number;
  readonly lacks: 'slash' | 'closing';
}

/** The first opening of the given names in a text without a complete element of them. */
export function findOpening(text: string, names: readonly string[]): OpenElement | undefined {
  const opening = new RegExp(`<(${names.join('|')})(?=[\\s>])`, 'g').exec(text);
  const [, name] = opening ?? [];
  if (opening === null || name === undefined) return undefined;
  const again = text.indexOf(`<${name}>`, opening.index + 1);
  return { name, line: lineCounter(text)(opening.index), lacks: again < 0 ? 'closing' : 'slash' };
}

/** Reads attributes up to the `>` that ends the opening. */
function openingReader(text: string): (from: number) => Opening {
  const closing = quoteReader(text);
  return (from) => {
    const read = new OpeningParts(text);
    let start = from;
    for (let at = from; at < text.length; at++) {
      const char = text[at];
      if (char === '<') return { kind: 'cut', ...read.parts, end: at };
      if (char === '>') {
        read.between(start, at);
        return { kind: 'opening', ...read.parts, end: at + 1 };
      }
      const name = char === '=' ? nameBefore(text, { from: start, to: at }) : '';
      const close = name === '' ? undefined : closing(at + 1);
      if (close === undefined) continue;
      read.between(start, at - name.length);
      read.attribute(name, { at: at - name.length, value: text.slice(at + 2, close) });
      start = close + 1;
      at = close;
    }
    return { kind: 'cut', ...read.parts, end: text.length };
  };
}

/** The content of an opening tag. */
class OpeningParts {
  private readonly attributes = new Map<string, string>();
  private readonly attributesAt = new Map<string, number>();
  private readonly repeated = new Set<string>();
  private stray: string | undefined;
  private malformed: MalformedAttribute | undefined;

  constructor(private readonly text: string) {}

  get parts(): Omit<Opening, 'kind' | 'end'> {
    const { attributes, attributesAt, repeated, stray, malformed } = this;
    return { attributes, attributesAt, repeated, ...defined({ stray, malformed }) };
  }

  attribute(name: string, { at, value }: { readonly at: number; readonly value: string }): void {
    if (this.attributes.has(name)) this.repeated.add(name);
    this.attributes.set(name, value);
    this.attributesAt.set(name, at);
  }

  /** The text between two attributes. */
  between(from: number, to: number): void {
    const found = trimmedAt(this.text.slice(from, to), from);
    if (found.text === '') return;
    if (CARRIES.test(found.text)) this.malformed ??= found;
    else this.stray ??= found.text;
  }
}

/** A sign that stray words were meant as an attribute; an apostrophe within a word is not one. */
const CARRIES = /[="“”]|(?<![A-Za-z])'|'(?![A-Za-z])/;

function trimmedAt(text: string, from: number): MalformedAttribute {
  return { text: text.trim(), at: from + text.length - text.trimStart().length };
}

/** The offset of the quote that closes the one at `from`; undefined when there is no quote or it is never closed. */
function quoteReader(text: string): (from: number) => number | undefined {
  const last = { '"': text.lastIndexOf('"'), "'": text.lastIndexOf("'") };
  return (from) => {
    const quote = text[from];
    if (quote !== '"' && quote !== "'") return undefined;
    return from < last[quote] ? text.indexOf(quote, from + 1) : undefined;
  };
}

function nameBefore(text: string, { from, to }: { readonly from: number; readonly to: number }): string {
  let start = to;
  while (start > from && !/[\s="']/.test(text[start - 1] ?? ' ')) start -= 1;
  return text.slice(start, to);
}

interface Closing {
  readonly at: number;
  /** The offset of the white space before the closing tag. */
  readonly bodyEnd: number;
}

/** The first closing tag after an offset. Offsets only grow, so that each closing tag is searched once. */
function closingReader(text: string): (name: string, from: number) => Closing | undefined {
  const known = new Map<string, Closing | undefined>();
  return (name, from) => {
    const closing = known.get(name);
    if (known.has(name) && (closing === undefined || closing.at >= from)) return closing;
    const at = text.indexOf(`</${name}>`, from);
    const next = at < 0 ? undefined : { at, bodyEnd: from + text.slice(from, at).trimEnd().length };
    known.set(name, next);
    return next;
  };
}
