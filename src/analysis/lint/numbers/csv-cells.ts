// Finds the expressions of a Python program that are cells of a CSV file, which csv gives as texts: of a row, and of the dictionaries to which
// a program copies cells. Pure.
import { definitionsIn, isDefinedOnce, type ReadText } from '../scripts/program-code.js';

const CELL = 'a cell of a CSV file';
const KEY = String.raw`["']\w+["']`;

/** The cells as texts. */
export function cellTexts(code: string): readonly ReadText[] {
  if (!/\bcsv\b/.test(code) || /\bQUOTE_NONNUMERIC\b/.test(code)) return [];
  const rows = rowsIn(code);
  if (rows.length === 0) return [];
  const cell = String.raw`(?<![\w.])(?:${rows.join('|')})(?:\[(?:${KEY}|\d+)\]|\.get\(\s*${KEY}\s*\))(?:\.strip\(\))?`;
  const text = { name: CELL, isVariable: false, held: heldIn(code, cell) };
  const words = text.held.map(({ name }) => String.raw`(?<![\w.])${name}(?!\w)`);
  return [{ ...text, pattern: `(?:${[cell, ...words].join('|')})` }, ...copiedCells(code, cell)];
}

/** The names that a program gives rows only: in a loop over a reader, or over a list of its rows. */
function rowsIn(code: string): readonly string[] {
  const reader = String.raw`(?:csv\.)?(?:DictReader|reader)\([^\n]*`;
  const readers = [
    ...code.matchAll(new RegExp(String.raw`^[ \t]*(\w+)[ \t]*=[ \t]*(?:list\(|\[\*)?${reader}$`, 'gm')),
  ].flatMap(({ 1: name = '' }) => (isDefinedOnce(name, code) ? [name] : []));
  const lists = readers.map((name) => String.raw`${name}[ \t]*(?:[:)\]},\n]|if\b)`);
  const loops = code.matchAll(
    new RegExp(String.raw`\bfor[ \t]+(\w+)[ \t]+in[ \t]+(?:list\()?(?:${[reader, ...lists].join('|')})`, 'g'),
  );
  const counts = new Map<string, number>();
  for (const [, name = ''] of loops) counts.set(name, (counts.get(name) ?? 0) + 1);
  // A cell that gets another value may be a number.
  if ([...counts.keys(), ...readers].some((name) => isChanged(name, code))) return [];
  return [...counts].flatMap(([name, count]) => (definitionsIn(name, code) === count ? [name] : []));
}

/** True for a row or a table of which the program changes an item, also in a function of its own. */
function isChanged(name: string, code: string): boolean {
  const own = [...code.matchAll(/\bdef[ \t]+(\w+)\(/g)].map(([, called = '']) => called);
  const passed = own.map((called) => String.raw`|(?<!def )\b${called}\([^()\n]*\b${name}\s*[,)]`).join('');
  return new RegExp(
    String.raw`(?<![\w.])${name}(?:\[[^\]\n]*\]\s*[-+*/]?=(?!=)|\.(?:update|setdefault)\()${passed}`,
  ).test(code);
}

function heldIn(code: string, cell: string): NonNullable<ReadText['held']> {
  return [...code.matchAll(new RegExp(String.raw`^[ \t]*(\w+)[ \t]*=[ \t]*${cell}[ \t]*$`, 'gm'))]
    .map(({ index, 0: whole, 1: name = '' }) => ({ name, at: index + whole.search(/\S/) }))
    .filter(({ name }) => isDefinedOnce(name, code));
}

/** The entries of dictionaries that are cells: `orders[row["po"]] = {"amount": row["amount"]}`. */
function copiedCells(code: string, cell: string): readonly ReadText[] {
  const written = new RegExp(
    String.raw`^[ \t]*(\w+)(?:\[[^\n]*?\]+[ \t]*=[ \t]*|\.append\([ \t]*|[ \t]*=[ \t]*[[{][^\n]*?)\{([^{}]*)\}`,
    'gm',
  );
  return [...code.matchAll(written)].flatMap(({ index, 0: whole, 1: table = '', 2: entries = '' }) => {
    const items = itemsOf(code, table);
    if (items === undefined) return [];
    const from = index + whole.lastIndexOf(entries);
    return [...entries.matchAll(new RegExp(String.raw`["'](\w+)["'][ \t]*:[ \t]*${cell}[ \t]*(?=,|\s*$)`, 'g'))].map(
      (entry) => {
        const pattern = `(?:${items})\\[["']${entry[1] ?? ''}["']\\]`;
        return { name: CELL, isVariable: false, keptAt: from + entry.index, pattern };
      },
    );
  });
}

/** The pattern of the items of a table or a list that is filled in one place; undefined if they may change. */
function itemsOf(code: string, table: string): string | undefined {
  const fills = new RegExp(
    String.raw`(?<![\w.])${table}(?:\[[^\n]*?\]+[ \t]*[-+*/]?=(?!=)|\.(?:append|extend|insert|update|setdefault)\()`,
    'g',
  );
  if (!isDefinedOnce(table, code) || (code.match(fills)?.length ?? 0) > 1) return undefined;
  const taken = new RegExp(
    String.raw`^[ \t]*(\w+)[ \t]*=[ \t]*${table}(?:\[[^\n=]*\]|\.(?:get|pop)\([^\n]*\))[ \t]*$|\bfor[ \t]+(?:\w+[ \t]*,[ \t]*)?(\w+)[ \t]+in[ \t]+(?:sorted\()?${table}(?:\.values\(\)|\.items\(\))?[ \t]*(?:[:)\]},\n]|if\b)`,
    'gm',
  );
  const names = [...code.matchAll(taken)].map(({ 1: first, 2: second }) => first ?? second ?? '');
  if (names.some((name) => isChanged(name, code))) return undefined;
  const items = [...new Set(names)].filter((name) => isDefinedOnce(name, code));
  return [
    String.raw`(?<![\w.])${table}\[[^[\]\n]*(?:\[[^[\]\n]*\])?\]`,
    ...items.map((name) => String.raw`(?<![\w.])${name}`),
  ].join('|');
}
