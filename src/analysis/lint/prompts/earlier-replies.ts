// Finds words by which a prompt refers to the reply of an earlier prompt: things that this prompt was asked for, or what the model knows from
// there. Also tells whether an earlier prompt leaves its text outside of the conversation. Pure.
import { reachableFrom } from '../../graph.js';
import { codeIn, promptsOf, withoutLongLines, type PromptState } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** The other prompts that a run may come from to a state. */
function earlierPrompts(analysis: Analysis, file: string): readonly PromptState[] {
  return promptsOf(analysis).filter(
    (one) => one.file !== file && reachableFrom(analysis.graph, { from: [one.file] }).has(file),
  );
}

const NEGATED = /\b(?:no|not|never|nothing|without|don['’]t)\b/i;
const KEEPS = /\b(?:writ|wrote|sav|stor|record|append|creat|put|commit|add|edit|fix|chang|implement)\w*\b/i;

/** True if one of the earlier prompts may leave its text in a file or in a value, or if there is none. */
export function leavesText(analysis: Analysis, file: string): boolean {
  const earlier = earlierPrompts(analysis, file);
  return earlier.length === 0 || earlier.some(mayLeaveText);
}

/** A value that says nothing of what the model wrote. */
const NO_TEXT = /^(?:[\d.]+|N|yes|no|true|false)$/i;

function mayLeaveText({ source, mentions }: PromptState): boolean {
  const text = withoutLongLines(source.prompt.body.text).replace(/<[^<>]*>/g, ' ');
  if (/\{\{task_folder\}\}/.test(text) || mentions.some(({ tag }) => tag === 'result')) return true;
  const passes = mentions.some(({ attributes }) =>
    [...attributes].some(([name, { value }]) => !/^(?:next|return|cd|task)$/.test(name) && !NO_TEXT.test(value.trim())),
  );
  return (
    passes ||
    text
      .split(/[.!?;]\s/)
      .some(
        (sentence) =>
          KEEPS.test(sentence) &&
          !NEGATED.test(sentence) &&
          !/\b(?:into|in)\s+your\s+(?:reply|answer)\b/i.test(sentence),
      )
  );
}

const YOU = String.raw`\byou(?:\s+have|\s+had|['’]ve)?\s+(?:just\s+|already\s+)?`;
const SAID = String.raw`(?:t[o]ld|said|named|listed|suggested|explained|described|proposed|outlined|chosen|chose|picked|selected|recommended|identified|mentioned|sketched|invented|thought\s+of|summari[sz]ed|found|noticed|come\s+up\s+with|came\s+up\s+with|decided\s+on|settled\s+on|judged|ranked|rated|preferred|liked|noted|quoted|counted|seen|gave|given)`;
const DETERMINER = String.raw`(?:the|these|those|all|your|each|every|two|three|four|five|six|seven|eight|ten|\d+)`;

/** "the five sentences that you have chosen"; the groups are the noun and what stands behind it. */
const THINGS = new RegExp(
  String.raw`\b${DETERMINER}\s+(?:[\w-]+\s+){0,3}?([a-z]{3,})\s+(?:(?:that|which)\s+)?(${YOU}${SAID}\b)`,
  'gi',
);

/** "number 2 of the ones you made". */
const ONES = new RegExp(
  String.raw`\b(?:of|from|among)\s+(?:those|the\s+ones)\s+(?:(?:that|which)\s+)?${YOU}(?:${SAID}|made|wrote|written)\b`,
  'gi',
);

/** "your list", "the recipes from above". */
const YOURS = new RegExp(
  String.raw`\b(?:on|from|of|in|by|to|with|follow|use|take)\s+(?:the\s+\w+\s+(?:of|on|from)\s+)?your\s+(?:own\s+|earlier\s+|first\s+)?(lists?|plans?|outlines?|notes|findings|summary|summaries|analysis|recommendations?|rankings?|proposals?|suggestions?|ideas|choice|selection|impressions?|observations?)\b|\b${DETERMINER}\s+(?:[\w-]+\s+){0,2}?([a-z]{3,})\s+from\s+above\b`,
  'gi',
);

/** "what you have just said". */
const JUST =
  /\byou(?:\s+have|\s+had|['’]ve)?\s+just\s+(?:t[o]ld|said|seen|shown|learn(?:ed|t)|studied|examined|reviewed|checked|counted|compared|weighed|answered|considered|thought|ranked|rated|sorted|selected|looked|gone)\b/gi;

const SPEAKS = /\b(?:t[o]ld|said|shown|answered|ranked|rated|sorted|selected)$/i;

/** "Now that you know how the parser works". */
const KNOWN =
  /\bnow\s+that\s+you\s+(?:know|have\s+(?:seen|read|understood|studied|learn(?:ed|t)|heard|gone|explored))\b|^\W*you\s+(?:already|now)\s+know\b/gi;

/** A sentence that speaks of the reply that is asked for. */
const OF_THIS_REPLY =
  /^\W*(?:reply|report|return|answer|end|tell|when|once|after|if|as\s+soon|then\s+(?:reply|end)|finally)\b/i;

/** The offset of words that refer to a reply of an earlier prompt. */
export function referenceToReply(analysis: Analysis, { file, source }: PromptState): number | undefined {
  const earlier = earlierPrompts(analysis, file).map((one) => withoutLongLines(one.source.prompt.body.text));
  if (earlier.length === 0) return undefined;
  const text = withoutLongLines(source.prompt.body.text);
  const isCode = codeIn(text);
  const isFree = (index: number): boolean => {
    const sentence =
      text
        .slice(0, index)
        .split(/[.!?:;]\s+|\n\s*\n/)
        .at(-1) ?? '';
    return !isCode(index) && !OF_THIS_REPLY.test(sentence + text.slice(index, index + 20));
  };
  const isKnown = (noun: string): boolean => earlier.some((one) => new RegExp(`\\b${stemOf(noun)}`, 'i').test(one));
  const things = [...text.matchAll(THINGS)].filter(
    ({ index, 1: noun = '' }) => isKnown(noun) && isNew(text, { noun, index }),
  );
  const yours = [...text.matchAll(YOURS)].filter(({ index, 1: own, 2: above }) => {
    const noun = own ?? above ?? '';
    return isKnown(noun) && isNew(text, { noun, index }) && !/[`@|]|^\s*[-*\d]/m.test(text.slice(0, index));
  });
  const ones = [...text.matchAll(ONES)].filter(({ index }) => !CHOOSES.test(text.slice(0, index)));
  // What the model has seen may stand before these words.
  const others = [...text.matchAll(JUST), ...text.matchAll(KNOWN)].filter(
    ({ index, 0: words }) => index < 300 && (SPEAKS.test(words) || !/\{\{(?!\w*folder)|@/.test(text.slice(0, index))),
  );
  return [...things, ...ones, ...yours, ...others]
    .filter(({ index, 0: words }) => isFree(index) && !namesFile(text.slice(index + words.length)))
    .map(({ index, 0: words }) => index + Math.max(0, words.search(/\byou/i)))
    .sort((one, other) => one - other)[0];
}

/** A word without the endings of its forms. */
function stemOf(noun: string): string {
  return noun
    .toLowerCase()
    .replace(/(?:ies|s|y)$/, '')
    .slice(0, 8);
}

const CHOOSES = /\b(?:choose|pick|select|find|think\s+of|invent|propose|suggest|name|note|identify|decide)\b/i;

/** True for a thing that the text has not named yet, and that it does not ask for. */
function isNew(text: string, { noun, index }: { readonly noun: string; readonly index: number }): boolean {
  const before = text.slice(0, index);
  return !new RegExp(`\\b${stemOf(noun)}`, 'i').test(before) && !CHOOSES.test(before);
}

/** True for words after which a file is named, or the text itself follows. */
function namesFile(after: string): boolean {
  return (
    /^[^.]{0,60}?(?:[\w*-]+\.[a-z]\w{0,4}\b|\/\w|\{\{|:\s*\n)/.test(after.slice(0, 120)) &&
    /^\s+(?:\w+\s+){0,3}?(?:in|into|to|at|under|from|as|earlier)\b|^[^.]{0,40}:\s*(?:\{\{|\n)/.test(after)
  );
}
