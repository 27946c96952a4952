// A tag that an author meant: misspelt, in capitals, a word of another language, or not closed. Pure.
import { TAG_NAMES } from '../../../protocol/language/tag-table.js';
import { nearest } from '../../../protocol/text.js';

/** Words of other languages for tags. */
const SYNONYMS: Readonly<Record<string, string>> = { return: 'result', end: 'result', done: 'result', next: 'goto' };

/** Two letters in the wrong order are the likeliest slip. */
function letters(word: string): string {
  return word.split('').sort().join('');
}

/** The mistake and the position of the first text that looks like a tag; undefined if there is none. */
export function nearTagIn(
  text: string,
): { readonly index: number; readonly tag: string; readonly message: string; readonly fix: string } | undefined {
  for (const { index, 1: tag = '' } of text.matchAll(/<([A-Za-z][\w-]*)/g)) {
    if (TAG_NAMES.includes(tag))
      return { index, tag, message: `<${tag}> is not closed by </${tag}>`, fix: `write <${tag}>…</${tag}>` };
    const word = tag.toLowerCase();
    // Other words, such as those of HTML, only count when they are closed: prose is full of <…>.
    const isElement = text.includes(`</${tag}>`);
    const meant = TAG_NAMES.includes(word)
      ? word
      : isElement
        ? (SYNONYMS[word] ?? TAG_NAMES.find((name) => letters(name) === letters(word)) ?? nearest(word, TAG_NAMES))
        : undefined;
    if (meant !== undefined)
      return { index, tag, message: `<${tag}> is not a tag; did you mean <${meant}>?`, fix: `write ${meant}` };
  }
  return undefined;
}

/** True for a text with a tag such as `<Goto>`. */
export function hasTagInCapitals(text: string): boolean {
  return [...text.matchAll(/<([A-Z][\w-]*)[^<>]*>/g)].some(([, name = '']) => TAG_NAMES.includes(name.toLowerCase()));
}
