// Texts of a policy that take the place of what a prompt wants in the reply: the payload or an attribute of an implicit transition that only
// describes the text, such as "the summary".
import { implicitTag } from '../../../protocol/language/policy.js';
import { TAG_RULES } from '../../../protocol/language/tag-table.js';
import { clip } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import { isComputed, type Mention, type SourceText } from '../../mention.js';
import { promptsOf, searchableText, withoutLongLines, type PromptState } from '../helpers.js';
import { fileOf } from './prompt-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* fixedTexts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { policy, entries, body } = state.source.prompt;
    const [entry] = entries;
    if (entry === undefined || policy === undefined || implicitTag(policy, {}) === undefined) continue;
    const text = withoutLongLines(body.text);
    if (savesText(text)) continue;
    const given = givenTexts(analysis, { state, entry });
    const fixed = given.find(({ value }) => isDescription(value, text));
    if (fixed === undefined) continue;
    yield {
      at: fixed.at,
      state: state.file,
      message: `the text "${clip(fixed.value, 40)}" is passed on as it is, and what the reply says instead is lost`,
      fix:
        entry.tag === 'result'
          ? 'allow { tag: result } without payload and without force_implicit, and let the reply end with <result>…</result>'
          : 'let the reply end with the tag and the text in its attribute, without force_implicit',
    };
  }
}

/** The texts that an implicit transition passes on, unless the reply can pass another one. */
function givenTexts(
  analysis: Analysis,
  { state, entry }: { readonly state: PromptState; readonly entry: Mention },
): readonly SourceText[] {
  const { tag, body, attributes } = entry;
  const { policy, body: prompt } = state.source.prompt;
  if (tag === 'result') return body === undefined || isComputed(body.value) ? [] : [body];
  const { needs, mayName } = TAG_RULES[tag];
  const target = analysis.graph.states.get(fileOf(body?.value ?? '', analysis));
  return [...attributes].flatMap(([name, { value, valueAt }]) => {
    const isOwn = ![...needs, ...mayName, 'cd', 'task', 'delay', 'timeout', 'context'].includes(name);
    const isPassed = policy?.forceImplicit !== true && prompt.text.includes(`${name}=`);
    const isRead = target !== undefined && readsVariable(target, name);
    return isOwn && isRead && !isPassed && !isComputed(value) ? [{ value: value.trim(), at: valueAt }] : [];
  });
}

function readsVariable(state: StateNode, name: string): boolean {
  const text = searchableText(state);
  if (state.source.kind === 'prompt') return text.includes(`{{${name}`);
  return new RegExp(name === 'input' ? 'RAYMOND_INPUT' : `(?<![\\w-])${name}(?![\\w-])`).test(text);
}

/** True for a prompt that keeps the text in a file: then the transition may only report that it has done so. */
function savesText(text: string): boolean {
  const plain = text.replace(
    /\b(?:do not|don't|never|without|instead of)\s+(?:\w+\s+){0,2}?(?:writ|sav|put|stor|creat|chang|us|edit)\w*\b[^.]*|\bno files?\b/gi,
    ' ',
  );
  return SAVES.test(plain) || CHANGES_FILE.test(plain);
}

const SAVES =
  /\b(?:writ(?:e|es|ing|ten)|wrote|sav(?:e|es|ed|ing)|put|stor(?:e|es|ed|ing)|append|record|add|note|keep)\b(?:[^.]|\.(?=\w)){0,160}?\b(?:to|into|in|as|under|at|beside)\s+(?:\w+\s+){0,3}?[`"']?(?:files?\b|folders?\b|director\w+|\{\{task_folder|[\w/{}-]+\.[a-z]\w{0,4}\b)/i;

const CHANGES_FILE =
  /\b(?:edit|updat\w+|creat\w+|overwrit\w+|replac\w+|writ(?:e|es|ing)|sav(?:e|es|ing)|fill|complete|correct|fix)\s+(?:in\s+)?(?:the\s+)?(?:files?\b|folder\b|[`"']?[\w/{}-]+\.[a-z]\w{0,4}\b)/i;

/** Says that something has been done, rather than what the text is. */
const REPORT =
  /\b(?:is|are|was|were|has|have|been|done|ready|ok|okay|sent|written|finished|complete|success\w*|no|not|nothing|[a-z]{2,}ed)\b|[/\\]|\.\w{2,4}$/i;

/** A noun with what belongs to it, and no verb. */
const NOUN =
  /^(?:(?:the|a|an|your|its|his|her|their|all|some|one|two|three|four|five|six|ten|\d+)\s+(?:(?!the\b|an?\b)[\w'-]+\s+){0,3}(?!the\b)[\w'-]+(?:,?\s+(?:of|for|from|in|on|to|with|about|by|as|that|which|between|and)\s+[\w',. -]{1,60})?|[a-z]+ of [\w' -]{2,60})$/i;

const VERB =
  /\b(?:pass(?:es)?|fails?|works?|follows?|fits?|exists?|matches|contains?|needs?|says?|looks?|does|can|will)\b/i;

/** True for a text that only describes what the prompt asks for. */
function isDescription(value: string, text: string): boolean {
  if (/…|\.\.\./.test(value) || /^[<[(][\w .-]+[>\])]$/.test(value)) return true;
  const words = value.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  const isAsked = words.some((word) => new RegExp(`\\b${word.replace(/s$/, '')}`, 'i').test(text));
  if (!isAsked) return false;
  if (NOUN.test(value))
    return !VERB.test(value) && !REPORT.test(value.replace(/\b(?:translat|polish|correct|shorten)ed\b/gi, ' '));
  return (
    words.length === 1 &&
    new RegExp(`\\b(?:an?|the|good|best|short|your)\\s+(?:[a-z]+\\s+){0,2}${words.join('')}\\b`, 'i').test(text) &&
    /^[A-Za-z]+$/.test(value) &&
    !REPORT.test(value)
  );
}

/** The rule about texts of a policy in the place of the text of a reply. */
export const FIXED_TEXT_RULES: readonly Rule[] = [
  {
    id: 'fixed-text-for-reply',
    severity: 'warning',
    summary:
      'A policy passes on a fixed text such as "the summary". The summary that the model writes in its reply is lost.',
    why: 'With one complete entry in allowed_transitions, a reply without a tag counts as this entry, and with force_implicit every reply does. The payload or the attributes of the entry are passed on as they are. Nothing puts the text of the reply in their place.',
    check: fixedTexts,
  },
];
