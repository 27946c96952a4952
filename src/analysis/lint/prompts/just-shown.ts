// Finds where a prompt says that a script has just shown something, although the prompt also names files: files that hold something else, as
// the script only reads them. Pure.
import { plainText, promptsOf, searchableText, statesOf, type PromptState, type ScriptState } from '../helpers.js';
import { pathUses } from '../paths/path-uses.js';
import type { Analysis } from '../rule.js';

/** A prompt after scripts that print data. */
interface Reader {
  readonly state: PromptState;
  /** Its text without tags, each paragraph in one line. */
  readonly text: string;
  readonly scripts: readonly ScriptState[];
  readonly isFresh: boolean;
}

/** Where the prompt says so, if none of its files can hold what the scripts have shown. */
export function justShownIn(analysis: Analysis, { state, text, scripts, isFresh }: Reader): number | undefined {
  if (MAY_HOLD.test(text)) return undefined;
  const match = JUST_SHOWN.exec(text);
  if (match === null) return undefined;
  const sentence = sentenceAt(text, match.index);
  const others = statesOf(analysis).filter(
    (one) => one.source.kind === 'script' && !scripts.includes(one as ScriptState),
  );
  const code = others.map(plainText).join('\n');
  const isHarmless = (name: string): boolean =>
    scripts.every((script) => onlyReads(script, name)) &&
    (!code.includes(name) || scripts.some((script) => plainText(script).includes(name))) &&
    !holdsData(text, name);
  const files = [...text.matchAll(FILE)].map(([name]) => name);
  const inSentence = [...sentence.matchAll(FILE)].map(([name]) => name);
  if (!files.every(isHarmless) || inSentence.some((name) => !scripts.some((one) => plainText(one).includes(name))))
    return undefined;
  // In a conversation, another prompt may be what has shown it.
  const maker = match.slice(1).find(Boolean)?.toLowerCase().slice(0, 5) ?? '';
  const earlier = promptsOf(analysis).filter((one) => one !== state);
  const isSaid = !isFresh && earlier.some((one) => wordsOf(one).includes(maker));
  return isSaid ? undefined : match.index;
}

/** The words of a prompt outside of its tags, in lower case. */
function wordsOf(prompt: PromptState): string {
  const text = searchableText(prompt).replace(/<[a-z][\w-]*\b[^<>]*>(?:[^<]*<\/[a-z-]+>)?/g, ' ');
  return `${prompt.file} ${text}`.toLowerCase();
}

const FILE = /(?<![\w.{}/-])(?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4}(?![\w/(])/g;

/** What may hold the data: another folder, a value, an included file, a quotation, a command that the model runs. */
const MAY_HOLD =
  /\{\{(?:task_folder|state_dir|result|input)\b|```|~~~|^[ \t]*[>|]|(?:^|\s)@[\w./]|\b(?:run|rerun|execute)\s+(?:the|it|them|this|again|`)|`(?:git|ls|grep|npm|npx|make|pytest|python3?|node)\s/im;

/** True for a script that does nothing with a file but read it. */
function onlyReads(script: ScriptState, name: string): boolean {
  if (!plainText(script).includes(name)) return true;
  const uses = pathUses(script).filter(({ path }) => path === name || path.endsWith(`/${name}`));
  return uses.length > 0 && uses.every(({ kind }) => kind === 'read' || kind === 'test');
}

/** True if a sentence says that data stands in the file. */
function holdsData(text: string, name: string): boolean {
  return text
    .split(/[.!?]\s+/)
    .some(
      (sentence) =>
        sentence.includes(name) &&
        /\b(?:list|table|output|report|results?|findings|log|overview|figures|numbers|measurements)\b[^.]{0,60}\b(?:in|from|at|into|to|file)\b/i.test(
          sentence.slice(0, sentence.indexOf(name)),
        ) &&
        !JUST_SHOWN.test(sentence),
    );
}

function sentenceAt(text: string, index: number): string {
  const from = Math.max(...['. ', '! ', '? ', '\n'].map((mark) => text.lastIndexOf(mark, index)), 0);
  return /^[^]*?(?:[.!?]\s|\n|$)/.exec(text.slice(from + 1))?.[0] ?? '';
}

const MAKER = String.raw`(script|search|query|check(?:er)?|scan(?:ner)?|step|state|program|command|tool|count|measurement|verification|validation|validator|comparison|inspection|benchmark|profiler|analysis|build|tests?|linter|compiler|crawler|job|parser|formatter|monitor|spell\s?check(?:er)?|test\s+run)(?:\s+(?:of|for)\s+(?:the\s+)?[\w./\`-]+)?`;
const DATA = String.raw`(?:list(?:ing)?|table|outputs?|lines|report|numbers|figures|statistics|entries|overview|rows|results|records|findings|matches|messages|errors|warnings|failures|diff|counts|sizes|times|hits|measurements|scores|totals|differences|problems)`;
const PRINTED = String.raw`(?:printed|listed|logged|dumped|output|written\s+out|displayed|shown)`;
const WHAT = String.raw`(?:the|all|some|several|these|what|which|where|how|a|an|each|every|its|their|\w+s|\d|\{\{)`;

/** The words by which a prompt says so, with the word for the script as a group. */
const JUST_SHOWN = new RegExp(
  [
    String.raw`\b${MAKER}\s+(?:has|have)\s+just\s+(?:${PRINTED}|named|reported|found|measured|counted)\s+${WHAT}`,
    String.raw`\b${MAKER}\s+(?:has|have)\s+(?:already\s+)?${PRINTED}\s+${WHAT}`,
    String.raw`\b${DATA}\s+(?:that|which|as)\s+(?:the|this|our)\s+(?:[\w-]+\s+){0,2}?${MAKER}\s+(?:has\s+|have\s+)?(?:just\s+)?${PRINTED}\b`,
    String.raw`\b(${DATA})\s+(?:(?:that|which)\s+(?:was|were|has\s+been|have\s+been)\s+)?just\s+(?:${PRINTED}|measured|counted)\b`,
  ].join('|'),
  'i',
);
