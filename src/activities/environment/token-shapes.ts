// Credentials with a known shape, whatever variable or file they come from: tokens with a prefix,
// and private keys. The search stays fast for hostile texts: no pattern is tried twice on the same
// long run of characters. Pure.

/**
 * Tokens with the same prefix. `alone`: no letter, digit, `_` or `-` before it, for a prefix that
 * is part of other words.
 */
interface Shape {
  readonly prefixes: readonly string[];
  readonly rest: string;
  readonly alone?: true;
}

const SHAPES: readonly Shape[] = [
  { prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], rest: '[A-Za-z0-9]{36,255}' },
  { prefixes: ['github_pat_'], rest: '\\w{22,255}' },
  { prefixes: ['glpat-'], rest: '[\\w-]{20,255}' },
  { prefixes: ['sk-ant-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-v1-'], rest: '[\\w-]{16,300}' },
  { prefixes: ['sk-'], rest: '[A-Za-z0-9]{32,255}', alone: true },
  { prefixes: ['sk_live_', 'rk_live_'], rest: '[A-Za-z0-9]{16,255}' },
  { prefixes: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'], rest: '[A-Za-z0-9-]{10,255}' },
  { prefixes: ['AKIA', 'ASIA'], rest: '[A-Z0-9]{16}(?![A-Za-z0-9])', alone: true },
  { prefixes: ['AIza'], rest: '[\\w-]{35}' },
  { prefixes: ['npm_'], rest: '[A-Za-z0-9]{36}' },
  { prefixes: ['hf_'], rest: '[A-Za-z0-9]{30,255}', alone: true },
  { prefixes: ['pypi-'], rest: 'AgE[\\w-]{50,500}' },
  { prefixes: ['eyJ'], rest: '[\\w-]{8,4096}\\.eyJ[\\w-]{8,8192}\\.[\\w-]{16,2048}', alone: true },
];

const PREFIXES = [...SHAPES.flatMap(({ prefixes }) => prefixes), '-----BEGIN '];

const TOKEN = SHAPES.map(({ prefixes, rest, alone }) => {
  const before = alone === true ? '(?<![\\w-])' : '';
  return `${before}(?:${prefixes.join('|')})${rest}`;
}).join('|');

const HEAD = '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
const FOOT = '-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
/**
 * Lines of base64, separated by line breaks or by `\n` in text, and the headers that may come
 * before them.
 */
const BODY = '(?:\\s|\\\\[nr]|(?:Proc-Type|DEK-Info|Version|Comment): [^\\n\\\\]{0,200}|[A-Za-z0-9+/=]{16,})*';
/** A key that is cut off is a secret as well. */
const PRIVATE_KEY = `${HEAD}${BODY}(?:[A-Za-z0-9+/=]*(?:\\s|\\\\[nr])*${FOOT})?`;

const SHAPE = new RegExp(`${PRIVATE_KEY}|${TOKEN}`, 'g');
const BEGINNING = new RegExp(PREFIXES.join('|'));

/** The text without values that look like credentials. */
export function withoutTokens(text: string): string {
  return text.replace(SHAPE, (found) => (found.startsWith('-----BEGIN') ? '[private key]' : '[token]'));
}

/** The positions of such values. */
export function tokensIn(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(SHAPE);
}

/** No token and no private key is longer. */
const LONGEST_TOKEN = 16_384;
const LONGEST_KEY = 32_768;

/** The start of the part at the end of a text that more text may complete to a token. */
export function openToken(text: string): number {
  return Math.min(openRun(text), openKey(text), openBeginning(text, PREFIXES));
}

/** A token at the end may continue. */
function openRun(text: string): number {
  let start = text.length;
  const first = Math.max(0, text.length - LONGEST_TOKEN);
  while (start > first && isTokenCharacter(text.charCodeAt(start - 1))) start -= 1;
  const at = text.slice(start).search(BEGINNING);
  return at < 0 ? text.length : start + at;
}

function isTokenCharacter(code: number): boolean {
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  return isLetter || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46;
}

function openKey(text: string): number {
  const start = text.lastIndexOf('-----BEGIN ');
  if (start < 0 || text.length - start > LONGEST_KEY) return text.length;
  const rest = text.slice(start);
  const isOpen = /^-----BEGIN [A-Z0-9 ]{0,60}-{0,5}$/.test(rest) || (KEY_HEAD.test(rest) && !KEY_FOOT.test(rest));
  return isOpen ? start : text.length;
}

const KEY_HEAD = new RegExp(`^${HEAD}`);
const KEY_FOOT = new RegExp(FOOT);

/**
 * The start of the longest prefix of one of these words at the end of a text; the length of the
 * text when there is none.
 */
export function openBeginning(text: string, words: Iterable<string>): number {
  let length = 0;
  for (const word of words) {
    for (let n = Math.min(word.length - 1, text.length); n > length; n -= 1) {
      // Compares one character before it copies anything.
      if (word[n - 1] === text.at(-1) && text.endsWith(word.slice(0, n))) length = n;
    }
  }
  return text.length - length;
}
