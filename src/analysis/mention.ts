// A tag as somebody wrote it down for later: in a prompt's text, in its policy, in what a script prints. Unlike a tag of an output it may
// leave things open, and all its parts have positions. Pure.
import { scanElements } from '../protocol/language/scan.js';
import { BODYLESS, TAG_NAMES, ruleOfTag } from '../protocol/language/tag-table.js';
import type { TagName } from '../protocol/language/tag.js';
import { defined } from '../protocol/text.js';
import type { Position } from './position.js';
import { COMPUTED } from './shell-words.js';

/** A text, and where it stands. */
export interface Written {
  readonly value: string;
  readonly at: Position;
}

/** An attribute: where its name stands, and its value. */
export interface WrittenAttribute extends Written {
  readonly valueAt: Position;
}

/** Who says it. */
export type MentionSource = 'text' | 'policy' | 'script';

/** A tag in a file. */
export interface Mention {
  readonly tag: TagName;
  readonly source: MentionSource;
  readonly at: Position;
  /** What stands between opening and closing; of a policy what stands for it, absent when it is left open. */
  readonly body?: Written;
  readonly attributes: ReadonlyMap<string, WrittenAttribute>;
  /** Attributes that it has more than once. */
  readonly repeated: readonly string[];
  /** Words among the attributes that are none. */
  readonly stray?: string;
  /** What is meant as an attribute and cannot be read as one. */
  readonly malformed?: Written;
  /** True for a tag in a code fence of a prompt. */
  readonly fenced: boolean;
}

/** How the characters of a text are found in a file. */
export interface Tracing {
  readonly text: string;
  readonly source: Exclude<MentionSource, 'policy'>;
  readonly at: (index: number) => Position;
}

/** The tags of a text. */
export function mentionsIn({ text, source, at }: Tracing): readonly Mention[] {
  const fences = source === 'text' ? fencesOf(text) : [];
  return [...scanElements(text, { names: TAG_NAMES, bodyless: BODYLESS })].flatMap((element): readonly Mention[] => {
    const { name, body, stray, malformed } = element;
    if (!isTag(name)) return [];
    const attributes = [...element.attributes].map(([key, value]) => {
      const nameAt = element.attributesAt.get(key) ?? element.at;
      return [key, { value, at: at(nameAt), valueAt: at(nameAt + key.length + 2) }] as const;
    });
    const fenced = fences.some(([from, to]) => element.at >= from && element.at < to);
    return [
      {
        tag: name,
        source,
        at: at(element.at),
        ...(ruleOfTag(name)?.body === 'none' ? {} : { body: { value: body, at: at(element.bodyAt) } }),
        attributes: new Map(attributes),
        repeated: [...element.repeated],
        ...defined({ stray, malformed: malformed && { value: malformed.text, at: at(malformed.at) } }),
        fenced,
      },
    ];
  });
}

function isTag(name: string): name is TagName {
  return TAG_NAMES.includes(name);
}

/** The code fences of a Markdown text, from the first character behind the opening to the closing. */
function fencesOf(text: string): readonly (readonly [number, number])[] {
  const fences: [number, number][] = [];
  const fence = /^ {0,3}(`{3,}|~{3,}).*$/gm;
  let open: { readonly mark: string; readonly at: number } | undefined;
  for (let found = fence.exec(text); found !== null; found = fence.exec(text)) {
    const [line, mark = ''] = found;
    if (open === undefined) open = { mark, at: found.index + line.length };
    else if (mark.startsWith(open.mark) && line.trim() === mark) {
      fences.push([open.at, found.index]);
      open = undefined;
    }
  }
  return open === undefined ? fences : [...fences, [open.at, text.length]];
}

/** True for a value that is only known when a state runs: a script computes it, or it is a variable of a prompt. */
export function isComputed(value: string): boolean {
  return value.includes(COMPUTED) || /\{\{[^{}]+\}\}/.test(value);
}

/** A value as people read it. */
export function shown(value: string): string {
  return value.replaceAll(COMPUTED, '…');
}
