// A mention: a tag as written in a prompt, in its policy, or in a script that prints it. Unlike a tag of a real output it may be incomplete,
// and all its parts have positions. Pure.
import { scanElements } from '../protocol/language/scan.js';
import { BODYLESS, TAG_NAMES, ruleOfTag } from '../protocol/language/tag-table.js';
import type { TagName } from '../protocol/language/tag.js';
import { defined } from '../protocol/text.js';
import type { Position } from './position.js';
import { COMPUTED } from './shell/words.js';

/** A text and its position. */
export interface SourceText {
  readonly value: string;
  readonly at: Position;
}

/** An attribute: the position of its name, and its value. */
export interface SourceAttribute extends SourceText {
  readonly valueAt: Position;
}

/** Where a mention is written. */
type MentionSource = 'text' | 'policy' | 'script';

/** A tag as written in a file. */
export interface Mention {
  readonly tag: TagName;
  readonly source: MentionSource;
  readonly at: Position;
  /** The text between the opening and the closing tag; in a policy, the key in its place, absent if any value is allowed. */
  readonly body?: SourceText;
  readonly attributes: ReadonlyMap<string, SourceAttribute>;
  /** Names of attributes that occur more than once. */
  readonly repeated: readonly string[];
  /** Words in the opening tag that are not attributes. */
  readonly stray?: string;
  /** Text that looks like an attribute but cannot be parsed. */
  readonly malformed?: SourceText;
  /** True inside a code fence or a quoted line of a prompt. */
  readonly fenced: boolean;
  /** True in a code fence, a quoted line or a code span. */
  readonly inCode: boolean;
  /** False for a text that a script may not print as it is. */
  readonly isCertain?: boolean;
}

/** A text, and how to find the position of its characters in a file. */
interface TextSource {
  readonly text: string;
  readonly source: MentionSource;
  readonly at: (index: number) => Position;
}

/** Finds the tags in a text. */
export function mentionsIn({ text, source, at }: TextSource): readonly Mention[] {
  const fences = source === 'text' ? fencesOf(text) : [];
  const code = source === 'text' ? [...fences, ...spansOf(text)] : [];
  return [...scanElements(text, { names: TAG_NAMES, bodyless: BODYLESS })].flatMap((element): readonly Mention[] => {
    const { name, body, stray, malformed } = element;
    if (!isTagName(name)) return [];
    const attributes = [...element.attributes].map(([key, value]) => {
      const nameAt = element.attributesAt.get(key) ?? element.at;
      return [key, { value, at: at(nameAt), valueAt: at(nameAt + key.length + 2) }] as const;
    });
    const isIn = (ranges: readonly Range[]): boolean =>
      ranges.some(([from, to]) => element.at >= from && element.at < to);
    return [
      {
        tag: name,
        source,
        at: at(element.at),
        ...(ruleOfTag(name)?.body === 'none' ? {} : { body: { value: body, at: at(element.bodyAt) } }),
        attributes: new Map(attributes),
        repeated: [...element.repeated],
        ...defined({ stray, malformed: malformed && { value: malformed.text, at: at(malformed.at) } }),
        fenced: isIn(fences),
        inCode: isIn(code),
      },
    ];
  });
}

export function isTagName(name: string): name is TagName {
  return TAG_NAMES.includes(name);
}

type Range = readonly [from: number, to: number];

/** The ranges of the code spans that are in one line of a Markdown text. */
function spansOf(text: string): readonly Range[] {
  return [...text.matchAll(/(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g)].map(({ index, 0: span }) => [
    index,
    index + span.length,
  ]);
}

/** The ranges of the code fences and of the quoted lines in a Markdown text. */
function fencesOf(text: string): readonly Range[] {
  const fences = [...text.matchAll(/^ {0,3}>.*$/gm)].map(({ index, 0: line }) => [index, index + line.length] as const);
  const fence = /^ {0,3}(`{3,}|~{3,}).*$/gm;
  let opening: { readonly mark: string; readonly at: number } | undefined;
  for (let match = fence.exec(text); match !== null; match = fence.exec(text)) {
    const [line, mark = ''] = match;
    if (opening === undefined) opening = { mark, at: match.index + line.length };
    else if (mark.startsWith(opening.mark) && line.trim() === mark) {
      fences.push([opening.at, match.index]);
      opening = undefined;
    }
  }
  return opening === undefined ? fences : [...fences, [opening.at, text.length]];
}

/** True for a value that is known only at run time: a script computes it, or it contains a prompt variable. */
export function isComputed(value: string): boolean {
  return value.includes(COMPUTED) || /\{\{[^{}]+\}\}/.test(value);
}

/** True for a tag that gets attributes from a variable or a function of its script. */
export function hasComputedAttributes({ stray }: Mention): boolean {
  return stray !== undefined && stray.includes(COMPUTED) && /^[\s/]*$/.test(stray.replaceAll(COMPUTED, ''));
}

/** What explanations write in the place of a name. */
export const PLACEHOLDER = /^(?:[A-Z]|STATE|STATE_?NAME|NAME|TARGET|NEXT_?STATE|EXAMPLE|FOO|BAR)$|…|\.\.\.|[[\]]/;

/** A value as messages show it. */
export function displayText(value: string): string {
  return value.replaceAll(COMPUTED, '…');
}
