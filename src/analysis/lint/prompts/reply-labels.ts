// The labels and headings that the text of a prompt wants in replies, such as `ERRORS: 0`: in the sentences, and in the forms that the text
// shows. Pure.
import { withoutLongLines } from '../helpers.js';
import { formLinesIn } from './reply-forms.js';
import { isConditional, isLimited, mayOmit, REPLY, withQuotes, writesFile, type WrittenLabel } from './reply-words.js';
import { closedValues, isAlternative, numbersLike, valuesLike } from './reply-values.js';

/** A text for which a prompt asks. */
export interface ReplyLabel {
  /** As the prompt writes it. */
  readonly text: string;
  /** What stands before the value; the whole text if it has none. */
  readonly label: string;
  /** As replies may write it. */
  readonly samples: readonly string[];
  /** True if every reply has one of the samples. */
  readonly isAlways: boolean;
  /** True if replies have no other value than those of the samples. */
  readonly isClosed: boolean;
  /** True if other text stands before it in the reply. */
  readonly isLate: boolean;
}

/** All labels for which a prompt asks. */
export function labelsIn(body: string): readonly ReplyLabel[] {
  const text = withoutLongLines(body).replace(/<!--[^]*?-->/g, ' ');
  const { prose, forms } = formLinesIn(text);
  const isPartial = mayOmit(text);
  const shown = forms.flatMap(({ lines, isAlways, isChoice }) => {
    const groups = isChoice ? [lines] : groupsOf(lines);
    return groups.map((group) => labelOf(group, { isAlways: isAlways && !isPartial, context: lines[0]?.above ?? '' }));
  });
  const inProse = prose.flatMap(({ text: paragraph, above }) =>
    groupsOf(labelsInSentences(paragraph, above)).map((group) =>
      labelOf(group, { isAlways: !isPartial && isInEveryReply(group), context: paragraph }),
    ),
  );
  // No more than a person writes.
  return [...shown, ...inProse].slice(0, 200);
}

/** Labels with the same name belong together: `RISK: low` and `RISK: high`. */
function groupsOf(labels: readonly WrittenLabel[]): readonly (readonly WrittenLabel[])[] {
  const byName = new Map<string, WrittenLabel[]>();
  for (const one of labels) {
    const key = one.rest === '' ? `${one.label}\n` : one.label;
    byName.set(key, [...(byName.get(key) ?? []), one]);
  }
  return [...byName.values()];
}

function labelOf(
  group: readonly WrittenLabel[],
  { isAlways, context }: { readonly isAlways: boolean; readonly context: string },
): ReplyLabel {
  const [first] = group;
  const { text = '', label = '', mark = '', rest = '', before = '', after = '' } = first ?? {};
  const isLate = /\b(?:last|after|below|end|ends|finally|then|finish|close)\b/i.test(before);
  const common = { text, label, isAlways, isLate };
  if (group.length > 1) {
    const values = group.map((one) => one.text);
    const isNumber = group.every((one) => /^\d+\b/.test(one.rest));
    const samples = isNumber && isAlternative(group) ? valuesLike('0').map((one) => `${label}${mark}${one}`) : values;
    return { ...common, samples: [...new Set([...values, ...samples])], isClosed: !isNumber && isAlternative(group) };
  }
  if (first?.variants !== undefined) return { ...common, samples: first.variants, isClosed: false };
  if (rest === '')
    return { ...common, samples: ['0', '3', '12'].map((number) => text.replace(/\d+/g, number)), isClosed: false };
  const closed = closedValues(rest, `${after} ${context}`) ?? numbersLike(rest);
  const written = /^[\w"']/.test(rest) && !/^[A-Z]\b/.test(rest) ? [rest] : [];
  const values = closed ?? [...written, ...valuesLike(rest)];
  return { ...common, samples: values.map((value) => `${label}${mark}${value}`), isClosed: closed !== undefined };
}

/** True for labels that a paragraph wants in every reply: one without a condition, or one value in each of all cases. */
function isInEveryReply(group: readonly WrittenLabel[]): boolean {
  const [first, second] = group;
  if (first === undefined) return false;
  const { before, after, above, rest, text } = first;
  const sentence = `${before} ${after}`;
  if (!WRITES.test(before) && !WRITES.test(above)) return false;
  if (!REPLY.test(sentence) && (writesFile(sentence) || (writesFile(above) && !REPLY.test(above)))) return false;
  if (/<[a-z]/.test(before)) return false;
  if (second !== undefined) return isAlternative(group) && (!isConditional(before) || isOtherwise(group));
  // Without a value, a word is often one of several, and a reply has only one.
  if (rest === '') return isPart(group) || isSentence(first);
  const isExample = /\b(?:line|form|heading|count\w*|number|label|field|sentence|way|format)\b/i.test(before);
  const words = isExample ? before.replace(EXAMPLE, ' ') : before;
  return !isConditional(words) && !isLimited(after) && !isSecondOfOr(before, text);
}

const WRITES =
  /\b(?:writ\w*|put|add|print|give|state|say|report|begin\w*|starts?|ends?|finish|close|reply|answer|contains?|consists?|must|should|has|have|line|note|mark|rate|conclude|includ\w*|show|fill|lead|open|sum|record|name|list)\b/i;
const FORBIDS = /\b(?:do\s+not|never|avoid|without|must\s+not|no)\b[^,;]{0,60}$|n't\b[^,;]{0,60}$/i;
const LEFT_OUT = /\b(?:never|not)\s+(?:be\s+)?(?:left\s+out|missing|omitted|skipped)\b/gi;
const EXAMPLE = /\b(?:for\s+example|such\s+as|e\.g\.|like(?:\s+this)?|for\s+instance)\b/gi;

function isOtherwise(group: readonly WrittenLabel[]): boolean {
  return group.slice(1).some(({ before, above }) => /\b(?:otherwise|else|if\s+not|or)\b/i.test(`${above} ${before}`));
}

/** True for a sentence that stands in each reply: "Conclude with the sentence …". */
function isSentence({ before, after, text }: WrittenLabel): boolean {
  const isOfReply =
    /\b(?:conclude|begin|start|end|close|finish)\w*\s+with\s+(?:the|this)\s+(?:\w+\s+)?sentence\b/i.test(before);
  return isOfReply && /\w \w+ \w+/.test(text) && !isConditional(before) && !isLimited(after);
}

/** True for the name of a part of the reply: "The reply has three parts: **Grade**, **Strengths** and **Objections**". */
function isPart([first]: readonly WrittenLabel[]): boolean {
  if (first === undefined) return false;
  const { above, text } = first;
  const before = first.before.replace(/\([^()]*\)/g, ' ');
  const after = first.after.replace(/\([^()]*\)/g, ' ');
  const isOfReply =
    REPLY.test(before) ||
    REPLY.test(above) ||
    /\b(?:it|which)\s+(?:always\s+)?(?:has|consists|contains)\b/i.test(before);
  return (
    isOfReply &&
    PARTS.test(before.replace(EXAMPLE, ' ')) &&
    !/\b(?:or|for\s+example|such\s+as)\b/i.test(before + after.split(/[;.]/, 1).join('')) &&
    !isConditional(before) &&
    !isLimited(after) &&
    text.length > 2
  );
}

const PARTS = /\b(?:parts|sections?|headings?|paragraphs|columns?|keys?|fields?|rows|blocks|headlines?)\b/i;

/** True for `nothing, or X: …`. */
function isSecondOfOr(before: string, text: string): boolean {
  return /\bor\s*,?\s*["“`]?$/i.test(before) && text !== '';
}

const QUOTED =
  /\*\*([^*\n]{2,60})\*\*|"([^"\n]{2,80})"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|(?<![\w-])'([^'\n]{2,80})'(?!\w)/;
/** A name in capitals with its value: `RISK: low`; or only in capitals. */
const CAPITALS =
  /(?<![\w<{/."`])([A-Z][A-Z_]+(?:[ -][A-Z][A-Z]+){0,4})(?![\w>}/]|\.\w)(?:(\s?[:=]\s?)((?:(?!\bor\b|\band\b)[\w%/|<>-]+)(?:\s(?!or\b|and\b|followed\b|with\b|if\b|in\b|on\b|where\b|as\b)[a-z]+(?=[.,;]|\sor\b))?|followed\b)?)?/;
const LITERAL = new RegExp(`${QUOTED.source}|${CAPITALS.source}`, 'g');

/** The labels in the sentences of a paragraph. */
function labelsInSentences(paragraph: string, earlier: string): readonly WrittenLabel[] {
  const joined = withQuotes(paragraph.replace(/\s*\n\s*/g, ' '));
  const plain = joined.replace(/<([a-z]+)\b[^<>]*>[^<]*<\/\1>/g, (tag) => ' '.repeat(tag.length));
  const sentences = plain.split(/(?<=[.!?]["”`')]*)\s+(?=[A-Z"“`])/);
  return sentences.flatMap((sentence, index) => {
    const found = [...sentence.matchAll(LITERAL)].slice(0, 50);
    const above = `${earlier.slice(-400)} ${sentences.slice(Math.max(0, index - 4), index).join(' ')}`.trim();
    const next = (sentences[index + 1] ?? '').slice(0, 300);
    return found.flatMap((match, at) => {
      const end = match.index + match[0].length;
      const rest = sentence.slice(end, found[at + 1]?.index ?? sentence.length);
      const before = sentence.slice(Math.max(0, match.index - 400), match.index);
      const written = writtenLabel(match, `${rest} ${next}`);
      if (written === undefined || FORBIDS.test(before.replace(LEFT_OUT, ' '))) return [];
      if (written.isBare === true && (FORMATS.test(written.text) || !NAMES_WORD.test(before))) return [];
      return [{ ...written, before, after: rest, above, isShown: false }];
    });
  });
}

/** Capitals that are no word of the reply. */
const FORMATS = /^(?:JSON|HTML|YAML|HTTPS?|README|HEAD|UTF|ASCII|REST)$/;
const NAMES_WORD =
  /\b(?:writ\w*|add|put|say|says|with|words?|line|mark|print|answer|reply|note|either|or|marker|verdict)\s+(?:\w+\s+){0,3}[("']?$/i;

interface LabelText extends Pick<WrittenLabel, 'text' | 'label' | 'mark' | 'rest'> {
  /** True for a word in capitals that stands without quotes and without a value. */
  readonly isBare?: boolean;
}

function writtenLabel(match: RegExpExecArray, after: string): LabelText | undefined {
  const quoted = match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[5];
  if (quoted !== undefined) return quotedLabel(quoted.trim(), after);
  const [whole, , , , , , name = '', mark = '', rest = ''] = match;
  if (mark === '') return name.length < 4 ? undefined : { text: name, label: name, mark: '', rest: '', isBare: true };
  const isDescribed = rest === '' || rest === 'followed';
  const [, words = ''] = /^\s*(?:followed\s+by|and)\s+([^.;]{1,60})/.exec(isDescribed ? `${rest} ${after}` : '') ?? [];
  const value = isDescribed ? (words === '' ? '…' : words) : rest;
  return {
    text: isDescribed ? `${name}${mark.trimEnd()}` : whole.trim(),
    label: name,
    mark: spaced(mark),
    rest: value,
  };
}

/** A colon at the end of a line stands before a blank in the reply. */
function spaced(mark: string): string {
  return mark === ':' ? ': ' : mark;
}

function quotedLabel(text: string, after: string): LabelText | undefined {
  if (/[<{]|^[\w./-]+\.\w{1,4}$/.test(text) && !/^[^<{]{2,40}[:=]\s*<[^<>]*>$/.test(text)) return undefined;
  const [, label, mark = '', rest = ''] = /^([^:=\n]{1,60}?)(\**\s?[:=]\**\s?)(.*)$/.exec(text) ?? [];
  if (label === undefined) return { text, label: text, mark: '', rest: '' };
  const [, words = '…'] = /^\s*(?:and|with|followed\s+by)\s+([^.;]{1,60})/.exec(after) ?? [];
  return { text, label, mark: spaced(mark), rest: rest.trim() === '' ? words : rest.trim() };
}
