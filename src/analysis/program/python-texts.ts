// Reads what Python writes as text in a program: imports, and formats with holes. Pure.
import type { Term } from './terms.js';

/** The names that an import gives, and what they stand for, such as `os.environ`. */
export function importsOf(statement: string): readonly (readonly [name: string, whole: string])[] {
  const text = statement.replace(/[()\\]/g, ' ');
  const [, from, list = ''] = /^(?:from\s+(\S+)\s+)?import\s+([^]*)$/.exec(text) ?? [];
  return list.split(',').flatMap((item) => {
    const [name = '', alias] = item.trim().split(/\s+as\s+/);
    if (from === undefined && alias === undefined) return [];
    return [[alias ?? name, from === undefined ? name : `${from}.${name}`] as const];
  });
}

const HOLES = /(%(?:\(\w+\))?[-+ #0]*[\d.*]*[sdrifgx]|\{\w*\})/;

/** The parts of `"a %s" % b` and of `"a {}".format(b)`. */
export function filledParts(pattern: Term, values: readonly Term[]): readonly Term[] {
  const { at, end } = pattern;
  const pieces = pattern.kind === 'join' ? pattern.parts : [pattern];
  let next = 0;
  return pieces.flatMap((piece): readonly Term[] => {
    if (piece.kind !== 'text') return [piece];
    // A split by a group has the holes at the odd positions.
    return piece.text.split(HOLES).map((text, index): Term => {
      if (index % 2 === 0) return { kind: 'text', text, at: piece.at, end: piece.end };
      next += 1;
      return values[next - 1] ?? { kind: 'other', at, end };
    });
  });
}
