// The lines and headings that the text of a prompt wants in every reply: those that it quotes, and those of a form that it
// shows; and the marks, such as boxes, of which each line has one. Pure.
import { withoutLongLines } from '../helpers.js';
import { isConditional, isLimited, REPLY, withQuotes } from './reply-words.js';

/** A text that every reply has: as the prompt writes it, and as replies may write it. */
export interface ReplyLine {
  readonly text: string;
  readonly samples: readonly string[];
}

/** The texts that every reply to a prompt has. */
export function linesOfEveryReply(body: string): readonly ReplyLine[] {
  const text = withoutLongLines(body).replace(/<!--[^]*?-->/g, ' ');
  const paragraphs = text.split(/\n[ \t]*\n/);
  const quoted = paragraphs.flatMap((paragraph, index) =>
    isShownForm(paragraph) ? [] : quotedIn(paragraph, paragraphs[index - 1] ?? ''),
  );
  const lines = [...quoted, ...formsIn(text)].map(({ label, rest }) => ({
    text: rest === '' ? label : `${label}: ${rest}`.slice(0, 80),
    samples: rest === '' ? [label] : valuesLike(rest).map((value) => `${label}: ${value}`),
  }));
  return [...lines, ...countLinesIn(text)];
}

/** Numbers that replies write in the place of those of an example. */
export const COUNTS: readonly string[] = ['0', '1', '3', '12', '90'];

/** Lines of numbers that a paragraph shows alone, as in "Begin with one line of this form:" and "Passed: 120, failed: 0". */
function countLinesIn(text: string): readonly ReplyLine[] {
  const paragraphs = text.split(/\n[ \t]*\n/);
  return paragraphs.flatMap((paragraph, index) => {
    const line = paragraph.replace(/^(?:```|~~~)\w*\n|\n(?:```|~~~)\s*$/g, '').trim();
    const lead = (paragraphs[index - 1] ?? '').trim();
    const sentence = lead.split(/[.!?]\s+(?=[A-Z])/).at(-1) ?? '';
    const isWanted =
      /\b(?:line|form|format)\b[^.!?]*:$/i.test(sentence) && REPLY.test(sentence) && !FILE.test(sentence);
    if (!isWanted || line.includes('\n') || !/\d/.test(line) || /<[a-z]/.test(line)) return [];
    if (isConditional(sentence.replace(/\b(?:like|as in|such as) this\b/i, ' '))) return [];
    return [{ text: line.slice(0, 80), samples: COUNTS.map((count) => line.replace(/\d+/g, count)) }];
  });
}

interface Line {
  readonly label: string;
  /** What follows after a colon: a description, or an example. */
  readonly rest: string;
}

function lineOf(text: string): Line {
  const [, label = text, rest = ''] = /^\s*(?:\*\*)?([^:\n]{1,60}?)(?:\*\*)?:(?:\*\*)?\s*(.*)$/.exec(text) ?? [];
  return { label: label.trim(), rest: text.includes(':') && rest.trim() === '' ? '…' : rest.trim() };
}

/** Values that replies write in the place of a description. */
function valuesLike(rest: string): readonly string[] {
  if (/^[<[({]?(?:N|n|number|count|X|\d+)\b|\b(?:number|count|how many|percent|minutes|points)\b|%/.test(rest))
    return ['0', '1', '3', '7', '12', '90'];
  if (/^\W*(?:yes\b.{0,12}\bno|no\b.{0,12}\byes)\b/i.test(rest)) return ['yes', 'no'];
  return ['none', 'None', 'no', 'yes', '0', '3', '-', 'nothing', 'low', 'some words'];
}

const PLACE =
  /\b(?:lines?|sections?|headings?|headlines?|paragraphs?|parts|blocks?|sentence|form|format|template|end|ends|close|closes|finish\w*|begin\w*|starts?|conclude|contains?|mention|state|write|give)\b/i;
const FILE = /(?:^|[\s`"'/])[\w-]+\.[a-z]{2,4}\b|task_folder|\bthe (?:file|page|document)\b/i;
const IN_REPLY =
  /\b(?:in|of|to|from)\s+(?:your|the|each|every|all|any)\s+(?:reply|replies|answers?|response)\b|\b(?:reply|answer|response)\s+(?:has|have|begins?|ends?|starts?|consists?|contains?|must|should|is)\b|\b(?:reply|answer|respond)\s+(?:in|with)\b/i;
/** Quoted texts in sentences about the reply. */
function quotedIn(paragraph: string, above: string): readonly Line[] {
  const plain = withQuotes(
    paragraph.replace(/\s*\n\s*/g, ' ').replace(/\((?:or|for|only|if|write 0|put)\b[^()]*\)/gi, ' '),
  );
  const sentences = plain.split(/(?<=[.!?]["”`')]*)\s+(?=[A-Z"“`])/);
  return sentences.flatMap((sentence, index) => {
    const earlier = `${above.includes(':') ? above : ''} ${sentences.slice(0, index).join(' ')}`;
    const isAbout = REPLY.test(sentence) || (REPLY.test(earlier) && !FILE.test(sentence.replace(QUOTED, ' ')));
    if (!isAbout || !PLACE.test(sentence)) return [];
    return FILE.test(sentence.replace(QUOTED, ' ')) && !IN_REPLY.test(sentence) ? [] : [...itemsOf(sentence)];
  });
}

const QUOTED = /"([^"\n]{2,80})"|“([^”\n]{2,80})”|`([^`\n]{2,80})`/g;

function* itemsOf(sentence: string): Generator<Line> {
  const quotes = [...sentence.matchAll(QUOTED)];
  let end = 0;
  for (const [index, match] of quotes.entries()) {
    const [whole, double, curly, code] = match;
    const text = (double ?? curly ?? code ?? '').trim();
    const before = sentence.slice(end, match.index);
    end = match.index + whole.length;
    const next = quotes[index + 1];
    const after = sentence.slice(end, next?.index ?? sentence.length);
    if (index === 0 && (isConditional(before) || /<[a-z]/.test(before))) return;
    if (isConditional(index === 0 ? '' : before) || /\bor\b/i.test(before)) continue;
    if (/\bor\b/i.test(after) && next !== undefined && !isNone(next[1] ?? next[2] ?? next[3] ?? '')) continue;
    if (isLimited(after) || isNone(text) || /[<{]|^[\w./-]+\.\w{1,4}$/.test(text)) continue;
    if (/\b(?:words?|text|tags?|file|folder|written?|writes?)\s*$/i.test(before) && index > 0) continue;
    yield lineOf(text.replace(/[.!]$/, ''));
  }
}

function isNone(text: string): boolean {
  return /^(?:none|nothing|no|yes|0|n\/a|-|—|ok|unknown|empty)$/i.test(text.trim());
}

function isShownForm(paragraph: string): boolean {
  return /^(?: {4}|\t|```|~~~)/.test(paragraph);
}

/** A sentence that leads to a form, and the lines of the form. */
const FORM =
  /(?:^|\n)([^\n]{0,300}(?:\n[^\n]{1,300}){0,3}?):[ \t]*\n(?:[ \t]*\n)?((?:[ \t]*(?:```|~~~)\w*[ \t]*\n)?(?:[ \t]*\S[^\n]*(?:\n|$)){1,16}(?:\n#[^\n]*\n(?:[^\n]+\n){0,6}){0,8})/g;
const ALL_LINES =
  /\b(?:this|these|the following|same)\s+(?:form|format|template|block|order|structure|lines|headings|sections|parts)\b|\b(?:two|three|four|five|six)\s+(?:\w+\s+)?(?:lines|parts|sections|paragraphs|headings)\b|\b(?:each|every|all)\b|\btemplate\b/i;

function* formsIn(text: string): Generator<Line> {
  for (const [, lead = '', block = ''] of text.matchAll(FORM)) {
    const words = lead.split(/\n[ \t]*\n/).at(-1) ?? '';
    const last =
      words
        .replace(/\([^()]*\)/g, ' ')
        .split(/[.!?]\s/)
        .at(-1) ?? '';
    if (!(REPLY.test(words) || REPLY.test(paragraphAbove(text, words))) || !ALL_LINES.test(words)) continue;
    if (isConditional(last) || /\bor\b/i.test(last) || (FILE.test(words) && !IN_REPLY.test(words))) continue;
    for (const line of block.split('\n')) {
      const [, label = '', rest = ''] =
        /^\s*(?:[-*]\s+|\d+[.)]\s+)?(?:\*\*)?([A-Z][^:\n<"`]{1,40}?)(?:\*\*)?:(?:\*\*)?[ \t]*(.*)$/.exec(line) ?? [];
      const [, heading = ''] = /^\s*(#+\s+.{2,60}?)\s*$/.exec(line) ?? [];
      if (heading !== '') yield { label: heading, rest: '' };
      if (label !== '' && !/\b(?:only|when|optional|omit|leave)\b|\bif\b(?!\s+(?:any|there\s+are\s+none))/i.test(rest))
        yield { label, rest: rest === '' ? '…' : rest };
    }
  }
}

/** The paragraph that stands before a lead. */
function paragraphAbove(text: string, lead: string): string {
  const at = text.indexOf(lead);
  return (
    text
      .slice(Math.max(0, at - 400), Math.max(0, at))
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? ''
  );
}

/** A mark in quotes, or a box without them. */
const MARK = /`([^`\n]{1,60})`|"([^"\n]{1,60})"|“([^”\n]{1,60})”|(\[[ \w✓✔]\])/g;

const CASE = /^[\s,]*(?:[\w`{}./-]+\s+){0,5}?(?:if|when|where|for|before)\b/i;
const REST = /\b(?:not|otherwise|others?|rest|else|cannot|can't|doesn't|isn't|don't|aren't)\b/i;

/** Pairs of forms that leave no other: "Begin each line with `[x]` if it is done, and with `[ ]` if not." */
export function formsOfEachLine(body: string): readonly (readonly string[])[] {
  const text = withoutLongLines(body).replace(/(?<!\n)\n(?![\n]|[ \t]*[-*][ \t])/g, ' ');
  return text.split(/(?<=[.!?])["”`]?\s+(?=[A-Z])|\n\s*/).flatMap((sentence) => {
    const [one, other, ...more] = [...sentence.matchAll(MARK)];
    if (one === undefined || other === undefined || more.length > 0) return [];
    const [between, after] = [
      sentence.slice(one.index + one[0].length, other.index),
      sentence.slice(other.index + other[0].length),
    ];
    const isPair = CASE.test(between) && REST.test(`${between.split(',').at(-1) ?? ''} ${after}`);
    if (!isPair || !/\b(?:each|every)\b/i.test(sentence) || !/\b(?:and|otherwise|or)\b/.test(between)) return [];
    const forms = [one, other].map(([, ...groups]) => sampleOf(groups.join('')));
    return forms.some((form) => /<[a-z]|^[\w./-]+\.\w{1,4}$/.test(form)) ? [] : [forms];
  });
}

/** A form as a reply fills it. */
function sampleOf(form: string): string {
  const plain = form.trim();
  return /\w$/.test(plain) ? plain : `${plain} …`;
}
