// What stands around a tag in the text of a prompt: rules that look at a request need it. Pure.
import type { Mention } from '../mention.js';
import type { PositionedText } from '../position.js';
import { matches } from './helpers.js';

const OPENING = /<[a-z][\w-]*/g;

/** The offset of a tag in the text of its prompt. */
export function offsetOf(body: PositionedText, { at: { line, column } }: Pick<Mention, 'at'>): number | undefined {
  for (const { match, at } of matches(body, OPENING)) if (at.line === line && at.column === column) return match.index;
  return undefined;
}

/** The part of a sentence before an offset. */
export function sentenceBefore({ text }: PositionedText, offset: number): string {
  const before = text.slice(Math.max(0, offset - 240), offset);
  return before.split(/[.!?;]\s|\n[ \t]*\n|\n[ \t]*[-*+|>]|<\/[a-z-]+>/).at(-1) ?? '';
}

const REQUEST =
  /\b(?:end|finish|reply|answer|respond|close|conclude|return|emit|output|choose|continue|go|stop)\b|[:→]\s*`?$/i;
const NO_REQUEST =
  /\b(?:not|never|without|unless|cannot|no|explain\w*|describ\w*|quot\w*|mention\w*|such as|means?|show\w*|called|instead of|like)\b|n't\b|\|/i;

/** True for a tag that the text asks for, rather than one that it explains. */
export function isAskedFor(body: PositionedText, mention: Mention): boolean {
  const offset = mention.fenced ? undefined : offsetOf(body, mention);
  if (offset === undefined) return false;
  const sentence = sentenceBefore(body, offset);
  return REQUEST.test(sentence) && !NO_REQUEST.test(sentence);
}
