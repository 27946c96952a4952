// Rules about what a state takes for known: what was said in an earlier conversation, and a value that one of the tags which lead to it does
// not pass.
import { allEdges, edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import {
  codeIn,
  continuesConversation,
  hasUnknownTargets,
  promptsOf,
  searchableText,
  shownAt,
  withoutLongLines,
  type PromptState,
} from '../helpers.js';
import { referencesToCall } from './called-conversation.js';
import { thingsOfCall } from './called-nouns.js';
import { leavesText, referenceToReply } from './earlier-replies.js';
import { isJudged } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { namedFiles } from '../files/places.js';
import { valuesNotRepeated } from '../values/repeated-values.js';

const STATED = String.raw`(?:named|listed|suggested|explained|described|proposed|outlined|chosen|chose|picked|recommended|identified|discussed|mentioned|sketched|invented|planned|summari[sz]ed|c[oa]me\s+up\s+with|pointed\s+out|agreed\s+on|decided\s+on)`;
const MADE = String.raw`(?:${STATED}|written|wrote|made|created|drafted|found|collected|given|gave|said|noted|developed|analy[sz]ed|read)`;
const COMPOSED = String.raw`(?:composed|phrased|worded|formulated|designed|prepared|produced|generated|compiled|devised|argued|translated|estimated|dreamed\s+up|dreamt\s+up)`;
const YOU = String.raw`\byou(?:\s+have|\s+had|['’]ve)?\s+`;
const EARLIER = String.raw`(?:above|earlier|previously|before(?=[\s]*[.,;:]|\s+and\b)|a\s+moment\s+ago|just\s+now|in\s+(?:this|our)\s+conversation)`;

/** Says that the model said something earlier; the first group is the verb. */
const SAID_EARLIER = new RegExp(
  [
    String.raw`${YOU}(?:just\s+|already\s+)?(${MADE})\s+(?:\w+\s+){0,2}?${EARLIER}(?!\s+(?:all|\d))`,
    String.raw`\byou(?:\s+have|\s+had|['’]ve)\s+just\s+(${MADE})\b`,
    String.raw`\b(?:the|this|these|those|all|your)\s+(?:[\w-]+\s+){1,3}?(?:that\s+|which\s+)?you(?:\s+have|\s+had|['’]ve)\s+just\s+(${COMPOSED})\b`,
    String.raw`${YOU}(\w{3,}ed)\s+(?:\w+\s+){0,3}?(?:a\s+moment\s+ago|just\s+now)\b`,
    String.raw`\byou(?:\s+have|\s+had|['’]ve)?\s+(?:earlier|previously)\s+(${MADE})\b`,
  ].join('|'),
  'gi',
);

const CONVERSATION =
  /\b(?:earlier|above|before|previously)\s+in\s+(?:this|our)\s+(?:conversation|chat|discussion)\b|\b(?:this|our)\s+(?:conversation|discussion|chat)\s+(?:so\s+far|until\s+now|above)\b|\b(?:in|from|of)\s+your\s+(?:previous|last|earlier)\s+(?:reply|message|answer|turn|response)\b|\b(?:as|that|which|what)\s+we\s+(?:have\s+)?(?:just\s+)?(?:discussed|agreed\s+on|settled\s+on)\b/gi;

/** In the first sentence: "the weaknesses that you have named". */
const SAID = new RegExp(
  String.raw`^(?!\W*(?:reply|report|return|answer|end|tell|when|once|after|if|as\s+soon)\b)[^.!?:;]{0,160}?\b(?:the|these|those|all|your|each|every|two|three|four|five|six|seven|ten)\s+(?:[\w-]+\s+){1,4}?(?:that\s+|which\s+)?(you(?:\s+have|\s+had|['’]ve)?\s+(?:just\s+)?(${STATED}))\b`,
  'i',
);

/** "the essay above", "what was written above": something that must stand in the prompt, or in the conversation. */
const ABOVE =
  /\b(?:the|this|these|those|all|your|its)\s+(?:\w+\s+)?([a-z]{3,})\s+above(?=\s*[.,;:)]|\s+(?:by|for|in|and|with|without|as|to|whether|once|is|are|has|have|into|if|from|correct|complete|right|wrong|true)\b)|\b(?:are|is|was|were|has\s+been|have\s+been)\s+(?:written|said|listed|discussed|named|proposed|suggested)\s+above\b/gi;

/** Parts of a text, and what a prompt says of itself. */
const PARTS =
  /^(?:lines?|rows?|paragraphs?|headings?|sections?|folders?|directory|levels?|rules?|instructions?|examples?|tags?|values?|limits?|forms?|formats?|steps?|tasks?|points?|one|ones|file|files|path|paths|command|commands|was|were|is|are|has|have|been)$/i;

/** A part of a prompt to which "above" may refer. */
const MAY_STAND_ABOVE = /\{\{(?!task_folder|state_dir)|[`~@>|#]|^\s*(?:[-*]|\d+[.)])\s|\w\.[a-z]\w{0,4}\b/m;

function* unseenConversations(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis) || allEdges(analysis.graph).some(({ to }) => to.kind === 'missing')) return;
  for (const state of promptsOf(analysis)) {
    const at = referenceToConversation(state) ?? referenceToReply(analysis, state);
    if (at === undefined || !isAlwaysFresh(analysis, state) || mayGetText(analysis, state)) continue;
    // unseen-reply is about judges.
    if (edgesInto(analysis.graph, state.file).some(({ mention }) => isJudged(mention))) continue;
    yield (
      leavingTag(analysis, state) ?? {
        at: state.source.prompt.body.at(at),
        state: state.file,
        message: `${state.file} begins with a fresh conversation, so the model does not see what was said earlier`,
        fix: 'pass the text as input="…" or in a file, or lead here by <goto> or <call>',
      }
    );
  }
}

/** How a tag that begins a fresh conversation is written to keep the conversation. */
const KEEPING: Partial<Record<Edge['tag'], string>> = {
  reset: 'write <goto>',
  function: 'write <call>',
  fork: 'add context="branch"',
};

/** The tag at which the conversation ends, if only one state leads here and has a conversation. */
function leavingTag(analysis: Analysis, { file }: PromptState): FindingDetails | undefined {
  const [edge, ...others] = edgesInto(analysis.graph, file);
  const keeping = edge === undefined ? undefined : KEEPING[edge.tag];
  if (
    edge === undefined ||
    keeping === undefined ||
    others.some(({ from, tag }) => from !== edge.from || tag !== edge.tag)
  )
    return undefined;
  if (edge.from === file || !hasConversation(analysis, edge.from)) return undefined;
  return {
    at: shownAt(analysis, { ...edge, at: edge.mention.at }),
    state: edge.from,
    message: `${file} speaks of what was said earlier, but this <${edge.tag}> begins a fresh conversation, so the model does not see it`,
    fix: `${keeping}, or pass the text as input="…" or in a file`,
  };
}

/** True for a prompt, and for a script whose agent has a conversation from a prompt. */
function hasConversation(analysis: Analysis, file: string, seen: ReadonlySet<string> = new Set()): boolean {
  if (seen.has(file)) return false;
  return (
    analysis.graph.states.get(file)?.kind === 'prompt' ||
    edgesInto(analysis.graph, file).some(
      (edge) => keepsConversation(analysis, edge) && hasConversation(analysis, edge.from, new Set([...seen, file])),
    )
  );
}

/** The offset of the words by which a prompt refers to an earlier conversation. */
function referenceToConversation({ source }: PromptState): number | undefined {
  const { text } = source.prompt.body;
  const plain = withoutLongLines(text);
  const isCode = codeIn(text);
  for (const match of plain.matchAll(CONVERSATION)) if (!isCode(match.index)) return match.index;
  for (const match of plain.matchAll(SAID_EARLIER)) {
    const verb = match.slice(1).find(Boolean) ?? '';
    if (!isCode(match.index) && isUnprepared(text, { at: match.index, words: match[0], verb })) return match.index;
  }
  const said = SAID.exec(plain.trimStart());
  if (said !== null) {
    const at = plain.length - plain.trimStart().length + said[0].length - (said[1] ?? '').length;
    if (!isCode(at) && isUnprepared(text, { at, words: said[1] ?? '', verb: said[2] ?? '' })) return at;
  }
  return [...plain.matchAll(ABOVE)].find(({ index, 1: noun = '' }) => {
    const before = text.slice(0, index);
    const isThere = noun !== '' && new RegExp(`\\b${noun.replace(/s$/, '')}`, 'i').test(before);
    return !PARTS.test(noun) && !isThere && before.length < 240 && !MAY_STAND_ABOVE.test(before);
  })?.index;
}

/** Verbs whose forms begin in different ways. */
const FORMS: Readonly<Record<string, string>> = {
  wrote: 'writ',
  written: 'writ',
  chose: 'cho',
  chosen: 'cho',
  made: 'mak',
  found: 'f[io]',
  given: 'giv',
  gave: 'giv',
  said: 'sa',
  came: 'com',
  come: 'com',
};

/** Asks for a text. */
const MAKES = /\b(?:write|compose|draft|make|create|prepare|produce|generate|design|translate|think)\b/i;

/** True for a verb that the same prompt has not used before, and after which no file is named. */
function isUnprepared(
  text: string,
  { at, words, verb }: { readonly at: number; readonly words: string; readonly verb: string },
): boolean {
  const word = verb.toLowerCase().split(/\s/)[0] ?? '';
  const stem = FORMS[word] ?? word.slice(0, Math.max(3, word.length - 3));
  if (new RegExp(`\\b${stem}`, 'i').test(text.slice(0, at))) return false;
  if (new RegExp(`^${COMPOSED}$`, 'i').test(verb) && MAKES.test(text.slice(0, at))) return false;
  const after = text.slice(at + words.length, at + words.length + 80);
  return !/^\s+(?:(?!and\b)\w+\s+){0,2}?(?:in|into|to|at|under|from|as)\s+(?:the\s+(?:files?|folder)\s+)?[`"']?(?:\{\{|[\w./*-]*[./][\w*])|^[^.]{0,40}:\s*(?:\{\{|\n)/.test(
    after,
  );
}

/** True for a state that every tag enters with a fresh conversation. */
function isAlwaysFresh(analysis: Analysis, { file }: PromptState): boolean {
  const { graph, entriesFromOutside = [] } = analysis;
  const first = graph.entry.kind === 'state' ? [graph.entry.file] : [];
  const talking = new Set([...first, ...entriesFromOutside]);
  const mayTalk = (from: string): boolean =>
    talking.has(from) || (from !== file && graph.states.get(from)?.kind === 'prompt');
  for (let size = -1; size < talking.size;) {
    size = talking.size;
    for (const edge of allEdges(graph))
      if (edge.to.kind === 'state' && keepsConversation(analysis, edge) && mayTalk(edge.from))
        talking.add(edge.to.file);
  }
  return !talking.has(file) && edgesInto(analysis.graph, file).length > 0;
}

function keepsConversation({ graph }: Analysis, edge: Edge): boolean {
  const { tag, mention, from } = edge;
  if (isJudged(mention)) return false;
  if (continuesConversation(edge)) return true;
  if (tag !== 'fork') return false;
  const state = graph.states.get(from);
  const text = state === undefined ? '' : searchableText(state);
  return mention.attributes.get('context') !== undefined || mention.malformed !== undefined || /\bcontext\b/.test(text);
}

/** True for a prompt that gets a text of the earlier states: as a value, or in a file. */
function mayGetText(analysis: Analysis, { file, source }: PromptState): boolean {
  const { text } = source.prompt.body;
  const names = [...text.matchAll(/\{\{([\w.]+)\}\}/g)].map(([, name = '']) => name.replace(/\..*/, ''));
  const isNew = ({ from, mention }: Edge): boolean =>
    names.some((name) => {
      const value = mention.attributes.get(name)?.value.trim();
      if (value === undefined || /^\{\{\w+\}\}$/.test(value)) return isJudged(mention);
      return isComputed(value) || analysis.graph.states.get(from)?.kind !== 'script';
    });
  const mayBePassed = leavesText(analysis, file) && edgesInto(analysis.graph, file).some(isNew);
  return mayBePassed || namesFileOfEarlierState(analysis, { file, text });
}

const SAVES = /\b(?:writ|wrote|save|put|store|record|append|note|add|list|creat|keep|collect)\w*\b/i;

/** Asks for a new file in the task folder. */
const WRITTEN =
  /\b(?:write|save|put|store|append|add|record)\b[^.!?;{}]{0,160}?\b(?:in|into|to|as)\s+(?:(?:a|the)\s+(?:new\s+)?file\s+)?[`"]?\{\{task_folder\}\}(?=\/\w)/gi;

/** True for a text with the name of a file that a state before it may have written, or with a folder. */
function namesFileOfEarlierState(
  { graph }: Analysis,
  { file, text }: { readonly file: string; readonly text: string },
): boolean {
  if (/^@|\b(?:are|is)\s+in\s+the\s+(?:file|folder)/m.test(text)) return true;
  if (/\{\{task_folder\}\}/.test(withoutLongLines(text).replace(WRITTEN, ' '))) return true;
  const names = [...text.matchAll(/(?:[\w-]+\/)*([\w-]+\.[a-z]\w{0,4}|[\w-]+\/)(?!\w)/g)].map(([name]) => name);
  if (names.length === 0) return false;
  return [...graph.states.values()].some((other) => {
    if (other.file === file || !reachableFrom(graph, { from: [other.file] }).has(file)) return false;
    const theirs = searchableText(other);
    if (text.includes('{{task_folder}}') && /task_folder/i.test(theirs)) return true;
    if (other.kind !== 'prompt') return names.some((name) => theirs.includes(name) && !isOnlyRead(other, name));
    return theirs.split(/[.!?]\s/).some((part) => {
      const isNamed = (name: string): boolean =>
        part.includes(name) && (SAME_FILE.test(part) || !isOnlyRead(other, name));
      return SAVES.test(part) && names.some(isNamed);
    });
  });
}

/** Words that may mean a file that the sentence has named. */
const SAME_FILE = /\b(?:it|there|(?:the\s+same|this|that)\s+file)\b/i;

/** True for a file that a state only reads; in a script, also one that it tests. */
function isOnlyRead(state: StateNode, name: string): boolean {
  const uses = namedFiles(state).filter((one) => one.name === name);
  return uses.length > 0 && uses.every(({ use }) => use === 'read' || (use === 'test' && state.kind === 'script'));
}

/** All references to what was said where the model does not see it; each prompt is reported once. */
function references(analysis: Analysis): readonly FindingDetails[] {
  const found = [...unseenConversations(analysis), ...referencesToCall(analysis)];
  const reported = new Set(found.map(({ state }) => state));
  return [...found, ...[...thingsOfCall(analysis)].filter(({ state }) => !reported.has(state))];
}

/** Rules about what a prompt takes for known. */
export const CONVERSATION_RULES: readonly Rule[] = [
  {
    id: 'unseen-conversation',
    severity: 'warning',
    summary:
      'A prompt refers to something that the model does not know, because the prompt always begins with a fresh conversation, or because the text was in a call that has ended.',
    why: '<reset>, <function> and <fork> (without context="branch") begin a fresh conversation. The model sees only the prompt, with the values that the tag passes, and the files.',
    check: references,
  },
  {
    id: 'value-not-repeated',
    severity: 'warning',
    summary:
      'A state needs a value such as {{input}} or $topic, but a tag that leads to this state does not pass the value. Or a tag leads to another workflow without the input that the first state there needs.',
    why: 'Only the next state gets a value. A tag that leads back to the state must pass the value again; otherwise {{name}} stays in the prompt as it is, and a script that cannot do without the variable fails.',
    check: valuesNotRepeated,
  },
];
