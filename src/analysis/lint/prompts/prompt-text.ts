// What stands around a tag in the text of a prompt: rules that look at a request need it. Pure.
import { comparedKeys } from '../../../protocol/language/policy.js';
import type { Mention } from '../../mention.js';
import type { Position, PositionedText } from '../../position.js';
import { matches, type PromptState } from '../helpers.js';

const OPENING = /<[a-z][\w-]*/g;

/** The offset of a tag in the text of its prompt. */
export function offsetOf(body: PositionedText, { at: { line, column } }: Pick<Mention, 'at'>): number | undefined {
  for (const { match, at } of matches(body, OPENING)) if (at.line === line && at.column === column) return match.index;
  return undefined;
}

/** The part of a sentence before an offset. */
function sentenceBefore({ text }: PositionedText, offset: number): string {
  return partsBefore(text, offset).at(-1) ?? '';
}

function partsBefore(text: string, offset: number): readonly string[] {
  const before = text.slice(Math.max(0, offset - 240), offset);
  return before.split(/[.!?;]\s|\n[ \t]*\n|\n[ \t]*[-*+|>]|<\/[a-z-]+>/);
}

/** What separates the tags of a list. */
const IN_ROW = /^[`"'\s]*(?:,|and|or|\s)*[`"'\s]*$/;

/** True for a tag of a list of which the text only speaks, as in "Explain `<goto>A</goto>` and `<result>…</result>`". */
function isInSpokenRow({ text }: PositionedText, offset: number): boolean {
  const parts = partsBefore(text, offset);
  const first = parts.findLastIndex((part) => !IN_ROW.test(part.replace(/<[a-z][^<>]*>[^<>]*$/, '')));
  const before = parts[first]?.replace(/<[a-z][^<>]*>[^<>]*$/, '') ?? '';
  const isSpokenOf = IS_SPOKEN_OF.test(before) || /^\s*(?:explain|describe|document|mention|quote)\b/i.test(before);
  return first >= 0 && isSpokenOf && (first < parts.length - 1 || before.endsWith(': `'));
}

const REQUEST =
  /\b(?:end|finish|reply|answer|respond|close|conclude|return|emit|output|choose|continue|go|stop)\b|[:→]\s*`?$/i;
const NO_REQUEST =
  /\b(?:not|never|without|unless|cannot|no|explain\w*|describ\w*|quot\w*|mention\w*|such as|means?|show\w*|called|instead of|like)\b|n't\b|\|/i;

/** What a text forbids beside the tag: "no quotes", "without Markdown". */
const NO_DECORATION =
  /\b(?:with\s+|and\s+|but\s+)?(?:no|without|not)\s+(?:any\s+|other\s+|further\s+|more\s+than\b|longer\s+than\b)*(?:(?:double|single)\s+)?(?:quot\w+(?:\s+marks?)?|words?|text|markdown|punctuation|line\s+breaks?|\w+\s+(?:words|characters))?/gi;

/** A colon, and below it the tag, which may be in a fence. */
const BELOW_COLON = /:\s+(?:(?:`{3,}|~{3,})\w*\s+)?$/;

/** True for a tag that the text asks for, rather than one that it explains. */
export function isAskedFor(body: PositionedText, mention: Mention): boolean {
  const offset = offsetOf(body, mention);
  if (offset === undefined) return false;
  if (isInSpokenRow(body, offset)) return false;
  const sentence = requestBefore(body, offset);
  return (!mention.fenced || sentence.endsWith(':')) && REQUEST.test(sentence) && !NO_REQUEST.test(sentence);
}

/** Words that forbid a tag, or that only speak of it, with the rest of their clause. */
const IS_FORBIDDEN =
  /\b(?:do not|don't|never|must not|should not|may not|cannot|can't)\s+(?:\w+\s+){0,2}(?:writ|us|end|repl|answer|finish|output|emit|return|clos|add|show|includ|put)\w*[^,;:]*$/i;
const IS_SPOKEN_OF =
  /\b(?:instead of|rather than|without|avoid|explain\w*|describ\w*|quot\w*|mention\w*|document\w*|such as|among|means?|called|like|example|contain\w*|replace|search|find|every|each)\b[^,;:)|→]{0,40}$/i;

/** A command to the model itself, just before the tag: "change nothing and end with". */
const COMMAND =
  /(?:^|[,:;()—-]|\b(?:and|then|please|instead|you\s+(?:must|should|can|may)))\s*(?:then\s+)?(?:end|finish|reply|answer|respond|close|conclude)\s+(?:(?:your|the)\s+(?:turn|reply|answer)\s+)?with\s*:?\s*`?$/i;

/** A sentence about what another state or a person does. */
const OF_OTHERS = /\b(?:[Ww]ill|[Ww]ould|[Tt]ell|[Ii]nstruct|[Rr]emind|[Aa]sk|[Ll]et|states?|[A-Z][A-Z0-9_]{2,})\b/;

/** An item of a list that names a case and its tag: `- Rain: <goto>WAIT</goto>`. */
const IN_LIST = /^[ \t]*[-*][ \t]+[^<>\n:]{1,80}:[ \t]*`?$(?![^])/m;
const ENDS_LINE = /^<([a-z-]+)\b[^<>\n]*>[^<>\n]*<\/\1>`?[ \t]*$/m;

/** True for a tag with which the text commands the model itself to end its reply. */
export function isCommanded(body: PositionedText, mention: Mention): boolean {
  const offset = mention.fenced ? undefined : offsetOf(body, mention);
  if (offset === undefined || IS_FREE.test(body.text)) return false;
  if (IN_LIST.test(body.text.slice(0, offset)) && ENDS_LINE.test(body.text.slice(offset))) return true;
  const sentence = requestBefore(body, offset);
  return COMMAND.test(sentence) && !IS_FORBIDDEN.test(sentence) && !OF_OTHERS.test(sentence);
}

/** The entry of a policy that differs from several tags of the text, which are all alike. */
function entryUnlike(
  { source, mentions }: PromptState,
  { mention: { tag }, isShown }: { readonly mention: Mention; readonly isShown: (entry: Mention) => boolean },
): Position | undefined {
  const [entry, ...others] = source.prompt.entries.filter((one) => one.tag === tag);
  const shown = mentions.filter((one) => one.source === 'text' && one.tag === tag);
  const forms = shown.map(({ body, attributes }) =>
    [body?.value.trim(), ...comparedKeys(tag).map((key) => attributes.get(key)?.value.trim())].join('\n'),
  );
  const isAlone = entry !== undefined && others.length === 0 && !isShown(entry);
  const isMeant = shown.length > 1 && new Set(forms).size === 1;
  return isAlone && isMeant && shown.some((one) => isAskedFor(source.prompt.body, one)) ? entry.at : undefined;
}

/** The place in a policy that contradicts the text: an entry that is wrong, or the end where an entry is missing, because the text commands a
 * tag beside each tag that the policy has. */
export function placeInPolicy(
  state: PromptState,
  { mention, isShown }: { readonly mention: Mention; readonly isShown: (entry: Mention) => boolean },
): Position | undefined {
  const { entries, keys, body } = state.source.prompt;
  if (!keys.some(({ key }) => key === 'allowed_transitions')) return undefined;
  const isLast = isCommanded(body, mention) && entries.every(isShown);
  return isLast ? entries.at(-1)?.at : entryUnlike(state, { mention, isShown });
}

/** A text that lets the model write tags that do not count, or that is about workflows. */
const IS_FREE =
  /\b(?:tags?|markup|brackets)\b[^.\n]{0,60}\b(?:not\s+(?:count|matter)|no\s+effect|not\s+needed|no\s+harm|nothing)\b|\b(?:no|not|need not)\s+(?:\w+\s+){0,3}tags?\b(?!\s*:)|\bread as one\b|\bfreely\b|\bwhatever you\b|\b(?:write|explain|document|describe)\b[^.\n]{0,60}\bworkflows?\b/i;

/** True for a tag that the text offers for one of several cases. */
export function isOffered(body: PositionedText, mention: Mention): boolean {
  const offset = offsetOf(body, mention);
  if (offset === undefined || IS_FREE.test(body.text) || isInSpokenRow(body, offset)) return false;
  const sentence = requestBefore(body, offset);
  if (mention.fenced && !sentence.endsWith(':')) return false;
  if (IS_FORBIDDEN.test(sentence) || IS_SPOKEN_OF.test(sentence)) return false;
  return (
    mention.tag !== 'result' || REQUEST.test(sentence) || /\b(?:say|write|give|use)\b|[→|:=>–—-]\s*`?$/i.test(sentence)
  );
}

/** The sentence before a tag; one that ends with a colon may stand above a blank line or the beginning of a fence. */
function requestBefore(body: PositionedText, offset: number): string {
  const before = body.text.slice(Math.max(0, offset - 240), offset);
  const gap = BELOW_COLON.exec(before)?.[0].length ?? 0;
  const sentence = sentenceBefore(body, gap === 0 ? offset : offset - gap + 1);
  return sentence.replace(NO_DECORATION, (text) => (/(?:no|not|without)\s*$/i.test(text) ? text : ''));
}

/** "Keep {{name}} as it is": the braces of another program, which the prompt only speaks of. */
export function isShownAsIs({ text }: PositionedText, offset: number): boolean {
  const from = Math.max(text.lastIndexOf('. ', offset), text.lastIndexOf('\n\n', offset)) + 1;
  const end = text.slice(offset).search(/[.;]\s|\n\n|$(?![^])/);
  return /\b(?:examples?|placeholders?|templates?|as (?:it|they) (?:is|are|stands?)|do not (?:touch|replace|fill|change)|verbatim|literal(?:ly)?)\b/i.test(
    text.slice(from, offset + end),
  );
}
