// Rules about what a prompt says to the model: tags that exclude each other, output that the model never sees, and files that agents share.
import { allEdges, edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import {
  continuesConversation,
  matches,
  promptsOf,
  searchableText,
  statesOf,
  withoutLongLines,
  type PromptState,
} from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { overwrittenFiles } from '../files/folder-rules.js';
import { filesOfAllAgents } from '../agents/shared-files.js';
import { taskFiles } from '../files/task-files.js';
import { shownOnlyIn } from './shown-only.js';
import { firstOfTwoTags } from './tags-asked.js';
import { unseenTextIn } from './unseen-text.js';

const BOTH = /\bboth\b[^.\n]{0,60}\b(?:lines|tags|transitions)\b/i;
const CONNECTED =
  /^[\s`]*[,;]?\s*(?:and(?: also)? then|then also|followed by|and afterwards|and after that|and finally|as well as)\b[^<\n]{0,40}$/i;

/** A prompt that asks for two tags in one reply. */
function* severalTagsAsked(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { body } = state.source.prompt;
    const tags = [...matches(body, /<(goto|reset|call|function|result|ask|await)\b[^<>]*>(?:[^<]*<\/\1>)?/g)];
    const text = withoutLongLines(body.text);
    const found = tags.find(({ match }, index) => {
      const next = tags[index + 1]?.match;
      if (next === undefined) return false;
      const between = text.slice(match.index + match[0].length, next.index);
      const before = text.slice(0, match.index);
      return CONNECTED.test(between) || (BOTH.test(lastSentences(before)) && /^[\s`*\d.-]*$/.test(between));
    });
    const at = found?.at ?? firstOfTwoTags(state)?.at;
    // With force_implicit, no tag of a reply counts.
    if (at === undefined || state.source.prompt.policy?.forceImplicit === true) continue;
    yield {
      at,
      state: state.file,
      message: 'the text asks for this tag and for the next one in the same reply, which may have one tag only',
      fix: 'ask for one of them, and let the next state do the rest',
    };
  }
}

function lastSentences(text: string): string {
  return text.trimEnd().slice(-200);
}

const WORDS_ABOVE =
  /\b(?:output|log|errors?|messages?|report|list|findings|lines)\b[^.\n]{0,40}\b(?:stands?|is|are|was|were|printed|shown|listed)\s+(?:\w+\s+)?above\b/i;

const OUTPUT_ABOVE =
  /\b(?:script|command|compiler|build|tests?|linter)\b[^.\n]{0,30}\b(?:printed|reported|said|says|wrote|logged|shows|showed)\b[^.\n]{0,30}\babove\b|\b(?:output|stdout)\s+(?:of|from)\s+the\s+(?:previous|last|preceding)\s+(?:script|state|step)\b/i;

const PRINTER = String.raw`(?:script|command|compiler|build|tests?|linter|check(?:er)?|program|tool)`;
const PRINTED = String.raw`(?:printed|reported|shown|listed|logged|output|written\s+out)`;
const OUTPUT = String.raw`(?:output|messages?|errors?|warnings?|failures?|lines|list(?:ing)?|log|times|numbers|findings|table)`;

/** Names what a script printed, and says that it is above. */
const PRINTED_ABOVE = new RegExp(
  [
    String.raw`\b${PRINTER}\s+(?:has|have|had)\s+(?:just\s+)?${PRINTED}\b[^.]{0,80}\babove\b`,
    String.raw`\b(?:output|stdout|stderr|log)\s+(?:of|from)\s[^.]{0,40}\babove\b`,
    String.raw`\b(?:it|they)\s+(?:has\s+|have\s+|had\s+|just\s+)*${PRINTED}\s+(?:\w+\s+){0,2}above\b`,
    String.raw`\b${PRINTER}\s+${PRINTED}\s+(?:\w+\s+){0,2}above\b`,
    String.raw`\babove\b[^.]{0,80}\b(?:as|that|which|what)\s+the\s+${PRINTER}\s+(?:has\s+|have\s+|had\s+|just\s+)*${PRINTED}\b`,
  ].join('|'),
  'i',
);

/** Says only that something is above, or was printed: this counts where the model has seen nothing but the prompt. */
const ANYTHING_ABOVE = new RegExp(
  [
    String.raw`\babove\s+you\s+(?:can\s+)?(?:see|find|have)\b`,
    String.raw`\b(?:the|these|all)\s+(?:\w+\s+)?${OUTPUT}\s+(?:\w+\s+){0,4}above\b`,
    String.raw`\b(?:as\s+)?(?:${PRINTED})\s+above\b`,
    String.raw`\b${OUTPUT}\s+(?:that|which)\s+(?:was|were|has\s+been|have\s+been)\s+just\s+${PRINTED}\b`,
    String.raw`\b${OUTPUT}\s+(?:that|which)\s+the\s+${PRINTER}\s+(?:has|have)\s+just\s+${PRINTED}\b`,
  ].join('|'),
  'i',
);

/** A text that the prompt includes: in a fence, by a variable at the end of a line or after a colon, or from a file. */
const MAY_SHOW_OUTPUT =
  /```|~~~|^@|^>|\{\{(?:input|result|\w*(?:output|errors?|log|messages?|report|lines|text|details|findings|list))\b|[:>]\s*\{\{|^\s*\{\{\w+\}\}\s*$|\{\{\w+\}\}\s*\n/m;

/** Names the output of a script, but not where it is. */
const PRINTED_ONLY = new RegExp(
  String.raw`\b(?:what|that|which)\s+the\s+(?:\w+\s+)?${PRINTER}\s+(?:(?:has|have|had)\s+)?(?:just\s+)?(?:printed|logged)\b|\b(?:printed|logged)\s+(?:\w+\s+){0,2}by\s+the\s+(?:\w+\s+)?${PRINTER}\b|\b(?:printed|logged|written)\s+(?:to|on)\s+(?:stdout|stderr|(?:the\s+)?(?:console|terminal|screen|standard\s+output))\b`,
  'i',
);

/** Says where the text is that a prompt speaks of. */
const NAMES_SOURCE =
  /\{\{|[\w*]\.[a-z]\w{0,4}\b|\b(?:files?|folder|director\w+)\b|\w\/\w|@\w|```|^>|\b(?:run|execute|start|call)\b/im;

/** The words by which a prompt refers to output of a script that it does not get. */
function referenceToOutput(
  analysis: Analysis,
  { state, isFresh }: { readonly state: PromptState; readonly isFresh: boolean },
): number | undefined {
  const { text } = state.source.prompt.body;
  const plain = withoutLongLines(text).replace(/(?<!\n)\n(?!\n)/g, ' ');
  const match = OUTPUT_ABOVE.exec(withoutLongLines(text)) ?? PRINTED_ABOVE.exec(plain);
  // What is above may be part of this text, or in a file.
  if (match !== null && !MAY_SHOW_OUTPUT.test(text.slice(0, match.index))) return match.index;
  const printed = PRINTED_ONLY.exec(plain);
  if (printed !== null && !NAMES_SOURCE.test(text)) return printed.index;
  const unseen = unseenTextIn(analysis, { state, isFresh });
  if (!isFresh) return unseen;
  const words = WORDS_ABOVE.exec(withoutLongLines(text));
  if (words !== null && !/\{\{|```|~~~|^@|^>/m.test(text.slice(0, words.index))) return words.index;
  const first = ANYTHING_ABOVE.exec(plain);
  return first !== null && isPlainSentence(text.slice(0, first.index)) && !/\.\w+`|@\w/.test(text)
    ? first.index
    : unseen;
}

/** True for a text that has nothing to which "above" may refer. */
function isPlainSentence(text: string): boolean {
  return text.trim().length < 80 && !/[{`~@>:|*#]|^\s*[-\d]/m.test(text);
}

/** True if the conversation of a state may have begun in another prompt. */
function hasConversation(analysis: Analysis, file: string): boolean {
  const prompts = promptsOf(analysis).flatMap((state) => (state.file === file ? [] : [state.file]));
  return (
    (analysis.entriesFromOutside ?? []).length > 0 ||
    reachableFrom(analysis.graph, { from: prompts, accepts: continuesConversation }).has(file)
  );
}

/** A prompt that refers to the output of the script before it. */
function* unseenOutput(analysis: Analysis): Generator<FindingDetails> {
  const edges = allEdges(analysis.graph);
  for (const state of promptsOf(analysis)) {
    const { source, file } = state;
    const incoming = edges.filter(({ to }) => to.kind === 'state' && to.file === file);
    const isAfterScript = incoming.length > 0 && incoming.every((edge) => isScript(analysis, edge));
    if (!isAfterScript) continue;
    const { body } = source.prompt;
    const isFresh = !hasConversation(analysis, file);
    const at = referenceToOutput(analysis, { state, isFresh }) ?? shownOnlyIn(analysis, { state, isFresh });
    if (at === undefined) continue;
    yield {
      at: body.at(at),
      state: file,
      message: 'the model does not see the output of a script: only the tag of a script reaches the next state',
      fix: 'let the script write its output to a file, or pass it as input="…"',
    };
  }
}

function isScript({ graph }: Analysis, { from, role }: Edge): boolean {
  return role === 'target' && graph.states.get(from)?.kind === 'script';
}

const WRITES =
  /\b(?:create|overwrite|replace)\s+(?:the|a)\s+(?:new\s+)?file\s+(?:called\s+|named\s+)?`?((?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4})`?(?![\w/{]|\.\{)|\b(?:write|save|put|store)\b[^.\n]{0,100}?\b(?:to|into|in|as)\s+(?:the\s+file\s+)?`?((?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4})`?(?![\w/{]|\.\{)/gi;

/** A file that every one of several forked agents writes, and that another state reads. */
function* sharedFiles(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    if (!isForkedOften(analysis, state)) continue;
    yield* sharedTaskFiles(analysis, state);
    const { body } = state.source.prompt;
    for (const match of withoutLongLines(body.text).matchAll(WRITES)) {
      const [whole, created, written] = match;
      const path = created ?? written ?? '';
      const sentence = body.text.slice(match.index, body.text.indexOf('.', match.index + whole.length) + 1);
      if (/\b(?:append|add)/i.test(sentence)) continue;
      const reader = statesOf(analysis).find((other) => other !== state && searchableText(other).includes(path));
      if (reader === undefined) continue;
      yield {
        at: body.at(match.index + whole.lastIndexOf(path)),
        state: state.file,
        message: `all forked agents write the same file ${path}, so ${reader.file} finds only what the last one wrote`,
        fix: 'give each agent a file of its own, for example with {{agent_id}} in its name, or return the text as the result',
      };
      break;
    }
  }
}

/** A file in the task folder that all forked agents share: they write it under one name, and another state reads the folder. */
function* sharedTaskFiles(analysis: Analysis, state: PromptState): Generator<FindingDetails> {
  const forks = edgesInto(analysis.graph, state.file);
  if (!forks.every(({ mention }) => mention.attributes.get('task')?.value === 'inherit')) return;
  const [file, ...others] = taskFiles(state).filter(({ use }) => use === 'write');
  const reader = statesOf(analysis).find(
    (other) => other !== state && !isForking(forks, other) && /task_folder/i.test(searchableText(other)),
  );
  const { body } = state.source.prompt;
  if (file === undefined || others.some(({ name }) => name !== file.name) || reader === undefined) return;
  if (/\bappend|\badd\b|\block\b/i.test(body.text)) return;
  yield {
    at: body.at(file.at),
    state: state.file,
    message: `all forked agents share one task folder and write the same file ${file.name}, so ${reader.file} finds only what the last one wrote`,
    fix: 'give each agent a file of its own, for example with {{agent_id}} in its name, or return the text as the result',
  };
}

/** True for a state that forks the agents: it may only prepare the folder. */
function isForking(forks: readonly Edge[], { file }: StateNode): boolean {
  return forks.some(({ from }) => from === file);
}

/** True for a state that only forks lead to, of which one state prints several. */
function isForkedOften({ graph }: Analysis, { file }: StateNode): boolean {
  const incoming = allEdges(graph).filter(({ to, from }) => to.kind === 'state' && to.file === file && from !== file);
  const isPlain = ({ tag, mention }: Edge): boolean =>
    tag === 'fork' && mention.source === 'script' && !mention.attributes.has('cd') && mention.malformed === undefined;
  if (incoming.length === 0 || !incoming.every(isPlain)) return false;
  const perState = new Map(incoming.map(({ from }) => [from, incoming.filter((edge) => edge.from === from).length]));
  return (
    [...perState.values()].some((count) => count > 1) ||
    incoming.some(({ mention }) => [...mention.attributes.values()].some(({ value }) => isComputed(value)))
  );
}

/** The files that forked agents write under one name; each state is reported once. */
function lostFiles(analysis: Analysis): readonly FindingDetails[] {
  const found = [...sharedFiles(analysis), ...overwrittenFiles(analysis)];
  const reported = new Set(found.map(({ state }) => state));
  return [...found, ...[...filesOfAllAgents(analysis)].filter(({ state }) => !reported.has(state))];
}

/** Rules about the text of prompts. */
export const TEXT_RULES: readonly Rule[] = [
  {
    id: 'several-tags-asked',
    severity: 'warning',
    summary: 'The text of a prompt asks for two tags in one reply, but a reply must have exactly one tag.',
    why: 'A reply must have exactly one tag, or several <fork>. A model that follows the text gets a reminder, up to three times, and every reminder costs a turn.',
    check: severalTagsAsked,
  },
  {
    id: 'unseen-output',
    severity: 'warning',
    summary:
      'A prompt refers to the output of the script that runs before the prompt, but the model does not see that output.',
    why: 'Of the output of a script, only the tag counts: its input and attributes reach the next state. The rest is in the log.',
    check: unseenOutput,
  },
  {
    id: 'shared-file',
    severity: 'warning',
    summary:
      'Several forked agents write the same file, and another state reads the file, so the work of all but one agent is lost.',
    why: 'Forked agents run at the same time and share the working directory. Each replaces the file of the others, so all but one are lost.',
    check: lostFiles,
  },
];
