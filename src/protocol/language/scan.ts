// Finds elements, `<name attributes>body</name>`, in any text. One pass: the time is linear in the text, however hostile it is.
// Which attributes a tag takes stands in tag-table.ts.
import { lineCounter, defined } from '../text.js';

/** An element as it was written. */
export interface Element {
  readonly name: string;
  /** Values by name; of equal names the last one counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** The first text among the attributes that is none, such as `cd=/tmp`. */
  readonly stray?: string;
  /** The text up to the closing tag, without the white space around it. */
  readonly body: string;
  /** The line of its opening, from 1. */
  readonly line: number;
  /** Where it begins, where its body does, and where its attributes have their names; their values begin two characters behind those. */
  readonly at: number;
  readonly bodyAt: number;
  readonly attributesAt: ReadonlyMap<string, number>;
}

interface Opening extends Pick<Element, 'attributes' | 'stray' | 'attributesAt'> {
  readonly kind: 'opening';
  readonly end: number;
}

/** What to look for: names of elements, and those of them that need no body and may be written `<name/>`. */
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
  const read = openingReader(text);
  const closingAfter = closingReader(text);
  const lineOf = lineCounter(text);
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const name = match[1] ?? match[2] ?? '';
    const needsBody = !bodyless.includes(name);
    if (needsBody && closingAfter(name, opening.lastIndex) === undefined) continue;
    const found = read(opening.lastIndex);
    // What was read as attributes is never read again, or the time would grow with the square of the text.
    opening.lastIndex = found.end;
    const closing = needsBody && found.kind === 'opening' ? closingAfter(name, found.end) : undefined;
    if (found.kind === 'none' || (needsBody && closing === undefined)) continue;
    const { attributes, attributesAt, stray } = found;
    const isStray = stray !== undefined && (needsBody || stray !== '/');
    const body = closing === undefined ? '' : text.slice(found.end, closing.bodyEnd).trimStart();
    const bodyAt = closing === undefined ? found.end : closing.bodyEnd - body.length;
    const place = { at: match.index, bodyAt, attributesAt };
    yield { name, attributes, ...(isStray ? { stray } : {}), body, line: lineOf(match.index), ...place };
  }
}

/** An opening without its closing tag; it `lacks` only the slash when it stands a second time. */
export interface OpenElement {
  readonly name: string;
  readonly line: number;
  readonly lacks: 'slash' | 'closing';
}

/** The first opening of the given names in a text that has no whole element of them. */
export function findOpening(text: string, names: readonly string[]): OpenElement | undefined {
  const opening = new RegExp(`<(${names.join('|')})(?=[\\s>])`, 'g').exec(text);
  const [, name] = opening ?? [];
  if (opening === null || name === undefined) return undefined;
  const again = text.indexOf(`<${name}>`, opening.index + 1);
  return { name, line: lineCounter(text)(opening.index), lacks: again < 0 ? 'closing' : 'slash' };
}

/** Reads attributes up to the `>` that ends the opening. */
function openingReader(text: string): (from: number) => Opening | { readonly kind: 'none'; readonly end: number } {
  const closing = quoteReader(text);
  return (from) => {
    const attributes = new Map<string, string>();
    const attributesAt = new Map<string, number>();
    let stray: string | undefined;
    let start = from;
    for (let at = from; at < text.length; at++) {
      const char = text[at];
      if (char === '<') return { kind: 'none', end: at };
      if (char === '>') {
        stray ??= unlessBlank(text.slice(start, at));
        return { kind: 'opening', attributes, attributesAt, ...defined({ stray }), end: at + 1 };
      }
      const name = char === '=' ? nameBefore(text, { from: start, to: at }) : '';
      const close = name === '' ? undefined : closing(at + 1);
      if (close === undefined) continue;
      stray ??= unlessBlank(text.slice(start, at - name.length));
      attributes.set(name, text.slice(at + 2, close));
      attributesAt.set(name, at - name.length);
      start = close + 1;
      at = close;
    }
    return { kind: 'none', end: text.length };
  };
}

function unlessBlank(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed === '' ? undefined : trimmed;
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
  /** Where the white space before the closing tag begins. */
  readonly bodyEnd: number;
}

/** The first closing tag after an offset. Offsets come in order, so that each closing tag is looked for only once. */
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
