// How often a `while` loop of a script runs: by a counter that it raises, or by a date that it moves on. Pure.

/** A number in an expression of the script; NaN if it is not known. */
type ValueOf = (expression: string) => number;

const DAYS: Readonly<Record<string, number>> = {
  weeks: 7,
  days: 1,
  hours: 1 / 24,
  minutes: 1 / 1440,
  seconds: 1 / 86_400,
};

const CONDITION =
  /\bwhile\b[\s([]*"?\$?\{?([A-Za-z_]\w*)\}?"?\s*(<=?|-l[te])\s*"?([\w$*+ {}-]{1,40}?)"?\s*(?:\)|\]|:|;|\{|$)/;

/** The least number of rounds of a loop with this head; 0 if it is not known. */
export function roundsOf(
  head: string,
  { code, valueOf }: { readonly code: string; readonly valueOf: ValueOf },
): number {
  const dated = roundsOfDates(head, code);
  if (dated > 0) return dated;
  const [, name, , bound = ''] = CONDITION.exec(head) ?? [];
  if (name === undefined) return 0;
  const start = startOf(name, code);
  const step = stepOf(name, code);
  const rounds = (valueOf(bound) - start) / step;
  return Number.isFinite(rounds) && rounds > 0 ? Math.floor(rounds) : 0;
}

/** The first number that a name gets. */
function startOf(name: string, code: string): number {
  const [, start] =
    new RegExp(
      `^[ \\t]*(?:(?:let|var|local)[ \\t]+)?${name}[ \\t]*(?::[ \\t]*\\w+[ \\t]*)?=[ \\t]*(\\d+)\\b`,
      'm',
    ).exec(code) ?? [];
  return Number(start ?? NaN);
}

/** By how much a name is raised, if this is so in one place only. */
function stepOf(name: string, code: string): number {
  const raises = [
    ...code.matchAll(
      new RegExp(
        `(?<![\\w.])${name}[ \\t]*\\+=[ \\t]*(\\d+)|(?<![\\w.])${name}\\+\\+|\\+\\+${name}\\b|(?<![\\w.])${name}[ \\t]*=[ \\t]*(?:\\$\\(\\([ \\t]*)?\\$?${name}[ \\t]*\\+[ \\t]*(\\d+)`,
        'g',
      ),
    ),
  ];
  const [only] = raises;
  if (only === undefined || raises.length > 1) return NaN;
  return Number(only[1] ?? only[2] ?? 1);
}

const MADE = String.raw`(?:datetime\.)?(?:datetime|date)\(\s*(\w+)[^()\n]*\)`;

/** `while day.year == year:` and `while day < date(2040, 1, 1):`. */
function roundsOfDates(head: string, code: string): number {
  const [, name, compared, sign, bound = ''] = /\bwhile\s+(\w+)(\.year)?\s*(==|<=?)\s*([^:\n]+?)\s*:/.exec(head) ?? [];
  if (name === undefined) return 0;
  const [, unit = '', amount] =
    new RegExp(
      `(?<![\\w.])${name}\\s*(?:\\+=|=\\s*${name}\\s*\\+)\\s*(?:datetime\\.)?timedelta\\(\\s*(\\w+)\\s*=\\s*(\\d+)\\s*\\)`,
    ).exec(code) ?? [];
  const step = Number(amount ?? NaN) * (DAYS[unit] ?? NaN);
  const first = yearOf(name, code);
  if (first === undefined || !(step > 0)) return 0;
  if (compared !== undefined && sign === '==') return bound.trim() === first ? Math.floor(365 / step) : 0;
  const last =
    new RegExp(`^${MADE}$`).exec(bound.trim())?.[1] ??
    (compared === undefined ? yearOf(bound.trim(), code) : bound.trim());
  const years = Number(last) - Number(first);
  return years > 0 ? Math.floor((years * 365) / step) : 0;
}

/** The year of the date that a name gets first. */
function yearOf(name: string, code: string): string | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  return new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*${MADE}`, 'm').exec(code)?.[1];
}
