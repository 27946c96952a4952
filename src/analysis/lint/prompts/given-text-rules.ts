// Rules about the text that a state gets from a call, a question or forked agents: a state that takes it for another text, and a
// result that says nothing.
import { edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import type { Mention } from '../../mention.js';
import {
  hasUnknownTargets,
  promptsOf,
  searchableText,
  statesOf,
  withoutLongLines,
  type PromptState,
} from '../helpers.js';
import { giversOf } from '../values/result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { contentUse, earlierUse } from '../texts/value-uses.js';
import { forksPendingAt } from '../agents/wave-rules.js';

/** The edges that lead to a state; undefined if it may get its value in another way, too. */
function knownEdgesInto(analysis: Analysis, file: string): readonly Edge[] | undefined {
  const { graph, entriesFromOutside = [] } = analysis;
  const isEntry = graph.entry.kind === 'state' && graph.entry.file === file;
  if (isEntry || entriesFromOutside.includes(file) || hasUnknownTargets(analysis)) return undefined;
  return edgesInto(graph, file);
}

/** The edges that lead to a state, if all have this role and tag. */
export function onlyEdges(
  analysis: Analysis,
  { file, role, tag }: { readonly file: string; readonly role: Edge['role']; readonly tag: RegExp },
): readonly Edge[] {
  const edges = knownEdgesInto(analysis, file) ?? [];
  return edges.every((edge) => edge.role === role && tag.test(edge.tag)) ? edges : [];
}

/** The tags of calls within a package. */
export const CALL = /^(?:call|function)$/;

function* sameTexts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const returns = onlyEdges(analysis, { file: state.file, role: 'return', tag: CALL });
    if (state.kind === 'script' && returns.length === 0) continue;
    const at = offsetOfSecondName(state, returns.length > 0);
    const text = textOf(state);
    if (at === undefined || text === undefined) continue;
    const [one, other] = state.kind === 'prompt' ? ['{{input}}', '{{result}}'] : ['RAYMOND_INPUT', 'RAYMOND_RESULT'];
    yield {
      at: text.at(at),
      state: state.file,
      message: `${one} and ${other} are the same text in ${state.file}: ${returns.length > 0 ? 'the result of the call' : 'the input of the state'}`,
      fix: 'let the earlier states pass the other text in a file, or inside the result',
    };
  }
}

function textOf({ source }: StateNode): PromptState['source']['prompt']['body'] | undefined {
  if (source.kind === 'prompt') return source.prompt.body;
  return source.kind === 'script' ? source.raw : undefined;
}

/** Where a state uses the name that does not fit, if it uses both; a script may choose between them. */
function offsetOfSecondName(state: StateNode, isReturn: boolean): number | undefined {
  const text = searchableText(state);
  const isPrompt = state.kind === 'prompt';
  const input = text.search(isPrompt ? /\{\{input\}\}/ : /\bRAYMOND_INPUT\b/);
  const result = text.search(isPrompt ? /\{\{result\}\}/ : /\bRAYMOND_RESULT\b/);
  if (input < 0 || result < 0) return undefined;
  const choosing =
    /(?=.*RAYMOND_(?:INPUT|RESULT))(?:(?=.*(?:!=|==|\bcmp\b|\bdiff\b))|(?=.*RAYMOND_INPUT\b)(?=.*RAYMOND_RESULT\b)(?=.*(?::[-+]|\|\||\?\?|\bor\b|!=|==|-[nz]\b)))/;
  if (
    !isPrompt &&
    withoutLongLines(text)
      .split('\n')
      .some((line) => choosing.test(line))
  )
    return undefined;
  return isReturn ? input : result;
}

/** Words that say only that something has ended. */
export const DONE =
  /^(?:(?:all\s+)?done|ok(?:ay)?|finished|completed?|ready|success(?:ful(?:ly)?)?|saved|written|stored|yes|true)[.!]?$/i;

function* emptyResults(analysis: Analysis): Generator<FindingDetails> {
  for (const reader of statesOf(analysis)) {
    if (onlyEdges(analysis, { file: reader.file, role: 'return', tag: CALL }).length === 0) continue;
    const givers = giversOf(analysis, reader.file) ?? [];
    const tags = givers.map(doneTag);
    const [giver, tag] = [givers[0], tags[0]];
    if (giver === undefined || tag === undefined || tags.includes(undefined)) continue;
    if (!(reader.source.kind === 'prompt' ? usesAsContent(reader.source.prompt.body.text) : contentUse(reader)))
      continue;
    yield {
      at: tag.at,
      state: giver.file,
      message: `${reader.file} uses this result as content, but it is always "${tag.body?.value.trim() ?? ''}"`,
      fix: `end with what ${reader.file} needs: <result>the content</result>`,
    };
  }
}

/** Forked agents that all end with such a word, although a prompt gets their results as content. */
function* emptyResultsOfAgents(analysis: Analysis): Generator<FindingDetails> {
  for (const reader of promptsOf(analysis)) {
    const awaits = onlyEdges(analysis, { file: reader.file, role: 'next', tag: /^await$/ });
    const { text } = reader.source.prompt.body;
    const words = [...text.matchAll(VALUE)].map(({ index }) => wordsBefore(withoutLongLines(text), index));
    if (awaits.length === 0 || !words.some((part) => CONTENT.test(part) && !STATUS.test(part))) continue;
    const first = awaits.flatMap(({ from }) => forksPendingAt(analysis, from));
    const files = first.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : []));
    const agents = [...reachableFrom(analysis.graph, { from: files, accepts: isOwnTransition })].flatMap(
      (file) => analysis.graph.states.get(file) ?? [],
    );
    const ending = agents.filter(({ edges }) => edges.some(({ to }) => to.kind === 'end'));
    const tags = ending.map(doneTag);
    const [state, tag] = [ending[0], tags[0]];
    if (
      state === undefined ||
      tag === undefined ||
      tags.includes(undefined) ||
      !agents.every(({ edges }) => edges.every(({ to }) => to.kind !== 'workflow'))
    )
      continue;
    yield {
      at: tag.at,
      state: state.file,
      message: `${reader.file} uses the results of these agents as content, but each is always "${tag.body?.value.trim() ?? ''}"`,
      fix: `end with what ${reader.file} needs: <result>the content</result>`,
    };
  }
}

const CONTENT =
  /\b(?:reviews?|reports?|summar(?:y|ies)|findings?|facts?|notes?|drafts?|texts?|opinions?|proposals?|ideas?|translations?|chapters?|issues?|problems?)\b/i;

/** The tag of a state that always ends with a word such as "done". */
function doneTag({ mentions, effectiveMentions, source }: StateNode): Mention | undefined {
  if (source.kind === 'prompt' && source.prompt.resultSchema !== undefined) return undefined;
  const results = [...effectiveMentions, ...mentions].filter(({ tag, body }) => tag === 'result' && body !== undefined);
  const isDone = ({ body }: Mention): boolean => DONE.test(body?.value.trim() ?? '');
  if (results.length === 0 || !results.every(isDone)) return undefined;
  const words = new Set(results.map(({ body }) => body?.value.trim().toLowerCase()));
  return words.size > 1 ? undefined : (results.find((one) => one.source === 'text') ?? results[0]);
}

const VALUE = /\{\{(?:input|result)((?:\.[\w.]+)?)\}\}/g;

/** Says that the value is only a report of success. */
const STATUS =
  /\b(?:status|outcome|state|result|verdict|said|says?|answered|answers|repl\w+|signal\w*|if|whether|when|finished)\b/i;

/** True for a prompt that presents its value as content, or reads a field of it. */
function usesAsContent(text: string): boolean {
  const plain = withoutLongLines(text);
  return [...plain.matchAll(VALUE)].some(({ index, 1: field = '' }) => {
    const words = wordsBefore(plain, index);
    return field !== '' || (/[a-z]{4}/i.test(words) && !STATUS.test(words));
  });
}

/** The words that introduce a value: those of its sentence, or of the line with a colon above it. */
function wordsBefore(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - 200), index).replace(/[\s"'`“*_>-]+$/, '');
  return before.split(/[.!?;]\s|\n\s*\n/).at(-1) ?? '';
}

/** A question that is answered by yes or no, or by one of such choices. */
const YES_OR_NO =
  /(?:^|[.:!?]\s+)(?:please\s+)?(?:shall|should|may|can|could|do|does|did|is|are|was|were|will|would|has|have|ok|okay|ready|approve|merge|deploy|publish|release|send|delete|continue)\b[^?]*\?/i;
const DECISION =
  /^(?:yes|no|ok|okay|stop|wait|hold|reject|approve|accept|refuse|deny|cancel|skip|drop|discard|later|keep|go|go ahead|deploy|publish|send|merge|release|ship|book|pay|delete|do it|leave it)$/i;

/** The question as the text of a prompt asks it, where the edge is an entry of the policy. */
function questionOf({ graph }: Analysis, { from, mention }: Edge): Mention {
  if (mention.source !== 'policy') return mention;
  const shown = graph.states
    .get(from)
    ?.mentions.filter(({ tag, source, body }) => tag === 'ask' && source === 'text' && body !== undefined);
  return shown?.length === 1 ? (shown[0] ?? mention) : mention;
}

function isDecision({ body, attributes }: Mention): boolean {
  const choices = attributes.get('choices')?.value;
  const question = (body?.value ?? '').trim();
  if (
    /\bor\b|\b(?:what|which|who|how|where|when|why|otherwise|else|write)\b|\b(?:chang|correct|edit|improv)/i.test(
      question,
    )
  )
    return false;
  return choices === undefined
    ? YES_OR_NO.test(question)
    : choices.split(',').every((choice) => DECISION.test(choice.trim()));
}

/** The words of a question; of a prompt that asks, its whole text. */
function wordsOfQuestion({ graph }: Analysis, { from, mention }: Edge): string {
  const state = graph.states.get(from);
  return `${mention.body?.value ?? ''} ${state?.source.kind === 'prompt' ? state.source.prompt.body.text : ''}`;
}

/** Words of a prompt that knows that it gets an answer. */
const ANSWER =
  /\b(?:answer|repl|respon|person|said|says|decision|decid|comment|feedback|choice|chose|wish|want|remark|instruct|correct|approv|agree|yes|note|user|customer|human)/i;

function* answersForEarlierTexts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const asks = onlyEdges(analysis, { file: state.file, role: 'next', tag: /^ask$/ });
    if (asks.length === 0 || !asks.every((edge) => isDecision(questionOf(analysis, edge)))) continue;
    const questions = asks.map((edge) => wordsOfQuestion(analysis, edge)).join(' ');
    const text = textOf(state);
    const at =
      state.source.kind === 'prompt'
        ? earlierTextIn(state.source.prompt.body.text, questions)
        : earlierUse(state, questions);
    if (at === undefined || text === undefined) continue;
    yield {
      at: text.at(at),
      state: state.file,
      message: `the value of ${state.file} is the answer of the person, not the text that the state with the question had`,
      fix: 'keep that text in a file before the question, and read it here',
    };
  }
}

/** Where a prompt names its value with a word of the question, such as "this plan:". */
function earlierTextIn(text: string, questions: string): number | undefined {
  const plain = withoutLongLines(text);
  if (ANSWER.test(plain.replace(/<[^<>]*>[^<]*<\/\w+>/g, ''))) return undefined;
  return [...plain.matchAll(VALUE)].find(({ index }) => {
    const [, noun = ''] = /(\w{3,})\W*$/.exec(wordsBefore(plain, index)) ?? [];
    return noun !== '' && new RegExp(`\\b${noun}\\b`, 'i').test(questions);
  })?.index;
}

/** Rules about the text that a state gets. */
export const GIVEN_TEXT_RULES: readonly Rule[] = [
  {
    id: 'same-text-twice',
    severity: 'warning',
    summary: 'A state uses its input and the result that it gets as two texts, but both are the same text.',
    why: 'A state gets one text only. After a call, this is the result, and the input that the caller had is gone. Other text must come in a file or inside the result.',
    check: sameTexts,
  },
  {
    id: 'empty-result',
    severity: 'warning',
    summary:
      'A called state always ends with a word such as "done", but the next state needs what the called state found.',
    why: 'Only the text in <result> reaches the state that return names. The conversation of the called state is not part of it, so what was found is lost.',
    check: (analysis) => [...emptyResults(analysis), ...emptyResultsOfAgents(analysis)],
  },
  {
    id: 'answer-as-earlier-text',
    severity: 'warning',
    summary: 'A state uses the answer to a question as if it were the input of the state that asked the question.',
    why: 'The input of the state in next is the answer, such as "yes". The input of an earlier state is not passed on.',
    check: answersForEarlierTexts,
  },
];
