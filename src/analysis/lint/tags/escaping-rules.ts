// A rule about attributes whose value a script escapes, as in HTML or with backslashes: an attribute has no escapes, and nothing undoes them.
import { computedParts, plainText, scriptsOf, searchableText, statesOf, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** What makes entities of quotes, angle brackets and ampersands. */
const TO_ENTITIES = String.raw`(?:\bhtml\.escape\(|\bsaxutils\.(?:escape|quoteattr)\(|(?<![\w.])quoteattr\(|\bhe\.(?:encode|escape)\(|(?<![\w.])escape(?:H(?:tml|TML)|X(?:ml|ML))\(|(?<![\w.])_\.escape\(|@html\b|&quot;|&#34;|&#x22;|&amp;|&lt;)`;
const ENTITIES = new RegExp(TO_ENTITIES);

/** What writes a backslash before each double quote. */
const BACKSLASHES =
  /\.replace(?:All)?\(\s*(?:\/"\/g|["']\\?"["']|'"'|`"`)\s*,\s*(?:'\\\\"'|"\\\\\\""|`\\\\"`|r'\\"')\s*\)|\$\{\w+\/\/\\?["']?"?["']?\/\\\\\\?"\}|\bsed\b[^\n|]*s([/|,])"\1\\\\+"\1g/;

type Kind = 'entities' | 'backslashes';

function kindOf(code: string): Kind | undefined {
  return ENTITIES.test(code) ? 'entities' : BACKSLASHES.test(code) ? 'backslashes' : undefined;
}

/** The functions of a script that escape what they get. */
function escapersIn(text: string): ReadonlyMap<string, Kind> {
  const heads =
    /^[ \t]*(?:export[ \t]+)?(?:def[ \t]+(\w+)[ \t]*\(|function[ \t]+(\w+)|(?:const|let)[ \t]+(\w+)[^=\n]{0,60}=[ \t]*(?:\([^()\n]*\)[^=\n]{0,40}|\w+[ \t]*)=>|(\w+)[ \t]*\(\)[ \t]*\{|(\w+)[ \t]*=[ \t]*lambda\b)/gm;
  const found = new Map<string, Kind>();
  for (const match of text.matchAll(heads)) {
    const name = match.slice(1).find(Boolean) ?? '';
    const rest = text.slice(match.index, match.index + 1500);
    const [body = ''] = rest.split(/\n(?=[^\s.)}])|\n\}/, 1);
    const kind = kindOf(body);
    // One that prints a tag is none.
    if (kind !== undefined && !/<(?:goto|reset|call|function|fork|result|ask)\b/.test(body)) found.set(name, kind);
  }
  const imported = /\bfrom html import [^\n]*\bescape\b(?:[ \t]+as[ \t]+(\w+))?/.exec(text);
  if (imported !== null) found.set(imported[1] ?? 'escape', 'entities');
  return found;
}

/** The end of an expression in a tag: of `{…}`, `${…}`, `$(…)`, or of what is added by `+`. */
function expressionAt(text: string, offset: number): string {
  const line = text.slice(offset, offset + 200).split('\n', 1)[0] ?? '';
  const [, braced] = /^\$?\{([^{}]*)\}/.exec(line) ?? [];
  return braced ?? /^[^"'`}]*(?:["'][^"'`}]*["'][^"'`}]*\))?/.exec(line)?.[0] ?? line;
}

interface Escaped {
  readonly at: number;
  readonly kind: Kind;
}

/** Where the value of a computed part is escaped. */
function escapedAt(
  text: string,
  { offset, escapers }: { readonly offset: number; readonly escapers: ReadonlyMap<string, Kind> },
): Escaped | undefined {
  const byCall = (code: string): Kind | undefined =>
    kindOf(code) ??
    [...escapers].find(([name]) => new RegExp(`(?<![\\w.])${name}\\(|\\$\\(${name}\\s`).test(code))?.[1];
  const expression = expressionAt(text, offset);
  const direct = byCall(expression);
  if (direct !== undefined) return { at: offset, kind: direct };
  const [, name] = /^[${\s]*([A-Za-z_]\w*)\b(?![.(\w])/.exec(expression) ?? [];
  if (name === undefined) return undefined;
  const values = [
    ...text.matchAll(
      new RegExp(
        `(?:^|[;{(]|\\b(?:const|let|var|local|export|readonly))[ \\t]*${name}[ \\t]*(?::[ \\t]*\\w+[ \\t]*)?=(?![=>])[ \\t]*([^\\n]*)`,
        'gm',
      ),
    ),
  ];
  const [last] = values.filter(({ index }) => index < offset).slice(-1);
  const kind = last === undefined ? undefined : byCall(last[1] ?? '');
  return last === undefined || kind === undefined ? undefined : { at: last.index + last[0].search(/\w/), kind };
}

function* escapedValues(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const text = plainText(state);
    const escapers = escapersIn(text);
    if (kindOf(text) === undefined && escapers.size === 0) continue;
    const origins = state.source.script.shell?.origins;
    const seen = new Set<number>();
    for (const { offset, inAttribute } of computedParts(state.source.script)) {
      const found = inAttribute
        ? (escapedAt(text, { offset, escapers }) ??
          escapedAt(text, { offset: origins?.get(offset) ?? offset, escapers }))
        : undefined;
      if (found === undefined || seen.has(found.at) || isUndone(analysis, { state, kind: found.kind })) continue;
      seen.add(found.at);
      yield {
        at: state.source.raw.at(found.at),
        state: state.file,
        message:
          found.kind === 'entities'
            ? 'this value is escaped as in HTML, but nothing unescapes an attribute: the next state gets &quot; and &amp;'
            : 'a backslash does not protect a double quote in an attribute: the value still ends there',
        fix: 'write the value to a file and pass its path, or remove the quotes',
      };
    }
  }
}

/** True if another state may unescape the value, or says that it is escaped. */
function isUndone(analysis: Analysis, { state, kind }: { readonly state: ScriptState; readonly kind: Kind }): boolean {
  if (kind === 'backslashes') return false;
  return statesOf(analysis).some(
    (other) =>
      (other.file !== state.file || /unescape/.test(searchableText(other))) &&
      /unescape|&(?:quot|amp|lt|#34|#x22);|\bhe\.decode|HTMLParser|DOMParser|\bentit(?:y|ies)\b|\bHTML\b/i.test(
        searchableText(other),
      ),
  );
}

/** The rule about escaped attributes. */
export const ESCAPING_RULES: readonly Rule[] = [
  {
    id: 'escaped-attribute',
    severity: 'warning',
    summary:
      'A script escapes a value for an attribute, as in HTML or with backslashes, but nothing undoes the escaping.',
    why: 'An attribute has no escapes: a value reaches the next state exactly as it was written, with &quot; in the place of each quote. A backslash stays in the value, and the quote behind it still ends the attribute.',
    check: escapedValues,
  },
];
