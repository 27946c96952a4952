// Rules about what a prompt says to the model: tags that exclude each other, output that the model never sees, and files that agents share.
import { allEdges, type Edge, type StateNode } from '../graph.js';
import { isComputed } from '../mention.js';
import { matches, promptsOf, searchableText, statesOf, withoutLongLines } from './helpers.js';
import type { Analysis, FindingDetails, Rule } from './rule.js';
import { overwrittenFiles } from './scripts/folder-rules.js';

const BOTH = /\bboth\b[^.\n]{0,60}\b(?:lines|tags|transitions)\b/i;
const CONNECTED =
  /^[\s`]*[,;]?\s*(?:and(?: also)? then|then also|followed by|and afterwards|as well as)\b[^<\n]{0,40}$/i;

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
    if (found === undefined) continue;
    yield {
      at: found.at,
      state: state.file,
      message: 'the text asks for this tag and for the next one in the same reply, which may have one tag only',
      fix: 'ask for one of them, and let the next state do the rest',
    };
  }
}

function lastSentences(text: string): string {
  return text.trimEnd().slice(-200);
}

const OUTPUT_ABOVE =
  /\b(?:output|log|errors?|messages?|report|list|findings|lines)\b[^.\n]{0,40}\b(?:stands?|is|are|was|were|printed|shown|listed)\s+(?:\w+\s+)?above\b|\b(?:script|command|compiler|build|tests?|linter)\b[^.\n]{0,30}\b(?:printed|reported|said|says|wrote|logged|shows|showed)\b[^.\n]{0,30}\babove\b|\b(?:output|stdout)\s+(?:of|from)\s+the\s+(?:previous|last|preceding)\s+(?:script|state|step)\b/i;

/** A prompt that refers to the output of the script before it. */
function* unseenOutput(analysis: Analysis): Generator<FindingDetails> {
  const edges = allEdges(analysis.graph);
  for (const { source, file } of promptsOf(analysis)) {
    const incoming = edges.filter(({ to }) => to.kind === 'state' && to.file === file);
    const isAfterScript = incoming.length > 0 && incoming.every((edge) => isScript(analysis, edge));
    if (!isAfterScript) continue;
    const { body } = source.prompt;
    const match = OUTPUT_ABOVE.exec(withoutLongLines(body.text));
    // What is above may be part of this text, or in a file.
    if (match === null || /\{\{|```|~~~|^@|^>/m.test(body.text.slice(0, match.index))) continue;
    yield {
      at: body.at(match.index),
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
  /\b(?:write|save|put|store)\b[^.\n]{0,100}?\b(?:to|into|in|as)\s+(?:the\s+file\s+)?`?((?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4})`?(?![\w/{])/gi;

/** A file that every one of several forked agents writes, and that another state reads. */
function* sharedFiles(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    if (!isForkedOften(analysis, state)) continue;
    const { body } = state.source.prompt;
    for (const match of withoutLongLines(body.text).matchAll(WRITES)) {
      const [whole, path = ''] = match;
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
      'A prompt refers to the output of the script that runs before the prompt, but the model does not see this output.',
    why: 'Of the output of a script, only the tag counts: its input and attributes reach the next state. The rest is in the log.',
    check: unseenOutput,
  },
  {
    id: 'shared-file',
    severity: 'warning',
    summary:
      'Several forked agents write the same file, and another state reads the file, so the work of all but one agent is lost.',
    why: 'Forked agents run at the same time and share the working directory. Each replaces the file of the others, so all but one are lost.',
    check: (analysis) => [...sharedFiles(analysis), ...overwrittenFiles(analysis)],
  },
];
