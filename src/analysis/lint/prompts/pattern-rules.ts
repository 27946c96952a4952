// Rules about the patterns of `evaluate` and the lines that the text of the prompt asks for, and about patterns that an earlier one hides.
import { linearSearch } from '../../../packages/linear-pattern.js';
import { implicitTag } from '../../../protocol/language/policy.js';
import { renderChange } from '../../../protocol/language/evaluate.js';
import type { Position, PositionedText } from '../../position.js';
import { promptsOf, withoutLongLines, type PromptState } from '../helpers.js';
import { formsOfEachLine, linesOfEveryReply } from './reply-lines.js';
import { mayOmit } from './reply-words.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** The line of an entry: those of a YAML package are counted in its file. */
export function lineAt(
  raw: PositionedText,
  { line, fallback }: { readonly line: number; readonly fallback: Position },
): Position {
  const at = raw.atLine(1);
  if (at.line === 1 && at.file === fallback.file) return raw.atLine(line, 3);
  return { ...fallback, line: Math.max(line, fallback.line) };
}

/** A pattern of a prompt, ready to use. */
export interface UsablePattern {
  readonly match: string;
  readonly instead: string;
  readonly at: Position;
  readonly matches: (text: string) => boolean;
}

/** The patterns of a prompt; no more than a person writes. */
export function patternsOf({ source }: PromptState): readonly UsablePattern[] {
  const key = source.prompt.keys.find(({ key }) => key === 'evaluate');
  return (source.prompt.policy?.evaluation?.patterns ?? []).slice(0, 20).map(({ match, instead, line }) => ({
    match,
    instead: renderChange(instead),
    at: key === undefined ? source.at : lineAt(source.raw, { line, fallback: key.at }),
    matches: linearSearch(match),
  }));
}

/** Patterns that match a line with which the text wants every reply to end. */
export function* patternsOfEveryReply(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const patterns = patternsOf(state);
    if (patterns.length === 0) continue;
    const { text } = state.source.prompt.body;
    const groups = [...linesAboveTag(state), ...alternatives(withoutLongLines(text)), ...formsOfEachLine(text)];
    const tags = tagsOf(withoutLongLines(text));
    const certain = mayOmit(text) ? [] : linesOfEveryReply(text);
    for (const { match, at, matches } of patterns) {
      // pattern-of-opposite reports an answer and its negation.
      const line = certain.find(({ samples }) => samples.every(matches));
      const group =
        line === undefined
          ? (groups.find((lines) => lines.every(matches) && negationIn(lines, matches) === undefined) ??
            (tags.length === 0 || isAboutTags(match) || !tags.every(matches) ? undefined : tags.slice(0, 1)))
          : [line.text];
      if (group === undefined) continue;
      yield {
        at,
        state: state.file,
        message:
          group.length === 1
            ? `the pattern ${match} matches "${group[0] ?? ''}", which the text wants in every reply`
            : `the pattern ${match} matches each of the lines that the text offers: ${group.map((line) => `"${line}"`).join(', ')}`,
        fix: 'write a pattern that only one of the cases matches',
      };
    }
  }
}

/** The tags that the text asks for, if every reply ends with one of them. */
function tagsOf(text: string): readonly string[] {
  return [...text.matchAll(/<(goto|reset|result|call|function|ask|await)\b[^<>\n]*>(?:[^<>\n]*<\/\1>)?/g)].map(
    ([tag]) => tag,
  );
}

/** True for a pattern that looks for a tag or the name of a state. */
function isAboutTags(match: string): boolean {
  return (
    /[<>]|\b(?:goto|reset|result|call|function|ask|await)\b|\b[A-Z][A-Z_]{2,}\b/.test(match) ||
    /^[^A-Za-z]*$/.test(match)
  );
}

/** Lines that stand in a reply just above the only tag of the text: "End with these two lines:". */
function linesAboveTag({ mentions, source }: PromptState): readonly (readonly string[])[] {
  const { text } = source.prompt.body;
  const [tag, ...others] = mentions.filter((one) => one.source === 'text');
  if (tag === undefined || others.length > 0 || source.prompt.entries.length !== 1) return [];
  const blocks = withoutLongLines(text).matchAll(
    /:[ \t]*\n\s*(?:```\w*\n)?((?:[ \t]*[^\s<][^\n]*\n){1,4})[ \t]*<([a-z-]+)\b[^\n]*>[ \t]*(?:\n|$)/g,
  );
  return [...blocks]
    .filter(([, , name]) => name === tag.tag)
    .map(([, lines = '']) => lines.split('\n').map((line) => line.trim()))
    .filter((lines) => lines.every((line) => !/[.!?]$|…|\.\.\.|^[-*]\s/.test(line)))
    .map((lines) => [lines.join('\n').trim()]);
}

const QUOTED = /"([^"\n]{2,80})"|“([^”\n]{2,80})”|`([^`\n]{2,80})`/g;
const WANTED =
  /\b(?:line|lines|end|ends|finish|close|begin|begins|start|starts|first|last|verdict|reply|answer|write|add|say|put)\b/i;
const CONDITION =
  /\b(?:if|when|unless|where|whenever|until|once|otherwise|else|in\s+case|for\s+example|such\s+as|e\.g\.|not|never|no|without|like|instead\s+of|only)\b|n't\b/i;

/** The quoted texts of which every reply has one: `a line "X"`, or `either "X" or "Y"`. */
function alternatives(text: string): readonly (readonly string[])[] {
  const plain = text.replace(/(?<!\n)\n(?!\n)/g, ' ');
  return plain.split(/(?<=[.!?:])["”`]?\s+(?=[A-Z\n])|\n\s*\n|\n\s*[-*]\s/).flatMap((sentence) => {
    const quotes = [...sentence.matchAll(QUOTED)];
    const [first] = quotes;
    if (first === undefined) return [];
    const before = sentence.slice(0, first.index);
    if (!WANTED.test(before) || CONDITION.test(before) || /<[a-z]/.test(before)) return [];
    const texts = quotes.map(([, double, curly, code]) => (double ?? curly ?? code ?? '').trim());
    if (texts.some((one) => one.includes('<') || /^[\w./-]+\.\w{1,4}$/.test(one))) return [];
    const between = sentence.slice(first.index + first[0].length);
    if (quotes.length === 1)
      return /\b(?:line|lines|form)\b/i.test(before) && !/\bor\b|\b(?:if|when|unless|where)\b/i.test(between)
        ? [texts]
        : [];
    return /\bor\b/i.test(between) && !/\band\b[^"]*"/i.test(between) ? [texts] : [];
  });
}

const NEGATION =
  /\b(?:not(?:\s+yet)?|no|never|cannot|isn't|un|dis|non)[\s-]*(?=\w)|\bin(?=(?:complete|correct|valid|sufficient)\b)/gi;

/** The negation of a text among them, if the pattern matches both. */
export function negationIn(texts: readonly string[], matches: (text: string) => boolean): string | undefined {
  const plain = new Map(texts.map((one) => [one.toLowerCase(), one]));
  return texts.find((one) => {
    const positive = plain.get(one.replace(NEGATION, '').toLowerCase());
    return positive !== undefined && positive !== one && matches(one) && matches(positive);
  });
}

/** A pattern in letters that also matches the tag with which a good reply ends, or that differs from the text only in case. */
export function* patternsOfTags(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const patterns = patternsOf(state);
    const text = withoutLongLines(state.source.prompt.body.text);
    for (const { match, at, matches, instead } of patterns) {
      const found =
        tagThatMatches(state, { match, matches, instead }) ??
        otherCase(text, match) ??
        fileInTag(text, match) ??
        wordAlone(state, match);
      if (found !== undefined) yield { at, state: state.file, ...found };
    }
  }
}

type Found = Pick<FindingDetails, 'message' | 'fix'>;

/** One of several tags of the policy that the pattern matches only because it ignores case; otherwise it may be meant. */
function tagThatMatches(
  { effectiveMentions }: PromptState,
  { match, matches, instead }: Pick<UsablePattern, 'match' | 'matches' | 'instead'>,
): Found | undefined {
  if (/[<>]|\bgoto\b|\breset\b|\bresult\b/.test(match)) return undefined;
  const names = new Set(
    effectiveMentions.flatMap(({ tag, body, source }) =>
      /^(?:goto|reset)$/.test(tag) && body !== undefined && source === 'policy' ? [body.value] : [],
    ),
  );
  const name = [...names].find(
    (one) => matches(one) && !match.includes(one) && !instead.includes(`>${one.replace(/\.\w+$/, '')}`),
  );
  if (name === undefined || names.size < 2) return undefined;
  return {
    message: `the pattern ${match} also matches the tag <goto>${name}</goto>, so no reply leads to ${name}`,
    fix: 'write a pattern that does not match the name of the state, for example with the case of the text',
  };
}

/** A word that the text asks for in other letters. */
function otherCase(text: string, match: string): Found | undefined {
  const [, word = ''] = /^(?:\\b|\^)?([A-Za-z][A-Za-z ]{2,30})(?:\\b|\$)?$/.exec(match) ?? [];
  if (word === '' || text.includes(word)) return undefined;
  const [written] = new RegExp(`\\b${word}\\b`, 'i').exec(text) ?? [];
  if (written === undefined || !(written === written.toUpperCase() || text.includes(`"${written}"`))) return undefined;
  return {
    message: `the pattern ${match} does not match "${written}", which the text asks for: case counts`,
    fix: `write (?i)${match}, or ${written}`,
  };
}

/** A pattern for a reply that consists of a word alone, or that ends with it, although a tag comes last. */
function wordAlone({ source }: PromptState, match: string): Found | undefined {
  const { policy, entries, body } = source.prompt;
  const isTagNeeded = entries.length > 0 && policy !== undefined && implicitTag(policy, {}) === undefined;
  const [, start = '', word = ''] = /^(?:\(\?i\))?(\^)?([A-Za-z][A-Za-z :]*)(?:\\s\*|[.])?\$$/.exec(match) ?? [];
  if (
    word === '' ||
    !(start === '^'
      ? isTagNeeded
      : /\bend(?:s|ing)?\s+(?:\w+\s+){0,3}with\s+[`:\s]*<[a-z]/i.test(body.text) && isTagNeeded)
  )
    return undefined;
  return {
    message: `the pattern ${match} never matches: ^ and $ mean the beginning and the end of the whole reply, which also contains a tag`,
    fix: `write (?m)^${word}$ for a line of its own`,
  };
}

/** The name of a file in a tag that the text asks for without the extension. */
function fileInTag(text: string, match: string): Found | undefined {
  const [, name = '', extension = ''] = />([\w-]+)(\\?\.(?:md|sh|py|js|ts))<\\?\//.exec(match) ?? [];
  if (name === '' || !text.includes(`>${name}<`) || text.includes(`>${name}${extension.replace('\\', '')}<`))
    return undefined;
  return {
    message: `the pattern ${match} does not match the tag that the text asks for: a reply names ${name} without its extension`,
    fix: `write ${name} without its extension`,
  };
}

/** Patterns that match a quoted answer, and also its negation. */
export function* patternsOfNegations(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const patterns = patternsOf(state);
    if (patterns.length === 0) continue;
    const quoted = [...withoutLongLines(state.source.prompt.body.text).matchAll(QUOTED)].map(
      ([, double, curly, code]) => (double ?? curly ?? code ?? '').trim(),
    );
    for (const { match, at, matches } of patterns) {
      // Patterns of one word have a check of their own.
      const isWord = /^(?:\(\?i\))?[A-Za-z]+$/.test(match);
      const negated = emptyLabelIn(quoted, matches) ?? (isWord ? undefined : negationIn(quoted, matches));
      if (negated === undefined) continue;
      yield {
        at,
        state: state.file,
        message: `the pattern ${match} also matches "${negated}", the opposite answer for which the text asks`,
        fix: 'write a pattern that only one of the two answers matches',
      };
    }
  }
}

/** A label with the value none, if the pattern matches it with any value. */
function emptyLabelIn(texts: readonly string[], matches: (text: string) => boolean): string | undefined {
  return texts.find((text) => {
    const [, label] = /^(\S[^:]{0,40}:)\s*(?:none|nothing|no|0|n\/a|empty|-|—)\.?$/i.exec(text) ?? [];
    return label !== undefined && matches(text) && matches(`${label} 3 of them`) && matches(`${label} the first`);
  });
}

/** Patterns that are never used, because an earlier one matches whatever they match. */
function* hiddenPatterns(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const patterns = patternsOf(state);
    for (const [index, { match, at, instead }] of patterns.entries()) {
      const samples = index === 0 ? [] : samplesOf(match);
      const earlier = patterns
        .slice(0, index)
        .find((one) => samples.length > 0 && (one.match === match || samples.every(one.matches)));
      if (earlier === undefined || earlier.instead === instead) continue;
      yield {
        at,
        state: state.file,
        message: `the pattern ${earlier.match} above it matches whatever this pattern matches, so ${instead} never counts`,
        fix: 'put the more specific pattern first',
      };
    }
  }
}

/** Texts that a simple pattern matches, in each surrounding that it admits; empty for a pattern that is not simple. */
function samplesOf(pattern: string): readonly string[] {
  const [, flags = '', inner = ''] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(pattern) ?? [];
  const texts = alternativesOf(inner);
  if (texts.length === 0 || texts.length > 30) return [];
  return texts.flatMap(({ text, isOpen }) => {
    const cases = flags.includes('i') ? [text, text.toUpperCase(), text.toLowerCase()] : [text];
    const before = isOpen.start ? ['', ' ', '\n', 'x'] : isOpen.line ? ['', 'y\n'] : ['', ' ', '\n', '('];
    const after = isOpen.end ? ['', ' ', '\n', 'x'] : ['', '\n', ...(isOpen.lastWord ? [' ', '.'] : [])];
    return cases.flatMap((one) => before.flatMap((left) => after.map((right) => `${left}${one}${right}`)));
  });
}

interface Sample {
  readonly text: string;
  readonly isOpen: {
    readonly start: boolean;
    readonly line: boolean;
    readonly end: boolean;
    readonly lastWord: boolean;
  };
}

/** The alternatives of a pattern that consists of words, anchors at its ends and at most one group. */
function alternativesOf(pattern: string): readonly Sample[] {
  const [, head = '', group, tail = ''] = /^([^()]*)(?:\((?:\?:)?([^()]*)\)([^()?*+{]?[^()]*))?$/.exec(pattern) ?? [];
  if (!/[^()]/.test(head) && group === undefined) return [];
  const whole =
    group === undefined
      ? head.split('|')
      : /\|/.test(head + tail)
        ? []
        : group.split('|').map((one) => head + one + tail);
  const samples = whole.map(sampleOf);
  return samples.every((one) => one !== undefined) ? samples : [];
}

function sampleOf(alternative: string): Sample | undefined {
  const [, start = '', words = '', end = ''] = /^(\\b|\^)?([^]*?)(\\b|\$)?$/.exec(alternative) ?? [];
  const text = words.replace(/\\s\+|\\s\*| \+/g, ' ').replace(/\\([.:!?()[\]-])/g, '\uE001$1');
  if (text === '' || /(?<!\uE001)[.*+?()[\]{}|^$\\]/.test(text)) return undefined;
  const isOpen = { start: start === '', line: start === '^', end: end === '', lastWord: end === '\\b' };
  return { text: text.replaceAll('\uE001', ''), isOpen };
}

/** Rules about patterns. */
export const PATTERN_RULES: readonly Rule[] = [
  {
    id: 'hidden-pattern',
    severity: 'warning',
    summary:
      'A pattern under the key evaluate never counts, because an earlier pattern of the list matches every reply that this pattern matches.',
    why: 'Patterns are tried in order, and the first one that matches decides. A general pattern belongs below the special ones.',
    check: hiddenPatterns,
  },
];
