// Which share of the numbers in a range a condition keeps at least: the multiples of a number, and the primes. Pure.

/** True for what a script tests with a sieve of primes, or with a function for primes. */
const IS_PRIME =
  /^(?:not\s+|!\s*)?(?:\w*(?:sieve|prime|composite)\w*)\s*(?:\[\s*\w+\s*\]|\(\s*\w+\s*\))\s*(?:===?\s*\w+)?$/i;

const MULTIPLE = /^\w+\s*%\s*(\d+)\s*(===?|!==?|>)\s*(\d+)$/;
const NO_MULTIPLE = /^\w+\s*%\s*(\d+)$/;

/** The least share of the numbers below `last` that fulfil a condition; 0 if it is not known. */
export function shareKept(condition: string, last: number): number {
  const plain = withoutBrackets(condition);
  if (IS_PRIME.test(plain)) return last > 17 ? 1 / Math.log(last) : 0;
  const [, divisor = '', sign = '', rest = ''] = MULTIPLE.exec(plain) ?? [];
  if (divisor !== '' && Number(rest) < Number(divisor)) {
    if (sign.startsWith('=')) return 1 / Number(divisor);
    return sign === '>' && rest !== '0' ? 0 : 1 - 1 / Number(divisor);
  }
  const [, other = ''] = NO_MULTIPLE.exec(plain) ?? [];
  return Number(other) > 1 ? 1 - 1 / Number(other) : 0;
}

/** A condition without `:`, `then` and `{`, and without the brackets around it and around its left side. */
function withoutBrackets(condition: string): string {
  const plain = condition
    .trim()
    .replace(/(?:[:{]|;?\s*then\b)?\s*(?:continue\b.*)?$/, '')
    .replace(/\$(?=\w)/g, '')
    .trim();
  const [, inner] = /^\(\(?\s*([^()]*(?:\([^()]*\)[^()]*)*?)\s*\)?\)$/.exec(plain) ?? [];
  const [, left, right = ''] = /^\(([^()]*)\)(.*)$/.exec(inner ?? plain) ?? [];
  return left === undefined ? (inner ?? plain) : left + right;
}

/** The condition of a filter, and the expression without it. */
export interface Filtered {
  readonly condition: string;
  readonly rest: string;
}

const FILTERS: readonly RegExp[] = [
  /\sif\s+([^[\]\n()]*(?:(?:\([^()\n]*\)|\[[^[\]\n]*\])[^[\]\n()]*)*)(?=[)\]]|\s*$)/,
  /\.filter\(\s*(?:\(\s*\w+(?:\s*,\s*\w+)?\s*\)|\w+)\s*=>\s*([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)/,
  /\.filter\(\s*(\w+)\s*\)/,
  /\bif\s+(\(\([^\n]{1,80}?\)\))\s*;?\s*then\b/,
  /\|\s*(factor)\s*\|\s*awk\s+'NF\s*==\s*2\s*\{\s*print\s+\$2;?\s*\}'/,
];

/** Takes the only filter out of an expression; undefined if it has none. */
export function withoutFilter(expression: string): Filtered | undefined {
  if (/\belse\b/.test(expression)) return undefined;
  for (const pattern of FILTERS) {
    const match = pattern.exec(expression);
    if (match === null) continue;
    const [whole, found = ''] = match;
    const rest = expression.slice(0, match.index) + expression.slice(match.index + whole.length);
    return { condition: conditionOf(found), rest };
  }
  return undefined;
}

/** A function for primes, or the program `factor`, as a condition. */
function conditionOf(found: string): string {
  if (found === 'factor') return 'prime(n)';
  return /^\w+$/.test(found) ? `${found}(n)` : found;
}
