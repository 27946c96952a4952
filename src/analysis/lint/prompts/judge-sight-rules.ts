// A rule about judges that do not see the reply that they judge: prompts without {{output}}, and scripts that read another variable.
import type { StateNode } from '../../graph.js';
import { plainText, withoutLongLines, type PromptState, type ScriptState } from '../helpers.js';
import { judgesOf } from './judge-rules.js';
import { attributesPassed, BUILT_IN } from '../passed.js';
import { writesFile } from './reply-words.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* unseenReplies(analysis: Analysis): Generator<FindingDetails> {
  const seen = new Set<string>();
  for (const { judge, judged } of judgesOf(analysis)) {
    if (seen.has(judge.file)) continue;
    seen.add(judge.file);
    const found =
      judge.source.kind === 'prompt'
        ? blindPrompt(analysis, { judge: judge as PromptState, judged })
        : judge.source.kind === 'script'
          ? blindScript(analysis, judge as ScriptState)
          : undefined;
    if (found === undefined) continue;
    yield {
      at: found.at,
      state: judge.file,
      message: `${judge.file} judges the reply of ${judged.file}, but does not get it: ${found.why}`,
      fix: judge.kind === 'prompt' ? 'write {{output}} where the reply belongs' : 'read the variable output',
    };
  }
}

interface Blind extends Pick<FindingDetails, 'at'> {
  readonly why: string;
}

/** Where a prompt speaks of a reply that it does not contain. */
function blindPrompt(
  analysis: Analysis,
  { judge, judged }: { readonly judge: PromptState; readonly judged: PromptState },
): Blind | undefined {
  const { body } = judge.source.prompt;
  const text = withoutTags(withoutLongLines(body.text));
  if (/\{\{output\}\}/.test(text)) return undefined;
  const field = /\{\{output\.[\w.]+\}\}/.exec(text);
  if (field !== null)
    return { at: body.at(field.index), why: `{{output}} is a text and has no fields, so ${field[0]} is not replaced` };
  if (hasOtherVariable(analysis, { judge, text }) || seesTag(judged, text)) return undefined;
  const reply = REPLY.exec(text);
  const product = referenceTo(productOf(judged), text);
  const isAboutReply = reply !== null || product !== undefined;
  if (looksItself(analysis, { judge, judged, text, isAboutReply })) return undefined;
  const at =
    reply?.index ?? product ?? referenceTo(withoutTags(withoutLongLines(judged.source.prompt.body.text)), text);
  if (at === undefined) return undefined;
  return {
    at: body.at(sentenceAt(text, at)),
    why: 'a judge starts with a fresh conversation, and {{output}} is not in its text',
  };
}

/** Blanks tags of the same length. */
function withoutTags(text: string): string {
  return text.replace(/<([a-z][\w-]*)\b[^<>]*>(?:[^<]*<\/\1>)?/g, (tag) => tag.replace(/[^\n]/g, ' '));
}

/** True for another variable, which may hold the text, or which another rule reports. */
function hasOtherVariable(
  analysis: Analysis,
  { judge, text }: { readonly judge: StateNode; readonly text: string },
): boolean {
  const labels = new Set(analysis.graph.source.parsedManifest?.labels ?? []);
  const names = [...text.matchAll(/\{\{([\w.]+)\}\}/g)].map(([, name = '']) => name.replace(/\..*/, ''));
  const passed = attributesPassed(analysis, judge.file);
  return names.some((name) => !labels.has(name) && !ALWAYS_SET.has(name) && (BUILT_IN.has(name) || !passed.has(name)));
}

const ALWAYS_SET = new Set(['transition', 'workflow_id', 'agent_id', 'task_folder', 'state_dir']);

/** True if the tag of the reply has the text that is judged, and the judge gets the tag. */
function seesTag({ mentions, source }: PromptState, text: string): boolean {
  if (!/\{\{transition\}\}/.test(text)) return false;
  if (source.prompt.entries.length === 0) return true;
  return mentions.some(
    ({ tag, body, attributes, source: from }) =>
      (from === 'text' && attributes.size > 0) ||
      ((tag === 'result' || tag === 'ask') && (body === undefined || from === 'text')),
  );
}

/** Words for the reply itself, or for what stands above or below. */
const REPLY = new RegExp(
  [
    String.raw`(?<!\b(?:end|ends|close|finish|begin|start|conclude|write)\s)\b(?:the|this|that|his|her|their|each|every|following|whole|its)\s+(?:\w+\s+){0,2}?(?:reply|answer|response|message)\b(?!\s+(?:in|from)\s+[\w./]+\.\w)`,
    String.raw`\b(?:the|this|that)\s+(?:\w+\s+){0,3}?(?:above|below)\b`,
    String.raw`\bthe\s+following\s+(?:\w+\s+){0,2}?[a-z]+`,
    String.raw`\b(?:has|have)\s+(?:just\s+)?(?:replied|answered|sent|written\s+(?:this|the\s+following))\b`,
  ].join('|'),
  'i',
);

const FILE_NAME =
  /(?:@?\{\{(?:task_folder|state_dir)\}\}[\w./-]*|(?<![\w.@/}-])@?(?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4}\b(?!\.\w))/g;

/** What a judge may look at itself. */
const WORLD =
  /\b(?:repositor\w+|repo|workspace|working\s+(?:directory|tree|copy)|director\w+|folders?|files?|git|diffs?|branch(?:es)?|commits?|run|execute|tests\s+(?:pass|fail)|test\s+suite|builds?|compiles?|website|url|https?|database|tables?|logs?|search\s+the\s+web|look\s+up|screenshots?|source\s+code|code\s*base)\b|`[a-z][\w-]* [^`\n]+`/i;

/** True for a judge that may find what it judges without the reply. */
function looksItself(
  { graph }: Analysis,
  {
    judged,
    text,
    isAboutReply,
  }: { readonly judge: StateNode; readonly judged: PromptState; readonly text: string; readonly isAboutReply: boolean },
): boolean {
  const theirs = judged.source.prompt.body.text;
  const names = [...text.matchAll(FILE_NAME)]
    .filter(({ index }) => !AGAINST.test(text.slice(Math.max(0, index - 60), index)))
    .map(([name]) => name.replace(/^@/, ''));
  const found = names.filter((name) => !graph.source.files.has(name.replace(/^.*\//, '')));
  if (found.some((name) => !isAboutReply || writes(theirs, name))) return true;
  const plain = text.replace(FILE_NAME, ' ');
  return !isAboutReply && WORLD.test(plain);
}

/** Words before a file with which something is compared. */
const AGAINST =
  /\b(?:rules?|guidelines?|guide|checklist|criteria|standards?|policy|list\s+of\s+[\w\s]+|against|with|follows?|fits?|obeys?|according\s+to|comply|complies)\b[^.;!?]*$/i;

/** True for a text that makes the model write this file. */
function writes(text: string, name: string): boolean {
  const file = name.replace(/^.*[/}]/, '').replace(/[^\w-]/g, '\\$&');
  return new RegExp(
    String.raw`\b(?:writ|sav|put|stor|record|append|updat|creat|improv|correct|chang|add|edit|revis|translat|repeat|draft)\w*\b[^.!?]{0,200}${file}|${file}[^!?]{0,60}\b(?:chang|improv|correct|edit|revis)`,
    'i',
  ).test(text);
}

/** The words for what the model writes into its reply, if it writes no file. */
function productOf({ source }: PromptState): string {
  const text = withoutTags(withoutLongLines(source.prompt.body.text)).replace(/\s*\n\s*/g, ' ');
  if (writesFile(text) || CHANGES.test(text)) return '';
  return [...text.matchAll(PRODUCT)].map(([, after = '', before = '']) => `${after} ${before}`).join(' ');
}

/** Work that is found outside of the reply. */
const CHANGES =
  /\b(?:fix|repair|edit|refactor|implement|rename|install|update|delete|move|commit|push|save|task_folder)\b/i;
const PRODUCT =
  /\b(?:reply|answer|respond|message)\s+with\s+([^.;:]{1,80})|([^.;:]{1,120})\s(?:in|into|as|to)\s+your\s+(?:final\s+)?(?:reply|answer|response|message)\b/gi;

/** The offset of a noun with an article that the prompt of the reply has, too. */
function referenceTo(judged: string, text: string): number | undefined {
  const theirs = new Set((judged.toLowerCase().match(/[a-z]{4,}/g) ?? []).map(stemOf));
  for (const { index, 1: article = '', 2: words = '' } of text.matchAll(NOUN))
    if (
      (!/^an?$/i.test(article) || !text.includes('{{transition}}')) &&
      words.split(/\s+/).some((word) => !COMMON.test(word) && theirs.has(stemOf(word.toLowerCase())))
    )
      return index;
  return undefined;
}

const NOUN =
  /\b(an?|the|this|these|those|that|each|every|all|any|his|her|their|it|one\s+of)\s+(?:of\s+)?(?:the\s+|these\s+|those\s+)?((?:[a-z-]+\s+){0,2}?[a-z]{4,})/gi;
const COMMON =
  /^(?:that|this|with|from|have|reply|good|right|same|other|them|they|these|those|first|last|tags?|word|words)$/i;

function stemOf(word: string): string {
  return word.replace(/(?:ies|es|s|ed|ing|y|e)$/, '');
}

/** The offset at which the sentence begins, or its line. */
function sentenceAt(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at) + 1;
  return line + Math.max(0, text.slice(line).search(/\S/));
}

/** Where a script reads a variable, or stdin, in the place of the reply. */
function blindScript(analysis: Analysis, judge: ScriptState): Blind | undefined {
  const code = plainText(judge);
  const { shell, program } = judge.source.script;
  if ((shell === undefined && program === undefined) || mayGetItOtherwise(code)) return undefined;
  if (shell === undefined ? readsInProgram(code) : /\$\{?[!#]?output\b|\bprintenv\s+output\b/.test(code))
    return undefined;
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  const found = (shell === undefined ? PROGRAM_READS : SHELL_READS).flatMap((pattern) => [...code.matchAll(pattern)]);
  const [first] = found
    .map((match) => ({ index: match.index + match[0].search(/\S/), 1: match[1] }))
    .filter(({ 1: name = '' }) => !(name in environment) && !isAssigned(code, name))
    .sort((one, other) => one.index - other.index);
  if (first === undefined) return undefined;
  const name = first[1] ?? '';
  return {
    at: judge.source.raw.at(first.index),
    why:
      name === ''
        ? 'stdin of a script is empty, and it has no arguments'
        : `${name} is not set in a judge; the reply is in output`,
  };
}

/** Variables that look as if they had the reply. */
const WRONG = String.raw`RAYMOND_(?:INPUT|RESULT)(?:_FILE)?|(?:RAYMOND_)?(?:OUTPUT|REPLY|ANSWER|RESPONSE|JUDGED_OUTPUT|LAST_OUTPUT|LAST_REPLY)(?:_FILE)?|(?:reply|answer|response|input|result|Output)`;
const SHELL_READS = [
  new RegExp(String.raw`\$\{?(${WRONG})\b`, 'g'),
  /\$\(\s*cat\s*(?:-\s*)?()\)|\bcat\s*\|()|^\s*(?:IFS=\S*\s+)?read\s+-\w*\s+\w+\s*()$|\/dev\/stdin()/gm,
];
const PROGRAM_READS = [
  new RegExp(String.raw`\b(?:os\.)?(?:environ(?:\.get\(|\[)|getenv\()\s*["'](${WRONG})["']`, 'g'),
  new RegExp(String.raw`\b(?:process\.)?env(?:\.|\[["'])(${WRONG})\b`, 'g'),
  /\bsys\.argv\b()|\bprocess\.argv\b()|\bsys\.stdin\b()|\bprocess\.stdin\b()|\breadFileSync\(\s*(?:0|["']\/dev\/stdin["'])()/g,
];

function readsInProgram(code: string): boolean {
  return /["'`]output["'`]|\benv\??\.output\b|\{[^{}\n]*\boutput\b[^{}\n]*\}\s*=\s*(?:process\.)?env\b/.test(code);
}

/** True for a script that another file, or the environment as a whole, may give the reply. */
function mayGetItOtherwise(code: string): boolean {
  return /\bRAYMOND_STATE_DIR\b|^\s*(?:source|\.)\s|^\s*(?:\bimport|from)\b[^\n]*["']\.{1,2}\/|^\s*from\s+\.|\brequire\(\s*["']\.|\bdict\(os\.environ\)|\bin\s+os\.environ\b|Object\.\w+\(process\.env\)|=\s*process\.env\s*;|\bos\.environ\.copy\(|\benviron\s*\[\s*[a-z]\w*\s*\]|\benv\[\s*[a-z]\w*\s*\]|(?<!["'\w])\.\/[\w-]+/m.test(
    code,
  );
}

/** True for a variable of bash that the script sets. */
function isAssigned(code: string, name: string): boolean {
  return (
    name !== '' &&
    new RegExp(String.raw`(?:^|[\s;(])${name}=|\b(?:read|for|local|declare)\s[^\n;]*\b${name}\b`, 'm').test(code)
  );
}

/** The rule about judges that do not see the reply. */
export const JUDGE_SIGHT_RULES: readonly Rule[] = [
  {
    id: 'unseen-reply',
    severity: 'warning',
    summary: 'A judge, which checks the replies of another state, does not read the reply that it has to check.',
    why: 'A judge gets the reply as {{output}}, or in a script as the variable output. It starts with a fresh conversation, and it has no input and an empty stdin.',
    check: unseenReplies,
  },
];
