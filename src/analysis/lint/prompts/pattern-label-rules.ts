// Compares the patterns of `evaluate` with the labels for which the text of the prompt asks: patterns that match a label with each value, and
// patterns that miss the label by its spelling, its place in the reply or its values.
import { implicitTag } from '../../../protocol/language/policy.js';
import { promptsOf, type PromptState } from '../helpers.js';
import { negationIn, patternsOf, type UsablePattern } from './pattern-rules.js';
import { labelsIn, type ReplyLabel } from './reply-labels.js';
import { COUNTS } from './reply-lines.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** Patterns that match each reply, or none, because of the labels in it. */
export function* patternsOfLabels(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const patterns = patternsOf(state);
    if (patterns.length === 0) continue;
    const labels = labelsIn(state.source.prompt.body.text);
    for (const [index, pattern] of patterns.entries()) {
      const earlier = patterns.slice(0, index);
      const found = labelOfEveryReply(pattern, { labels, earlier }) ?? missedLabel(pattern, { labels, state });
      if (found !== undefined) yield { at: pattern.at, state: state.file, ...found };
    }
  }
}

type Found = Pick<FindingDetails, 'message' | 'fix'>;

/** A label that each reply has, and that the pattern matches with all its values. */
function labelOfEveryReply(
  { match, matches }: UsablePattern,
  { labels, earlier }: { readonly labels: readonly ReplyLabel[]; readonly earlier: readonly UsablePattern[] },
): Found | undefined {
  const label = labels.find(({ isAlways, samples }) => isAlways && samples.every((one) => matches(inReply(one))));
  // pattern-of-opposite reports an answer and its negation.
  if (label === undefined || negationIn(label.samples, matches) !== undefined) return undefined;
  // The last pattern may be for all that the patterns above it leave.
  if (earlier.some((one) => label.samples.some((text) => one.matches(inReply(text))))) return undefined;
  return {
    message: `the pattern ${match} matches "${label.text}", which the text wants in every reply, with each of its values`,
    fix: 'write a pattern that only one of the cases matches',
  };
}

function inReply(text: string): string {
  return `A sentence.\n${text}\n<end/>`;
}

/** A label that the pattern is meant to match, but does not. */
function missedLabel(
  { match, matches }: UsablePattern,
  { labels, state }: { readonly labels: readonly ReplyLabel[]; readonly state: PromptState },
): Found | undefined {
  const { text } = state.source.prompt.body;
  const words = wordsOfPattern(match);
  // A pattern with a tag or a code fence looks for something else.
  if (words.length === 0 || labels.length === 0 || /[<`{]/.test(match)) return undefined;
  const replies = labels.flatMap((label) => label.samples.flatMap((one) => repliesWith(one, { label, state })));
  if (replies.some(matches) || matchesPart(text, { match, matches })) return undefined;
  // The numbers of an example stand for others.
  if (COUNTS.some((count) => matches(text.replace(/\d+/g, count)))) return undefined;
  const near = labels.find(({ samples, text: own }) =>
    words.some((some) => [...samples, own].some((one) => contains(plainWords(one), some))),
  );
  if (near !== undefined)
    return {
      message: `the pattern ${match} does not match "${near.text}", as the text asks for it`,
      fix: 'write the pattern with the same letters, signs and place in the reply',
    };
  const closed = labels.find(
    ({ isClosed, label }) => isClosed && words.every((some) => startsWithEnd(some, plainWords(label))),
  );
  if (closed === undefined || !mayBeValue(match, closed)) return undefined;
  return {
    message: `the pattern ${match} matches none of the values that the text offers for ${closed.label}: ${valuesOf(closed)}`,
    fix: 'write one of these values in the pattern',
  };
}

/** True for a pattern with a value behind the label: with a number where the text offers numbers. */
function mayBeValue(match: string, { samples }: ReplyLabel): boolean {
  return /[:=]/.test(match) && (!samples.every((one) => /\d/.test(one)) || /\d/.test(match));
}

function valuesOf({ samples, label }: ReplyLabel): string {
  const values = samples.map((one) => one.slice(label.length).replace(/^\W*[:=]\W*/, ''));
  return `${values.slice(0, 6).join(', ')}${values.length > 6 ? ', …' : ''}`;
}

/** Replies with a text at its beginning, in the middle and at its end. */
function repliesWith(
  text: string,
  { label, state }: { readonly label: ReplyLabel; readonly state: PromptState },
): readonly string[] {
  const { policy, body } = state.source.prompt;
  const isTagNeeded = policy !== undefined && implicitTag(policy, {}) === undefined;
  const isTagLast = isTagNeeded && endsWithTag(body.text);
  // A name without a value may stand before one: "the words NOT FOUND, a colon and the reason".
  const texts = label.label === label.text ? [text, `${text}: x`, `${text} x`] : [text];
  const heads = label.isLate ? ['A sentence.\n'] : ['', 'A sentence.\n'];
  const tails = isTagLast ? ['\n<end/>', ' A sentence.\n<end/>', '. <end/>'] : ['', '.', '\n<end/>', '. A sentence.'];
  return texts.flatMap((one) => heads.flatMap((head) => tails.map((tail) => head + one + tail)));
}

/** True for a prompt that wants the tag at the end of the reply. */
function endsWithTag(text: string): boolean {
  return /\b(?:end|finish|close|conclude)s?\b[^.<]{0,60}<[a-z]|\blast\s+line\b[^.<]{0,60}<[a-z]/i.test(text);
}

/** True for a text that shows what the pattern matches. */
function matchesPart(text: string, { matches }: Pick<UsablePattern, 'match' | 'matches'>): boolean {
  return matches(text) || text.split('\n').some((line) => matches(line.trim()));
}

/** The words of each alternative of a pattern; none for a pattern that is not simple. */
function wordsOfPattern(pattern: string): readonly (readonly string[])[] {
  const inner = pattern.replace(/^\(\?[a-z]+\)/, '').replace(/\\(?:[bsSdDwWAzZ]|[^\w\s])/g, ' ');
  const [, head = '', group, tail = ''] = /^([^()]*)(?:\((?:\?:)?([^()]*)\)[?*+]?([^()]*))?$/.exec(inner) ?? [];
  if (head === '' && group === undefined) return [];
  const whole = group === undefined ? head.split('|') : group.split('|').map((one) => `${head}${one}${tail}`);
  const words = whole.map((one) =>
    plainWords(one.replace(/\[\^?[^\]]*\](?:\{[\d,]*\})?/g, ' ').replace(/\{[\d,]*\}/g, ' ')),
  );
  return words.some((some) => some.join('').length < 3) ? [] : words;
}

function plainWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
}

function contains(words: readonly string[], part: readonly string[]): boolean {
  return part.length > 0 && words.some((_, index) => part.every((word, at) => words[index + at] === word));
}

/** True if the words start with the last words of a label, and continue: `vote: against` for the label `my vote`. */
function startsWithEnd(words: readonly string[], label: readonly string[]): boolean {
  return label.some((_, from) => {
    const start = label.slice(from);
    return words.length >= start.length && start.every((word, at) => words[at] === word);
  });
}
