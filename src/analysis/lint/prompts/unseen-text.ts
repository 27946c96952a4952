// Words by which a prompt refers to what a script has printed or to what stands above, although it gets neither: no variable, no file and no
// part of its own text holds it. Pure.
import { edgesInto, type Edge } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { searchableText, statesOf, withoutLongLines, type PromptState } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** Where a prompt refers to such a text; `isFresh` = no other prompt can have begun its conversation. */
export function unseenTextIn(
  analysis: Analysis,
  { state, isFresh }: { readonly state: PromptState; readonly isFresh: boolean },
): number | undefined {
  const text = withoutTags(withoutLongLines(state.source.prompt.body.text)).replace(/(?<!\n)\n(?!\n)/g, ' ');
  if (SHOWS.test(text) || /^[ \t]*(?:[-*|]|\d+[.)])[ \t]/m.test(text) || runsCommands(text)) return undefined;
  if (mayGetOutput(analysis, { state, text }) || namesFileOfScripts(analysis, { state, text })) return undefined;
  const printed = PRINTED.exec(text);
  if (printed !== null) return printed.index;
  const seen = isFresh ? [...text.matchAll(SEEN)].find((match) => isUnknownText(text, match)) : undefined;
  return seen && seen.index + seen[0].search(/\w/);
}

/** Blanks tags of the same length. */
function withoutTags(text: string): string {
  return text.replace(/<([a-z][\w-]*)\b[^<>]*>(?:[^<]*<\/\1>)?/g, (tag) => ' '.repeat(tag.length));
}

/** What may hold the text: a fence, an included file, a quotation, the task folder. */
const SHOWS = /```|~~~|(?:^|\s)@[\w{./]|^[ \t]*>|\{\{(?:task_folder|state_dir|result|input)\b/m;

/** True for a text that lets the model find the output itself. */
function runsCommands(text: string): boolean {
  const plain = text.replace(
    /\b(?:do not|don't|never|without)\s+(?:\w+\s+)?(?:run|running|execut\w+|call|start|us)\w*\b/gi,
    ' ',
  );
  return /\b(?:(?<!\b(?:test|last|the|this|that|each|every|a|of) )runs?|rerun|execute|fetch)\s+(?:the|it|them|this|a|all|`|make|npm|pytest|again)|`[a-z][\w-]* [^`\n]+`/i.test(
    plain,
  );
}

const COUNTER = /^(?:round|rounds|attempt|tries|try|turn|count|counter|n|i|number|index|step|left|remaining)$/i;

/** True for a prompt that a variable may give the output: one whose value a script computes. */
function mayGetOutput(
  { graph }: Analysis,
  { state, text }: { readonly state: PromptState; readonly text: string },
): boolean {
  const names = [...text.matchAll(/\{\{([\w.]+)\}\}/g)].map(([, name = '']) => name);
  const edges = edgesInto(graph, state.file);
  const isFixed = ({ mention }: Edge, name: string): boolean => {
    const value = mention.attributes.get(name)?.value;
    return mention.malformed === undefined && value !== undefined && !isComputed(value);
  };
  return names.some((name) => !COUNTER.test(name) && !edges.every((edge) => isFixed(edge, name)));
}

/** True for a prompt with the name of a file that a script writes, or that is not its own product. */
function namesFileOfScripts(
  analysis: Analysis,
  { state, text }: { readonly state: PromptState; readonly text: string },
): boolean {
  const names = [...text.matchAll(/(?<![\w.])(?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4}(?![\w/])/g)]
    .filter(
      ({ index }) => !/\b(?:to|into|as|update|create)\s+[`"']?$/i.test(text.slice(Math.max(0, index - 12), index)),
    )
    .map(([name]) => name);
  const scripts = statesOf(analysis).filter(({ kind, file }) => kind === 'script' && file !== state.file);
  const code = scripts.map(searchableText).join('\n');
  return (
    /\bin the (?:file|log)\b/i.test(text) ||
    names.some((name) => code.includes(name.replace(/^.*\//, '')) || !isProduct(text, name))
  );
}

/** True for a file that the prompt writes itself. */
function isProduct(text: string, name: string): boolean {
  return new RegExp(
    `\\b(?:writ|sav|put|describ|record|updat|creat)\\w*\\b[^.]{0,80}${name.replace(/[^\w]/g, '\\$&')}`,
    'i',
  ).test(text);
}

const PROGRAM = String.raw`(?:(?:script|command|compiler|build|tests?|linter|checker|program|tool|parser|scanner|job|pipeline|step|state|make|pytest|eslint|\w+\s+run)s?)`;
const TEXT = String.raw`(?:outputs?|logs?|tracebacks?|errors?|messages?|failures?|warnings?|findings?|results?|figures|numbers|tables?|lists?|lines|commits|diffs?|plans?|reports?|comments|data|problems|statistics|listings?|entries|rows|values|measurements|names|links|times|incidents|summary|files)`;
const PAST = String.raw`(?:has|have|had)\s+(?:just\s+|already\s+)?`;
const SHOWN = String.raw`(?:printed|logged|output|written\s+out|echoed|dumped)`;

/** What a script printed: a conversation does not have it either. */
const PRINTED = new RegExp(
  [
    String.raw`\b${PROGRAM}\s+(?:${PAST})?(?:just\s+)?${SHOWN}\s+(?:(?:all|each|every)\s+)?(?:the|its|their|a|what|which|\w+s)\b`,
    String.raw`\b[\w-]+\s+(?:has|have)\s+just\s+${SHOWN}\b`,
    String.raw`\b(?:that|which)\s+(?:was|were|has\s+been|have\s+been)\s+(?:just\s+)?(?:printed|listed|logged|output|shown)\s+by\s+the\s+(?:\w+\s+)?(?:${PROGRAM}|query)\b`,
    String.raw`\b${TEXT}\s+(?:that|which|as)\s+(?:[\w-]+\s+){1,5}?${PAST}${SHOWN}\b`,
    String.raw`\b(?:its|their|the)\s+(?:standard\s+)?(?:output|stdout|console\s+output)\s+(?:above|you|that|which|shows?|of\s+the\s+(?:last|previous|preceding))\b`,
    String.raw`\b(?:${TEXT})\s+(?:of|from|by)\s+the\s+(?:previous|last|preceding|earlier|first)\s+(?:step|state|script|command|run)\b`,
    String.raw`\bas\s+you\s+(?:can\s+)?(?:see|saw)\s+(?:in|from)\s+(?:its|their|the)\s+(?:\w+\s+)?${TEXT}\b`,
    String.raw`\b(?:as|that|which)\s+the\s+(?:\w+\s+)?script\s+(?:${PAST})?(?:just\s+)?(?:fetched|printed|listed|showed|shown|displayed|reported|gave|given|found|collected)\b`,
    String.raw`\b${PROGRAM}\s+${PAST}(?:found|reported|listed|detected)\b[^.]{0,80}\.\s+[^.]{0,60}\b(?:in|from|of|on)\s+(?:its|their)\s+(?:output|list|report|log|messages|table)\b`,
  ].join('|'),
  'i',
);

/** What was shown to the model: nothing but this text, where no other prompt came before. */
const SEEN = new RegExp(
  [
    String.raw`\byou\s+(?:can\s+|could\s+|now\s+|will\s+)?(?:see|find|have)\s+(?:the|its|their|all|a|which|what|below|above)\b[^.]{0,60}?\b(?:above|before\s+this)\b`,
    String.raw`\byou(?:\s+have|['’]ve)\s+(?:just\s+|already\s+)*(?:been\s+(?:given|shown|sent|handed)|seen|received|got(?:ten)?|read)\s+(?:the|which|what|all|how|a|its|their)\b`,
    String.raw`\b(?:the|these|those|all)\s+(?:\w+\s+)?${TEXT}\s+(?:(?:that|which)\s+)?(?:you\s+(?:can\s+)?(?:see|saw|have\s+seen|were\s+shown|were\s+given|got|received|have\s+(?:just\s+)?(?:got|received|been\s+(?:shown|given)))|(?:is|are|was|were|has\s+been|have\s+been)\s+(?:shown|given|sent|passed|displayed|printed)\s+(?:to\s+you\b|above|before)|(?:shown|listed|printed|given|displayed|reported)\s+(?:to\s+you\b|above|before\s+this)|above\b)`,
    String.raw`\b(?:is|are|was|were)\s+shown\s+to\s+you\b`,
    String.raw`(?:^\W*|\.\s+)above\s+(?:is|are|you|stands?)\b`,
    String.raw`(?:^\W*|\.\s+)(?:here|these)\s+(?:is|are)\s+(?:the|all)\s+(?:\w+\s+){0,3}?${TEXT}\b[^.:]{0,120}\.`,
  ].join('|'),
  'gi',
);

/** True for words that can refer to nothing in the text before them. */
function isUnknownText(text: string, { index, 0: words }: RegExpExecArray): boolean {
  const before = text.slice(0, index);
  if (/\babove\s+(?:\d|the\s+(?:average|limit|threshold))/i.test(text.slice(index, index + words.length + 20)))
    return false;
  if (/\byou\s+have\s+(?:just\s+)?been\s+given\s+(?:the|a)\s+(?:task|role|job|name|chance)\b/i.test(text)) return false;
  return before.length < 400 && !/[#{]|`[^`]+`/.test(before);
}
