// Finds prompts that take for known what a call has produced: things that only the called prompt speaks of, and of which no more than a word
// such as "listed" comes back as its result.
import { edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import {
  hasUnknownTargets,
  plainText,
  promptsOf,
  searchableText,
  withoutLongLines,
  type PromptState,
} from '../helpers.js';
import { giversOf } from '../values/result-rules.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { namedFiles } from '../files/places.js';

const PARTICIPLE = String.raw`(?!(?:need|feed|exceed|proceed|succeed|indeed|agreed|decide)\b)(?:\w{2,}ed|found|wrote|written|made|chose|chosen|gave|given|said|drew|drawn|thought\s+of|c[oa]me\s+up\s+with|built|put\s+together|saw|seen|set\s+out|worked\s+out)`;

/** "the risks that you listed", "those names", "your seven slogans", "the recipe above". */
const REFERENCES: readonly RegExp[] = [
  new RegExp(String.raw`\byou(?:\s+have|\s+had|['’]ve)?\s+(?:just\s+|already\s+)?${PARTICIPLE}\b`, 'gi'),
  /\b(?:the|this|these|those|all|your|each|every)\s+(?:(?:[\w-]+|\{\{[\w.]+\}\})\s+){1,6}?(?:above|just\s+now|from\s+before|from\s+earlier|a\s+moment\s+ago)\b/gi,
  /\b(?:these|those)\s+(?:\w+\s+){0,2}?[a-z]{3,}s\b/gi,
  /\byour\s+(?:(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d+|own|previous|first|best|last|top)\s+){1,2}[a-z]{4,}\b/gi,
];

const COMMON =
  /^(?:with|from|that|this|these|those|them|they|there|their|what|which|when|where|then|than|each|every|have|been|were|will|your|just|into|about|only|also|more|most|best|first|last|reply|result|tag|end|text|file|name|write|list|make|read|give|them|here|above|before|after|once|some|such|other|three|four|five|seven|eight|nine|many|much|good|does|done|very|like|line|lines|word|words|sentence|sentences|answer|call|called|json|object|number|nothing|order|below|find|found|take|least|would|should|could|must|know|need)$/;

/** The references to what only a called prompt has said. */
export function* thingsOfCall(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  for (const state of promptsOf(analysis)) {
    const givers = giversBefore(analysis, state);
    if (givers === undefined || givers.length === 0 || !givers.every(givesOnlyWord)) continue;
    const inCall = statesInCall(analysis, givers);
    if (inCall.some(leavesText)) continue;
    const own = promptsOf(analysis).filter(
      (one) => one !== state && !inCall.includes(one) && comesBefore(analysis, one, state),
    );
    const at = referenceTo(state, { inCall, own });
    if (at === undefined) continue;
    const { body } = state.source.prompt;
    yield {
      at: body.at(at),
      state: state.file,
      message: `only the result of ${givers[0]?.file ?? 'the call'} gets here, and it is only a word or a number: the model does not see what was said in the call`,
      fix: `let ${givers[0]?.file ?? 'the called state'} end with the text as its <result>, and write {{result}} here`,
    };
  }
}

/** The states whose results lead to a prompt, directly or by scripts in between; undefined if there are other ways to it. */
function giversBefore(analysis: Analysis, state: StateNode): readonly StateNode[] | undefined {
  const { graph } = analysis;
  if (graph.entry.kind === 'state' && graph.entry.file === state.file) return undefined;
  const direct = giversOf(analysis, state.file);
  if (direct !== undefined) return direct;
  const incoming = edgesInto(graph, state.file);
  const [edge] = incoming;
  const before = edge === undefined ? undefined : graph.states.get(edge.from);
  const isPlain = incoming.every(({ from, tag, role }) => from === before?.file && role === 'target' && tag === 'goto');
  return isPlain && before?.kind === 'script' ? giversOf(analysis, before.file) : undefined;
}

const WORD =
  /^\W*(?:done|finished|ok|okay|ready|complete|yes|no|none|nothing|success|failure|good|bad|clean|fine|found|true|false|pass|fail|empty|\w{2,}ed|written|chosen|drawn|\d+(?:\.\d+)?)\W*$/i;

/** True for a state whose results are words or numbers: by its policy, its schema or the examples in its text. */
function givesOnlyWord({ source, mentions }: StateNode): boolean {
  const results = mentions.filter(({ tag }) => tag === 'result');
  if (source.kind === 'script')
    return (
      results.length > 0 &&
      results.every(({ body }) => body !== undefined && !isComputed(body.value) && WORD.test(body.value))
    );
  if (source.kind !== 'prompt') return false;
  const { resultSchema } = source.prompt;
  if (resultSchema !== undefined) return isSmall(resultSchema);
  const payloads = results.filter(({ source: from, body }) => from === 'policy' && body !== undefined);
  const isFixed =
    payloads.length > 0 && payloads.length === results.filter(({ source: from }) => from === 'policy').length;
  if (isFixed) return payloads.every(({ body }) => /^\s*[\w-]{1,16}\s*$/.test(body?.value ?? ''));
  const texts = results.flatMap(({ body }) =>
    body === undefined || body.value.trim() === '' ? [] : [body.value.trim()],
  );
  return texts.length > 0 && texts.every((text) => WORD.test(text) || (texts.length > 1 && /^[A-Z]{2,}$/.test(text)));
}

const SMALL = ['integer', 'number', 'boolean', 'null'];

/** True for a schema that allows numbers, truth values and fixed words only. */
function isSmall(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, enum: values, properties } = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(values)) return true;
  if (typeof type === 'string' && SMALL.includes(type)) return true;
  const fields: readonly unknown[] =
    typeof properties === 'object' && properties !== null ? Object.values(properties) : [];
  return type === 'object' && fields.length > 0 && fields.every(isSmall);
}

function statesInCall({ graph }: Analysis, givers: readonly StateNode[]): readonly StateNode[] {
  const states = [...graph.states.values()];
  return states.filter(
    (one) =>
      givers.includes(one) ||
      givers.some(
        ({ file }) =>
          reachableFrom(graph, { from: [one.file], accepts: staysInCall }).has(file) && isOnlyCalled(graph, one),
      ),
  );
}

function staysInCall({ tag, role, to }: Edge): boolean {
  return to.kind === 'state' && role === 'target' && (tag === 'goto' || tag === 'reset');
}

function isOnlyCalled(graph: Analysis['graph'], { file }: StateNode): boolean {
  const incoming = edgesInto(graph, file);
  return (
    incoming.length > 0 &&
    incoming.every(({ tag, role }) => role === 'target' && (tag === 'call' || tag === 'function'))
  );
}

/** True for a state that may leave its text in a file or a program. */
function leavesText(state: StateNode): boolean {
  const text = plainText(state);
  if (namedFiles(state).some(({ use }) => use === 'write' || use === 'append') || /task_folder/i.test(text))
    return true;
  return (
    state.kind === 'prompt' &&
    /\b(?:save|store|commit|append|edit|update)\b|\b(?:to|into|in)\s+(?:a|the)\s+(?:files?|folder|document|database)\b/i.test(
      text,
    )
  );
}

function comesBefore({ graph }: Analysis, one: StateNode, state: StateNode): boolean {
  return reachableFrom(graph, { from: [one.file] }).has(state.file);
}

/** Where a prompt refers to a thing that only the called states speak of. */
function referenceTo(
  state: PromptState,
  { inCall, own }: { readonly inCall: readonly StateNode[]; readonly own: readonly StateNode[] },
): number | undefined {
  const text = withoutLongLines(state.source.prompt.body.text).replaceAll('\n', ' ');
  const theirs = stemsIn(
    inCall
      .filter(({ kind }) => kind === 'prompt')
      .map(searchableText)
      .join(' '),
  );
  const known = stemsIn(own.map(searchableText).join(' '));
  const found = REFERENCES.flatMap((pattern, index) =>
    [...text.matchAll(pattern)].map((match) => ({ match, isPlain: index > 1 })),
  ).sort((one, other) => one.match.index - other.match.index);
  for (const { match, isPlain } of found) {
    const start = sentenceStart(text, match.index);
    const before = text.slice(start, match.index);
    const scope = isPlain ? match[0] : `${before} ${match[0]}`;
    const things = [...stemsIn(scope.replace(/\{\{[^{}]*\}\}/g, ' '))].filter(
      (one) => theirs.has(one) && !known.has(one),
    );
    if (things.length === 0 || isPrepared(text, { at: match.index, things, isPlain, start })) continue;
    if (
      /\{\{task_folder\}\}\/|\bin\s+the\s+files?\b|\w\/\w|\b\w+\.(?:md|txt|json|csv|html|ya?ml)\b/.test(
        text.slice(Math.max(start - 160, 0), match.index + match[0].length + 50),
      ) &&
      /\b(?:read|open|from|(?:are|is|stand|listed|named|described|written|saved)\s+in)\s+`?(?:\{\{task_folder\}\}|[\w/-]+\.\w)/i.test(
        text.slice(start, match.index + match[0].length + 50),
      )
    )
      continue;
    return match.index;
  }
  return undefined;
}

function sentenceStart(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 240), at);
  const end = [...before.matchAll(/[.!?:]\s+/g)].at(-1);
  return end === undefined ? Math.max(0, at - 240) : Math.max(0, at - 240) + end.index + end[0].length;
}

/** True if the same prompt introduces the thing before it refers to it: by asking for it, or by a value. */
function isPrepared(
  text: string,
  {
    at,
    things,
    isPlain,
    start,
  }: { readonly at: number; readonly things: readonly string[]; readonly isPlain: boolean; readonly start: number },
): boolean {
  const earlier = text.slice(0, start);
  if (/:\s*\{\{(?!result|input)\w+\}\}/.test(earlier)) return true;
  const asks = new RegExp(
    String.raw`\b(?:list|write|find|collect|describe|make|name|invent|propose|draft|create|think\s+of|note|look\s+for)\b[^.]*\b(?:${things.join('|')})`,
    'i',
  );
  return asks.test(earlier) || (isPlain && asks.test(text.slice(start, at)));
}

/** The name of a state says nothing of what was said. */
const NAMED_STATE = /<(goto|reset|call|function|fork)\b[^<>]*>[^<>]*<\/\1>/g;

/** The words of a text, without their endings. */
function stemsIn(text: string): ReadonlySet<string> {
  const words = [
    ...text
      .toLowerCase()
      .replace(NAMED_STATE, ' ')
      .replace(/<[^<>]*>/g, ' ')
      .matchAll(/[a-z]{4,}/g),
  ].map(([word]) => word);
  return new Set(
    words
      .filter((word) => !COMMON.test(word))
      .map((word) =>
        word
          .replace(/(?:ies|y)$/, 'i')
          .replace(/(?:es|s)$/, '')
          .replace(/e$/, ''),
      ),
  );
}
