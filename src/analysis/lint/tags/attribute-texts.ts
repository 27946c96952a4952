// Finds what a program writes into the attributes of its tags although the value has the quote that encloses it: JSON, or a text of the program
// itself. Values are followed through names, functions and lists. Pure.
import { TAG_NAMES } from '../../../protocol/language/tag-table.js';
import type { Frame, Value } from '../../program/atoms.js';
import type { JoinTerm, Term } from '../../program/terms.js';
import { evaluationOf, type Evaluation } from '../../program/values.js';
import type { ScriptState } from '../helpers.js';
import { COMPUTED } from '../../shell/words.js';

/** A value with the quote that encloses it. */
interface EnclosedQuote {
  readonly at: number;
  /** The text of the program that has the quote, empty for a part of it; absent for JSON. */
  readonly text?: string;
  readonly quote: string;
}

/** Where a text that is put together continues: in a call, and behind an opening tag. */
interface TextContext {
  readonly evaluation: Evaluation;
  readonly frame: Frame | undefined;
  readonly before: string;
  readonly depth: number;
  /** True for a variable of the environment whose text is JSON. */
  readonly isJson: (variable: string) => boolean;
}

const OPENING = new RegExp(`<(?:${TAG_NAMES.join('|')})(?=[\\s${COMPUTED}])`, 'g');

/** The values in the attributes of a program that have the enclosing quote. */
export function* enclosedQuotes(
  { source }: Pick<ScriptState, 'source'>,
  isJson: TextContext['isJson'],
): Generator<EnclosedQuote> {
  const { program } = source.script;
  if (program === undefined || !/<(?!result\b)[a-z-]+/.test(program.text)) return;
  const evaluation = evaluationOf(program);
  if (testsForQuotes(program.text)) return;
  for (const join of evaluation.terms.joins)
    yield* inJoin(join, { evaluation, frame: undefined, before: '', depth: 0, isJson });
}

/** True for a program that leaves out or changes what has quotes. */
function testsForQuotes(text: string): boolean {
  return /["'`]\\?["']["'`]\s*(?:not\s+)?in\b|\.includes\(\s*["'`]\\?["']["'`]|\/\[?\\?["'][^/\n]*\/[a-z]*\.test\(/.test(
    text,
  );
}

function* inJoin(join: JoinTerm, context: TextContext): Generator<EnclosedQuote> {
  const { evaluation, frame, depth, isJson } = context;
  let { before } = context;
  for (const part of join.parts) {
    if (part.kind === 'text') {
      before = (before + part.text).slice(-2000);
      continue;
    }
    const quote = quoteOpen(before);
    const value = quote === undefined ? [] : evaluation.valueOf(part, frame);
    if (quote === '') {
      for (const atom of depth > 3 ? [] : value)
        if (atom.kind === 'composed')
          yield* inJoin(atom.join, { ...context, frame: atom.frame, before: '<goto ', depth: depth + 1 });
    } else if (quote !== undefined) {
      const [found] = [...quotesOf(value, { quote, evaluation, depth, isJson })];
      if (found !== undefined)
        yield { ...found, at: spotOf(evaluation, { part, at: found.at, isText: 'text' in found }) };
    }
    before += COMPUTED;
  }
}

/** The quote that is open at the end of a text in an opening tag: none = `''`; undefined outside of tags. */
function quoteOpen(text: string): string | undefined {
  const at = [...text.matchAll(OPENING)].at(-1)?.index;
  if (at === undefined) return undefined;
  let quote = '';
  for (const char of text.slice(at)) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return undefined;
  }
  return quote;
}

interface Quoting extends Pick<TextContext, 'evaluation' | 'depth' | 'isJson'> {
  readonly quote: string;
}

function* quotesOf(value: Value, quoting: Quoting): Generator<EnclosedQuote> {
  const { quote, evaluation, depth } = quoting;
  for (const atom of value) {
    if (atom.kind === 'json-text' && quote === '"' && !atom.mayBeNumber && hasQuotes(atom.of))
      yield { at: atom.at, quote };
    if (atom.kind === 'variable' && quote === '"' && quoting.isJson(atom.name)) yield { at: atom.at, quote };
    if (atom.kind === 'text' && atom.text.includes(quote)) yield { at: atom.at, text: atom.text, quote };
    if (atom.kind !== 'composed' || depth > 3) continue;
    for (const part of atom.join.parts)
      for (const found of quotesOf(evaluation.valueOf(part, atom.frame), { ...quoting, depth: depth + 1 }))
        yield 'text' in found ? { ...found, text: '' } : found;
  }
}

/** True for a value whose JSON has quotes. */
function hasQuotes(value: Value): boolean {
  return value.some((atom) => {
    if (atom.kind === 'object') return atom.keys.size > 0 || atom.isOpen;
    if (atom.kind !== 'list') return true;
    const items = atom.items();
    return items.length > 0 && (items.some(({ kind }) => kind !== 'unknown') || atom.isOpen);
  });
}

/** A value that a function gets is where it is made; any other is in the tag. */
function spotOf(
  evaluation: Evaluation,
  { part, at, isText }: { readonly part: Term; readonly at: number; readonly isText: boolean },
): number {
  const isInside = ({ at: from, end }: { at: number; end: number }, index: number): boolean =>
    index >= from && index < end;
  const around = evaluation.terms.functions.filter((body) => body.params.length > 0 && isInside(body, part.at));
  const isGiven = !isText && around.some((body) => !isInside(body, at));
  return isGiven ? at : part.at;
}
