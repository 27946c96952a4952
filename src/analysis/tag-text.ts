// Prepares texts in which tags are sought: the text of a prompt without what only speaks of tags, and what a script prints with a space between
// the name of a tag and attributes from a variable. Pure.
import { TAG_NAMES } from '../protocol/language/tag-table.js';
import { TracedText } from './position.js';
import { COMPUTED } from './shell/words.js';

/** Blanks text that only mentions tags: comments, and openings such as `<goto>` before the one that a closing tag belongs to. */
export function withoutProse(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  return text.replace(/<!--[^]*?-->/g, blank).replace(LONE_OPENING, blank);
}

const STATE_TAGS = TAG_NAMES.filter((name) => name !== 'result' && name !== 'ask' && name !== 'await').join('|');

/** An opening after which neither a name nor its closing tag follows; or one that stands alone in a code span. */
const LONE_OPENING = new RegExp(
  `<(${STATE_TAGS})(?:\\s[^<>\`]*)?>(?=\`|[^<]*<(?:\\1[\\s>]|(?!/\\1>)))|(?<=\`)<(?:ask|result)>(?=\`)`,
  'g',
);

/** Removes the backslash before quotes: a prompt may show a tag inside a quoted string, as in JSON. */
export function unescaped(text: string): TracedText {
  const plain = new TracedText();
  let from = 0;
  for (const { index } of text.matchAll(/\\(?=["'])/g)) {
    plain.add(text.slice(from, index), from);
    from = index + 1;
  }
  plain.add(text.slice(from), from);
  return plain;
}

/** A tag whose attributes, with the space before them, come from a variable: the closing tag has the whole name. */
const ATTRIBUTES_OF_VARIABLE = new RegExp(`<(${TAG_NAMES.join('|')})(?=${COMPUTED}[^<>]*>[^<>]*</\\1>)`, 'g');

/** A printed text with a space between the name of a tag and its attributes. */
export function spacedTags(printed: TracedText): TracedText {
  const spaced = new TracedText();
  let from = 0;
  for (const { index, 0: opening } of printed.text.matchAll(ATTRIBUTES_OF_VARIABLE)) {
    const end = index + opening.length;
    spaced.append(printed.slice(from, end));
    spaced.add(' ', printed.offsetOf(end), true);
    from = end;
  }
  spaced.append(printed.slice(from));
  return spaced;
}
