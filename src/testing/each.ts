// A table of cases: `each` lists rows, and the case is run once for each, with `{{each.COLUMN}}` replaced in all its texts.

type Plain = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, string>>;

/** The cases of a file, row by row; `sources` has the index in the file for each of them. */
export interface SpreadCases {
  readonly cases: readonly unknown[];
  readonly sources: readonly number[];
}

/** Cases that have no table, or one that the schema rejects, stay as they are. */
export function spreadCases(cases: readonly unknown[]): SpreadCases {
  const spread = cases.flatMap((one, source) => rowsOf(one).map((row) => ({ source, one: filled(one, row) })));
  return { cases: spread.map(({ one }) => one), sources: spread.map(({ source }) => source) };
}

function rowsOf(one: unknown): readonly (Row | undefined)[] {
  const each = isPlain(one) ? one['each'] : undefined;
  const isTable = Array.isArray(each) && each.length > 0 && each.every(isRow);
  return isTable ? each : [undefined];
}

function filled(one: unknown, row: Row | undefined): unknown {
  if (row === undefined || !isPlain(one)) return one;
  const { each: _table, ...rest } = one;
  return replaced(rest, row);
}

/** An unknown column stays as it is, so that the difference shows it. */
function replaced(value: unknown, row: Row): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\{\{each\.([^{}]+)\}\}/g, (whole, column: string) => row[column] ?? whole);
  if (Array.isArray(value)) return value.map((item) => replaced(item, row));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replaced(key, row), replaced(item, row)]));
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRow(value: unknown): value is Row {
  return isPlain(value) && Object.values(value).every((text) => typeof text === 'string');
}
