// Any text at all, for properties.
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

const charOf = (index: number): string =>
  String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count);

function indexOf(char: unknown): number {
  const code = typeof char === 'string' ? char.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== char) throw new Error('not one character');
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}

/**
 * Any character that is no half of a surrogate pair: what fast-check calls `binary`. Its own builds a table of all of them in each test file, which
 * takes a second of processor and a hundred megabytes.
 */
const character = fc.integer({ min: 0, max: LAST - SURROGATES.count }).map(charOf, indexOf);

/** Any text. */
export function anyText(constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
