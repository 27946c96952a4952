// Two tags that the text of a prompt wants in one reply: each of them is asked for, neither under a condition, and words or the form of the
// text join them. Pure.
import type { Mention } from '../../mention.js';
import { otherFormatIn, type PromptState, withoutLongLines } from '../helpers.js';
import { offsetOf } from './prompt-text.js';

/** A tag with the words around it. */
interface AskedTag {
  readonly mention: Mention;
  /** The words of its sentence before it; of a tag that stands alone, the sentence above it. */
  readonly before: string;
  /** The rest of its sentence. */
  readonly after: string;
  /** Its paragraph up to the tag, with the paragraph above a tag that stands alone, and the heading. */
  readonly context: string;
  /** What stands between it and the tag before. */
  readonly gap: string;
  /** The text below it. */
  readonly below: string;
}

/** The first of two tags that the text wants in one reply. */
export function firstOfTwoTags(state: PromptState): Mention | undefined {
  const { entries } = state.source.prompt;
  // A tag that the policy does not allow is an example, or policy-contradicts-text reports it.
  const tags = askedTags(state).filter(
    ({ mention }) => entries.length === 0 || entries.some(({ tag }) => tag === mention.tag),
  );
  const index = tags.findIndex((tag, at) => {
    const next = tags[at + 1];
    return next !== undefined && isOther(tag.mention, next.mention) && (areJoined(tag, next) || mayFollow(tag, next));
  });
  return tags[index]?.mention;
}

function isOther(one: Mention, other: Mention): boolean {
  return one.tag !== other.tag && !one.tag.startsWith('fork') && !other.tag.startsWith('fork');
}

function askedTags({ mentions, source }: PromptState): readonly AskedTag[] {
  const { body } = source.prompt;
  const text = withoutLongLines(body.text);
  const isOtherFormat = otherFormatIn(body.text);
  const found = mentions.flatMap((mention) => {
    const offset = mention.source === 'text' ? offsetOf(body, mention) : undefined;
    const at = offset === undefined || isOtherFormat(offset) ? undefined : offset;
    const length = at === undefined ? undefined : ELEMENT.exec(text.slice(at, at + 2000))?.[0].length;
    return at === undefined || length === undefined ? [] : [{ mention, from: at, to: at + length }];
  });
  return found.map(({ mention, from, to }, index) => {
    const previous = found[index - 1]?.to ?? 0;
    const gap = text.slice(previous, from);
    return {
      mention,
      gap,
      below: text.slice(to, to + 160),
      before: sentenceAbove(text.slice(Math.max(0, from - 400), from), from - previous),
      after: text.slice(to, found[index + 1]?.from ?? to + 160).split(SENTENCE_END)[0] ?? '',
      context: contextOf(text.slice(Math.max(0, from - 1500), from)),
    };
  });
}

const ELEMENT = /^<([a-z][\w-]*)\b[^<>]*>(?:[^<]*<\/\1>)?/;
const SENTENCE_END = /[.!?;](?:["”')`]*\s|$)|\n[ \t]*\n|\n[ \t]*(?:[-*+]|\d+[.)])[ \t]/;

/** The sentence before an offset; a sentence in an earlier paragraph if it leads to a tag that stands alone. */
function sentenceAbove(before: string, own: number): string {
  const near = before.slice(Math.max(0, before.length - own));
  const sentence = near.split(SENTENCE_END).at(-1) ?? '';
  if (/[a-z]/i.test(sentence)) return sentence;
  return (
    before
      .trimEnd()
      .replace(/[.:;,\s`~]+$/, '')
      .split(SENTENCE_END)
      .at(-1) ?? ''
  );
}

function contextOf(before: string): string {
  const paragraphs = before.split(/\n[ \t]*\n/);
  const own = paragraphs.at(-1) ?? '';
  const isAlone = !/[a-z]/i.test(withoutElements(own)) || /^\s*(?:[-*+]|\d+[.)])[ \t]/.test(own);
  const above = isAlone ? (paragraphs.at(-2) ?? '') : '';
  const heading = /^#+[ \t].*$/gm;
  return `${before.match(heading)?.at(-1) ?? ''}\n${above}\n${own}`;
}

/** Words that make a tag one of several. */
const CONDITION =
  /\b(?:if|when(?:ever)?|unless|otherwise|else|or|either|until|once|as soon as|in case|instead|only|one of|choose|chosen|choice|depending|alternatively|rather|not|never|without|no|example|e\.g\.|such as|means?|where\s+(?:there|no|nothing|you|it)|for (?:a|an|each|every)|(?:un)?less)\b|n't\b|\?|→|=>|\|/i;

/** Conditions that always come true, and questions that are no conditions. */
const HARMLESS =
  /\b(?:when|once|after|as soon as)\s+(?:you\s+(?:have|are)\s+|all\s+|this\s+is\s+|that\s+is\s+|everything\s+is\s+|it\s+is\s+|(?:the|all)\s+(?:\w+\s+){1,2}(?:is|are)\s+)?(?:done|finished|ready|written|saved|complete)(?:\s+(?:that|this|so|it|all))?\b|\b(?:ask\w*|check|say|see|tell|know|judge)\b(?:\s+\w+){0,3}\s+(?:if|whether)\b|\bin (?:one|a few|\w+) or \w+ (?:words|sentences)\b/gi;

const ABOUT_CASES =
  /\b(?:if|when(?:ever)?|unless|otherwise|else|in case|as soon as|either|one of|choose|depending|whichever|alternatively|(?:these|the) (?:ends|ways|cases|options|possibilities))\b|\?/i;

function isUnconditional({ before, after, context }: AskedTag): boolean {
  const plain = (text: string): string => withoutElements(text).replace(HARMLESS, ' ');
  return (
    !CONDITION.test(plain(before)) &&
    !/\b(?:if|when|unless|or|otherwise|only|until)\b/i.test(plain(after)) &&
    !ABOUT_CASES.test(plain(context))
  );
}

function withoutElements(text: string): string {
  return text.replace(/<([a-z][\w-]*)\b[^<>]*>(?:[^<]*<\/\1>)?/g, ' ');
}

/** Verbs and nouns by which a text asks for a part of the reply. */
const DEMAND =
  /\b(?:end|ends|ending|finish|close|conclude|reply|replies|answer|respond|return|give|report|put|write|tell|let|hand|pass|go on|move on|proceed|continue|ask|send|add|contains?|includes?|has|have|begin|state|output|emit|submit|step|results?|deliver|show)\b/i;

/** Words that add something to what came before. */
const ADDS =
  /^[\s\W]*(?:and|then|also|after(?:wards| that| this)|finally|next|in addition|additionally|besides|plus|followed by|second(?:ly)?|the (?:second|other)|before (?:that|this)|as well|last(?:ly)?|at the same time|together with|along with|in the same (?:reply|message|answer))\b|\b(?:and|also|as well|both|too|adding|followed\b[^<.]{0,30}\bby|then|besides|together with|along with|in addition to)\b/i;

const SAME_REPLY = /\b(?:both|two|these|the following|this (?:form|block)|in the same reply)\b/i;

function areJoined(one: AskedTag, other: AskedTag): boolean {
  if (!isUnconditional(one) || !isUnconditional(other)) return false;
  const isDemanded = ({ before, after, context }: AskedTag): boolean => DEMAND.test(`${before} ${after} ${context}`);
  if (!isDemanded(one) || !isDemanded(other)) return false;
  if (/^[\s`>*\d.)-]*$/.test(other.gap)) return SAME_REPLY.test(one.before) || /\breply|answer\b/i.test(one.before);
  const words = withoutElements(other.before);
  const beginning = withoutElements(one.before).trim().slice(0, 20);
  if (ADDS.test(words) || ADDS.test(beginning) || new RegExp(HARMLESS.source, 'i').test(words)) return true;
  if (/\b(?:both|two)\s+tags\b/i.test(one.below + other.below) || /\btwo\s+things\b/i.test(one.context)) return true;
  return [one, other].every(({ gap }) => /\n[ \t]*\d+[.)][ \t][^\n]*$/.test(`\n${gap}`));
}

/** Says that a tag stands first in every reply. */
const AT_FIRST =
  /^[\s\W]*(?:1[.)]\s+)?(?:first(?:ly)?|at first|begin|start|to begin with)\b|^[\s\W]*1[.)]\s|\bat first\b/i;

const AFTERWARDS =
  /^[\s\W]*(?:2[.)]\s+)?(?:then|after (?:that|this)|afterwards|finally|next|second(?:ly)?|in addition|below (?:it|that))\b/i;

const ALSO = /\b(?:also|add|in addition|additionally|as well|followed by)\b/i;

/** A tag that every reply has, and another one that is added in some cases: "First report … Then, if it is good, …". */
function mayFollow(one: AskedTag, other: AskedTag): boolean {
  const [own = ''] = withoutElements(one.after).split(/[,;]?\s+and\s+(?:then\b|if\b|when\b)/);
  const item = /\n[ \t]*(1[.)][ \t])[^\n]*$/.exec(`\n${one.gap}`)?.[1] ?? '';
  const before = withoutElements(one.before);
  const isFirst = AT_FIRST.test(item + before.trim()) || AT_FIRST.test(own);
  const words = withoutElements(other.before).trim();
  const follows = isFirst ? AFTERWARDS.test(words) || ALSO.test(words) : ALSO.test(words) && /\bif\b/i.test(words);
  if (!follows || /\b(?:instead|rather|otherwise|else|not|never|alternatively|or|either|example)\b/i.test(words))
    return false;
  if (!isUnconditional({ ...one, after: own }) || !DEMAND.test(before)) return false;
  return DEMAND.test(words) && !/\binstead\b/i.test(withoutElements(other.after));
}

/** The tag; one of several forks without a `next` shares that of another, or the target of a <goto>; a <goto> beside forks is their `next`. */
export function withSharedNext(mention: Mention, others: readonly Mention[]): readonly Mention[] {
  const withNext = (fork: Mention, { body, at }: Mention): readonly Mention[] =>
    body === undefined
      ? []
      : [{ ...fork, attributes: new Map([...fork.attributes, ['next', { ...body, valueAt: at }]]) }];
  const forks = others.filter(({ tag }) => tag.startsWith('fork'));
  if (mention.tag === 'goto') return [mention, ...forks.flatMap((fork) => withNext(fork, mention))];
  if (!mention.tag.startsWith('fork') || mention.attributes.has('next')) return [mention];
  const shared = forks.flatMap(({ attributes }) => attributes.get('next') ?? []);
  return [
    mention,
    ...others.filter(({ tag }) => tag === 'goto').flatMap((one) => withNext(mention, one)),
    ...shared.map((next) => ({ ...mention, attributes: new Map([...mention.attributes, ['next', next]]) })),
  ];
}
