// The values that replies write behind a label: those that the text lists, and samples for those that it describes. Pure.
import type { WrittenLabel } from './reply-words.js';

/** Values that replies write in the place of a description. */
export function valuesLike(rest: string): readonly string[] {
  if (
    /^[<[({_]*(?:N|n|number|count|X|\d+)\b|\b(?:number|count|how many|percent|minutes|points|sum|total)\b|%/.test(rest)
  )
    return ['0', '1', '3', '7', '12', '90', '100'];
  return ['none', 'None', 'no', 'yes', '0', '3', '-', 'nothing', 'low', 'high', 'some words'];
}

/** All values, if the text lists them: `low, medium or high`, `yes/no`, "X is one of …", "from 1 to 5". */
export function closedValues(rest: string, context: string): readonly string[] | undefined {
  const plain = rest
    .replace(/^[<[({"'`]+|[>\])}"'`.]+$/g, '')
    .replace(/^(?:either|one\s+of|choose\s+from)\s*:?\s+/i, '');
  const listed = listOf(plain);
  if (listed !== undefined) return listed;
  const [, name = ''] = /^[<[({]*([A-Z]|\w+)[>\])}]*$/.exec(rest) ?? [];
  if (name !== '' && !/^\d/.test(name)) {
    const is = new RegExp(
      `(?<![\\w-])${name}\\b[^.:]{0,20}?\\s(?:is|are|be|stands\\s+for|means)\\s+(?:either\\s+|one\\s+of\\s+)?([^.]{3,100})`,
    );
    const values = listOf((is.exec(context)?.[1] ?? '').replace(/["'`“”]/g, ''));
    if (values !== undefined) return values;
  }
  const isNumber = /^\d{1,2}$/.test(plain) || /^(?:N|X|number)$/i.test(name);
  return isNumber ? rangeIn(context) : undefined;
}

/** Numbers with the unit of an example: `5%`, `12 days`. */
export function numbersLike(rest: string): readonly string[] | undefined {
  const [, unit] = /^\d+(?:\.\d+)?(\s?(?:%|[a-zA-Z€$]{1,8}))?\.?$/.exec(rest) ?? [];
  return /^\d/.test(rest) && (unit !== undefined || /^\d+$/.test(rest))
    ? NUMBERS.map((number) => `${String(number)}${unit ?? ''}`)
    : undefined;
}

const NUMBERS = [...Array.from({ length: 121 }, (_, number) => number), 250, 999, 1000, 5000, 12345, 100000, 0.5, 2.5];

/** The numbers of "on a scale from 1 to 5". */
function rangeIn(context: string): readonly string[] | undefined {
  const [, from = '', to = ''] =
    /\b(?:from|between)\s+(\d{1,2})\s*(?:\([^()]*\))?\s*(?:to|and|–|-)\s*(\d{1,2})\b/.exec(context) ?? [];
  const [low, high] = [Number(from), Number(to)];
  if (from === '' || to === '' || high <= low) return undefined;
  return Array.from({ length: high - low + 1 }, (_, index) => String(low + index));
}

function listOf(words: string): readonly string[] | undefined {
  const parts = words
    .split(/\s*[|,]\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+|\s*\/\s*/)
    .map((part) => part.replace(/\s*\([^()]*\)?$/, '').trim());
  const isList = parts.length > 1 && parts.every((part) => /^[\w-]+(?:\s[\w-]+){0,2}$/.test(part));
  return isList && !/\b(?:the|your|a|an|each|all|who|what|why|how)\b/i.test(words) ? parts : undefined;
}

/** True for labels of which a reply has one: the words between them say "or", or name the other case. */
export function isAlternative(group: readonly WrittenLabel[]): boolean {
  const texts = new Set(group.map(({ text }) => text));
  return (
    texts.size > 1 &&
    group.slice(1).some(({ before, after, isShown }) => isShown || /\b(?:or|otherwise|else|if)\b/i.test(before + after))
  );
}
