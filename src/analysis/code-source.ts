// The texts in a Python or JavaScript program that may hold tags: its string literals. What is computed in them and
// between them is known only at run time. Pure, and no parser: a program that it misreads shows fewer tags.
import { TracedText } from './position.js';
import { COMPUTED } from './shell-words.js';

/** How a language writes comments, strings, and what it computes within a string. */
interface Language {
  readonly token: RegExp;
  readonly computed: RegExp;
}

const PYTHON: Language = {
  token: /#.*|(?:[rbuf]{0,2})("""[^]*?"""|'''[^]*?'''|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*')/gi,
  computed: /^(?:\{[^{}]*\}|%(?:\(\w+\))?[-+ #0]*[\d.*]*[sdrifgx])/,
};

const NODE: Language = {
  token: /\/\/.*|\/\*[^]*?\*\/|("(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`)/g,
  computed: /^(?:\$\{(?:[^{}]|\{[^{}]*\})*\}|%[sdifjoO])/,
};

/** The literals of a program in order, with a computed part after each. */
export function literalsOf(text: string, language: 'python' | 'node'): TracedText {
  const { token, computed } = language === 'python' ? PYTHON : NODE;
  const printed = new TracedText();
  for (const match of text.matchAll(token)) {
    const [, literal] = match;
    if (literal === undefined) continue;
    const quotes = /^(?:"""|''')/.test(literal) ? 3 : 1;
    const start = match.index + match[0].length - literal.length + quotes;
    addLiteral(printed, { text: literal.slice(quotes, -quotes), start, computed });
    printed.add(`${COMPUTED}\n`, start, true);
  }
  return printed;
}

function addLiteral(
  printed: TracedText,
  { text, start, computed }: { readonly text: string; readonly start: number; readonly computed: RegExp },
): void {
  for (let at = 0; at < text.length;) {
    const [found] = computed.exec(text.slice(at)) ?? [];
    const escaped = text[at] === '\\';
    if (found !== undefined) printed.add(COMPUTED, start + at, true);
    else if (escaped) printed.add(ESCAPES[text[at + 1] ?? ''] ?? text[at + 1] ?? '', start + at, true);
    else printed.add(text[at] ?? '', start + at);
    at += found?.length ?? (escaped ? 2 : 1);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\n': '' };
