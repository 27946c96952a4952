// The rule about prompts that refer to a text which they get, but do not contain: an answer, the result of a call, the results of agents.
import type { StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { speaksOfResults } from '../flow/forked-work-rules.js';
import { CALL, DONE, onlyEdges } from './given-text-rules.js';
import { codeIn, promptsOf, searchableText, withoutLongLines, type PromptState } from '../helpers.js';
import { giversOf } from '../values/result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* unreadValues(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { body } = state.source.prompt;
    if (/\{\{\s*(?:input|result|task_folder|ask_id)\b/.test(body.text)) continue;
    const missing = unreadAnswer(analysis, state) ?? unreadResult(analysis, state) ?? unreadAgents(analysis, state);
    if (missing === undefined) continue;
    yield {
      at: body.at(missing.at),
      state: state.file,
      message: `the model does not see ${missing.what}: ${state.file} gets it as {{input}}, but does not contain it`,
      fix: 'write {{input}} where the text belongs',
    };
  }
}

interface Unread {
  readonly at: number;
  readonly what: string;
}

/** The words of a prompt that match, outside of code and of tags. */
function wordsIn({ source }: PromptState, pattern: RegExp): number | undefined {
  const plain = withoutLongLines(source.prompt.body.text).replace(/<[^<>]*>(?:[^<]*<\/[a-z-]+>)?/g, (tag) =>
    ' '.repeat(tag.length),
  );
  const isCode = codeIn(plain);
  return [...plain.matchAll(pattern)].find(({ index }) => !isCode(index))?.index;
}

const THEIR_ANSWER =
  /\b(?:as|what|how|which|that|the)\s+(?:\w+\s+){0,2}?(?:person|user|human)\s+(?:has\s+|have\s+|had\s+|just\s+)*(?:answered|said|replied|wrote|written|chose|chosen|picked|decided|asked|wants?|wanted)\b|\b(?:person|user|human)(?:'s|’s)\s+(?:answer|reply|choice|decision|wish|response|feedback)\b|\b(?:according\s+to|based\s+on|following|follow|apply|incorporate|in)\s+(?:the|this|their|his|her)\s+(?:answer|reply|response|feedback|decision)\b/gi;

function unreadAnswer(analysis: Analysis, state: PromptState): Unread | undefined {
  const asks = onlyEdges(analysis, { file: state.file, role: 'next', tag: /^ask$/ });
  if (asks.length === 0 || NAMES_FILE.test(state.source.prompt.body.text)) return undefined;
  const at = wordsIn(state, THEIR_ANSWER);
  return at === undefined ? undefined : { at, what: 'the answer' };
}

const NAMES_FILE = /[\w*]\.[a-z]\w{0,4}\b|\w\/\w|@\w|\b(?:files?|folder|director(?:y|ies))\b/i;

/** A prompt that speaks of what a called prompt has returned. */
function unreadResult(analysis: Analysis, state: PromptState): Unread | undefined {
  const returns = onlyEdges(analysis, { file: state.file, role: 'return', tag: CALL });
  const givers = returns.length === 0 ? [] : (giversOf(analysis, state.file) ?? []);
  const nouns = givers.flatMap((giver) => resultNoun(giver) ?? []);
  if (nouns.length === 0 || nouns.length < givers.length) return undefined;
  const callers = returns.map(({ from }) => analysis.graph.states.get(from)).flatMap((one) => one ?? []);
  const known = [...callers, ...givers.filter(({ kind }) => kind === 'script')].map(searchableText).join('\n');
  const [noun = ''] = nouns;
  const stem = noun.replace(/s$/, '');
  if (new RegExp(`\\b${stem}`, 'i').test(known)) return undefined;
  const at = wordsIn(
    state,
    new RegExp(`\\b(?:the|these|those|this|all|each|every)\\s+(?:\\w+\\s+){0,1}${stem}s?\\b`, 'gi'),
  );
  const isSaved = givers.some((giver) =>
    /\b(?:writ|wrote|sav|stor|record|append|updat|creat|edit)\w*\b/i.test(searchableText(giver)),
  );
  return at === undefined || isSaved ? undefined : { at, what: `the ${noun}` };
}

/** The last word of what a prompt wants as its result: "the facts". */
function resultNoun({ source, mentions }: StateNode): string | undefined {
  if (source.kind !== 'prompt') return undefined;
  const [tag, ...others] = mentions.filter(({ tag: name, source: from }) => name === 'result' && from === 'text');
  const text = tag?.body?.value.trim() ?? '';
  if (tag === undefined || others.length > 0 || isComputed(text) || DONE.test(text)) return undefined;
  const plain = text
    .replace(/^(?:the|your|a|an)\s+(?:list|set|names|number|table)\s+of\s+/i, 'the ')
    .replace(/^the the\b/, 'the');
  const [, noun] =
    /^(?:the|your|a|an|all|its)\s+(?:\w+\s+(?!(?:of|that|for|on|in|with|as)\b))?(\w{4,})(?:\s+(?:of|that|for|on|in|with|as)\b.*)?$/i.exec(
      plain,
    ) ?? [];
  return noun !== undefined && !/^(?:result|answer|number|text|value|reply|word)s?$/i.test(noun) ? noun : undefined;
}

const THEIR_RESULTS =
  /\b(?:the|all|their|these|those)\s+(?:\w+\s+){0,1}(?:results|reviews|reports|findings|answers|summaries|opinions|verdicts|drafts|replies)\s+(?:of|from|by|that)\s+(?:the\s+|all\s+|these\s+|your\s+|each\s+)*(?:\w+\s+)?(?:agents?|workers?|reviewers?|helpers?)\b/gi;

const RESULTS = 'the results of the forked agents';

function unreadAgents(analysis: Analysis, state: PromptState): Unread | undefined {
  const found = speaksOfResults(analysis, state);
  if (found !== undefined) return { at: found, what: RESULTS };
  const awaits = onlyEdges(analysis, { file: state.file, role: 'next', tag: /^await$/ });
  if (awaits.length === 0 || NAMES_FILE.test(state.source.prompt.body.text)) return undefined;
  const at = wordsIn(state, THEIR_RESULTS);
  return at === undefined ? undefined : { at, what: RESULTS };
}

/** The rule about texts that a prompt does not contain. */
export const UNREAD_VALUE_RULES: readonly Rule[] = [
  {
    id: 'unread-value',
    severity: 'warning',
    summary:
      'A prompt refers to an answer or a result that the prompt gets as its input, but does not contain {{input}} or {{result}}.',
    why: 'The model sees only the text of the prompt. An answer, the result of a call and the list after an <await> are not in the conversation.',
    check: unreadValues,
  },
];
