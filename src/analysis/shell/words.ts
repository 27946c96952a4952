// The words of a bash script as texts with positions: quotes are removed, variables of a known value are replaced, and parts that are
// known only at run time become `COMPUTED`.
import type { HereDocBody, ParsedScript, Word, WordPart } from 'unbash';
import { TracedText } from '../position.js';

/** Stands for text that is known only at run time: a private-use character that scripts do not contain. */
export const COMPUTED = '\uE000';

const ESCAPE = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" };

/** Adds a text whose backslash escapes are read as `printf` and `echo -e` read them. */
export function addUnescaped(to: TracedText, source: Pick<TracedText, 'text' | 'offsetOf'>): void {
  const { text } = source;
  let from = 0;
  const plain = (end: number): void => {
    for (; from < end; from++) to.add(text[from] ?? '', source.offsetOf(from));
  };
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, hex, unicode, octal, letter = ''] = match;
    plain(match.index);
    const code = hex ?? unicode;
    const value = code === undefined ? parseInt(octal ?? '', 8) : parseInt(code, 16);
    to.add(
      Number.isNaN(value) ? (ESCAPED[letter] ?? ' ') : String.fromCharCode(value),
      source.offsetOf(match.index),
      true,
    );
    from += whole.length;
  }
  plain(text.length);
}

/** What a word may refer to. */
export interface WordContext {
  /** The value of a variable at its use, if it is known. */
  readonly valueOf: (name: string, at: number) => TracedText | undefined;
  /** The output of a substitution, if it is known. */
  readonly outputOf: (script: ParsedScript) => TracedText | undefined;
}

/** Knows nothing but the text. */
export const NO_CONTEXT: WordContext = { valueOf: () => undefined, outputOf: () => undefined };

/** A word, or the body of a here-document. */
export function traced(word: Word | HereDocBody, context: WordContext = NO_CONTEXT): TracedText {
  const text = new TracedText();
  if (word.parts !== undefined) for (const part of word.parts) addPart(text, part, context);
  else if ('value' in word) addLiteral(text, word);
  else text.add(word.text, word.pos);
  return text;
}

function addPart(to: TracedText, part: WordPart, context: WordContext): void {
  switch (part.type) {
    case 'SingleQuoted':
      return to.add(part.value, part.pos + 1);
    case 'AnsiCQuoted':
      return addUnescaped(to, { text: part.text.slice(2, -1), offsetOf: (index) => part.pos + 2 + index });
    case 'DoubleQuoted':
    case 'LocaleString':
      for (const inner of part.parts) addPart(to, inner, context);
      return;
    case 'Literal':
    case 'Glob':
      return addLiteral(to, part);
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return to.add(part.text, part.pos);
    case 'SimpleExpansion':
      return addValue(to, part.pos, context.valueOf(part.text.slice(1), part.pos));
    case 'ParameterExpansion': {
      const plain = part.operation === undefined && part.index === undefined && part.prefix === undefined;
      const { operation } = part;
      const value = plain || operation?.type === 'Default' ? context.valueOf(part.parameter, part.pos) : undefined;
      // ${name:+word}: the word, if the name has a value.
      if (operation?.type === 'Default' && operation.operator.includes('+') && value !== undefined) {
        if (value.text !== '') to.append(traced(operation.operand, context));
        return;
      }
      return addValue(to, part.pos, plain || value?.text !== '' ? value : undefined);
    }
    case 'CommandExpansion':
      return addValue(to, part.pos, part.script === undefined ? undefined : context.outputOf(part.script));
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return to.add(COMPUTED, part.pos, true);
  }
}

function addValue(to: TracedText, at: number, value: TracedText | undefined): void {
  if (value === undefined) to.add(COMPUTED, at, true);
  else to.append(value);
}

/** Without the backslashes that its value lacks. */
function addLiteral(
  to: TracedText,
  { text, value, pos }: { readonly text: string; readonly value: string; readonly pos: number },
): void {
  let from = 0;
  for (const char of value) {
    while (from < text.length && !text.startsWith(char, from)) from += 1;
    to.add(char, pos + from);
    from += char.length;
  }
}
