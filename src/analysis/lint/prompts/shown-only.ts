// Finds prompts that need data which the script before them only prints: no tag passes the data, no file holds it, and the prompt names no
// other source. Pure.
import { edgesInto, type Edge } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { justShownIn } from './just-shown.js';
import { plainText, withoutLongLines, type PromptState, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { sharesPath } from '../scripts/exclusive-branches.js';
import { shownBy, writesFile, type Shown } from './shown-data.js';

/** Where a prompt speaks of such data; `isFresh` = no other prompt can have begun its conversation. */
export function shownOnlyIn(
  analysis: Analysis,
  { state, isFresh }: { readonly state: PromptState; readonly isFresh: boolean },
): number | undefined {
  const shown = shownBefore(analysis, state);
  if (shown === undefined) return undefined;
  const text = blanked(withoutLongLines(state.source.prompt.body.text));
  const source = otherSourceIn(text, shown);
  if (source === 'file') return justShownIn(analysis, { state, text, scripts: shown.scripts, isFresh });
  const isData = shown.kind === 'data';
  const named = isFresh && source === undefined ? [GIVEN, SHOWN, FORM] : [SHOWN, NOW_KNOWN];
  const isWeak = isFresh && isData && source === undefined && !FINDS_ITSELF.test(text);
  const things = isWeak ? [...text.matchAll(THINGS)].filter((match) => isThingOf(shown.words, match)) : [];
  const bare = isWeak ? [...text.matchAll(BARE)].filter((match) => isThingOf(shown.shown, match)) : [];
  const first = isWeak ? [...text.matchAll(FIRST)].filter((match) => isThingOf(shown.words, match)) : [];
  const reported = [...text.matchAll(REPORTED)].filter(([, tool = '']) =>
    shown.words.has(singular(tool.toLowerCase())),
  );
  const found = [...named, ...(isWeak ? [NAMED, NEEDED] : [])].flatMap((pattern) => [...text.matchAll(pattern)]);
  const given = [...found, ...things, ...bare, ...first, ...reported].filter((match) => refersToGiven(text, match));
  return given.map(({ index, 0: words }) => index + words.search(/[\w`]/)).sort((one, other) => one - other)[0];
}

/** Blanks tags, and joins the lines of a paragraph. */
function blanked(text: string): string {
  const plain = text.replace(/<([a-z][\w-]*)\b[^<>]*>(?:[^<]*<\/\1>)?/g, (tag) => ' '.repeat(tag.length));
  return plain.replace(/(?<!\n)\n(?![\n\s*>|#-])/g, ' ');
}

/** What the scripts before a prompt print. */
interface ShownBefore {
  readonly kind: 'data' | 'log';
  /** The words of these scripts: names, commands and texts. */
  readonly words: ReadonlySet<string>;
  /** The words of what they print. */
  readonly shown: ReadonlySet<string>;
  readonly scripts: readonly ScriptState[];
}

/** What all scripts that lead to a prompt print and do not pass on. */
function shownBefore(analysis: Analysis, { file, source }: PromptState): ShownBefore | undefined {
  const edges = edgesInto(analysis.graph, file);
  const scripts = new Set<ScriptState>();
  const all: Shown[] = [];
  for (const edge of edges) {
    const giver = scriptOf(analysis, edge);
    if (giver === undefined || passesData(giver, edge)) return undefined;
    const earlier = scriptsBefore(analysis, giver);
    for (const script of [giver, ...earlier]) scripts.add(script);
    all.push(...shownOnPathTo(giver, edge), ...earlier.flatMap(shownBy));
  }
  if (/\{\{(?!task_folder|agent_id|workflow_id)/.test(withoutCounts(source.prompt.body.text, edges))) return undefined;
  if (all.length === 0 || [...scripts].some(writesFile)) return undefined;
  const words = new Set([...scripts].flatMap((script) => wordsOf(plainText(script))));
  const kind = all.some((one) => one.kind === 'data') ? 'data' : 'log';
  return { kind, words, shown: new Set(all.flatMap((one) => wordsOf(one.words))), scripts: [...scripts] };
}

/** What a script prints on the way to a tag. */
function shownOnPathTo(script: ScriptState, { mention }: Edge): readonly Shown[] {
  const { line, column } = mention.at;
  const { raw } = script.source;
  const lines = [...raw.text.matchAll(/^/gm)].map(({ index }) => index);
  const start = lines.find((index) => raw.at(index).line === line);
  if (start === undefined) return shownBy(script);
  const tag = start + column - raw.at(start).column;
  const isOnPath = sharesPath(script);
  return shownBy(script).filter(({ at }) => isOnPath(at, tag));
}

function scriptOf({ graph }: Analysis, { from, role }: Edge): ScriptState | undefined {
  const giver = graph.states.get(from);
  return giver?.source.kind === 'script' && role === 'target' ? (giver as ScriptState) : undefined;
}

/** The script that leads to a script which prints nothing itself, if there is only this one. */
function scriptsBefore(analysis: Analysis, script: ScriptState): readonly ScriptState[] {
  const edges = edgesInto(analysis.graph, script.file);
  const [first] = edges;
  const giver = edges.length === 1 && first !== undefined ? scriptOf(analysis, first) : undefined;
  return giver === undefined || giver === script || shownBy(script).length > 0 ? [] : [giver];
}

/** What the output of a command consists of. */
const THINGS_OF: readonly (readonly [RegExp, string])[] = [
  [/\bgit\s+(?:log|shortlog)\b/, 'commit subject author message'],
  [/\bgit\s+branch\b/, 'branch'],
  [/\bgit\s+tag\b/, 'tag version'],
  [/\b(?:ls|find|tree)\s/, 'file folder directory'],
  [/\bdu\s/, 'folder directory size'],
  [/\bps\s/, 'process program'],
  [/\b(?:curl|feed)\b/, 'headline title'],
];

/** The words of a code, in the singular. */
function wordsOf(code: string): readonly string[] {
  const named = THINGS_OF.flatMap(([command, words]) => (command.test(code) ? words.split(' ') : []));
  const words = code.match(/[A-Z]?[a-z]{2,}|[A-Z]{3,}/g) ?? [];
  return [...named, ...words.map((word) => singular(word.toLowerCase()))];
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=ch|sh|x|ss)es$|(?<![su])s$/, '');
}

/** A text without the variables that all these tags pass: those pass no data. */
function withoutCounts(text: string, edges: readonly Edge[]): string {
  return text.replace(/\{\{(\w+)\}\}/g, (variable, name: string) =>
    edges.every(({ mention }) => mention.attributes.has(name)) ? '' : variable,
  );
}

/** True for a tag that may pass more than a number, a date, a name or a fixed text. */
function passesData(script: ScriptState, { mention }: Edge): boolean {
  if (mention.malformed !== undefined || mention.stray !== undefined) return true;
  const code = plainText(script);
  return [...mention.attributes].some(([name, { value }]) => isComputed(value) && !isScalar(code, name));
}

/** True for an attribute whose value is a variable with a number, a date or the name of something. */
function isScalar(code: string, attribute: string): boolean {
  const [, variable] = new RegExp(`\\b${attribute}=\\\\?["']\\s*\\$?\\{?(?:len\\()?(\\w+)`).exec(code) ?? [];
  if (variable === undefined) return false;
  if (
    new RegExp(
      `\\(\\([^)\\n]*\\b${variable}\\b[^)\\n]*[<>]|\\$\\{?${variable}\\}?"?\\s+-(?:[gl][et]|eq|ne)\\b|(?<![\\w.$])${variable}\\s*[<>]=?\\s`,
    ).test(code)
  )
    return true;
  const count = String.raw`(?:["']?\$\([^\n]*(?:\bwc[ \t]+-[lwc]\b|\bgrep[ \t]+-[a-z]*c\b|--count\b|\bdu[ \t]+-[a-z]*s)|[\"']?\$\(\s*(?:date|hostname|basename|pwd|git\s+(?:rev-parse|symbolic-ref|describe))\b|[\w.]+\.(?:strftime|today|now|isoformat|toISOString|toLocaleDateString)\(|["']?\$\{?[A-Z][A-Z_]{2,}\b|(?:os\.)?environ\b|os\.getenv\(|process\.env\b|["']?\$\(\(|\$\{#|\d+\b|len\(|sum\(1?\b|(?:int|float|round|Number|parseInt|parseFloat|Math\.\w+)\(|[\"']?\$\{\w+:-\d+\}|[\w.]+\.(?:length|size)\b)`;
  return (
    new RegExp(`(?<![\\w.])${variable}\\s*(?::\\s*\\w+\\s*)?=\\s*${count}`).test(code) ||
    new RegExp(`\\{(?:len\\(${variable}\\)|${variable}\\.(?:length|size))\\}`).test(code)
  );
}

const PATH =
  /(?<![\w.@}/])@?(?:\{\{task_folder\}\}\/?[\w.{}*/-]*|(?:\.{0,2}\/)?(?:[\w*-]+\/)+[\w.*-]*|[\w*-]+\.[a-z]\w{0,4}(?![\w/(]))/g;
const WRITES =
  /\b(?:writ\w*|wrote|creat\w*|sav\w*|stor\w*|put|record\w*|append\w*|add|list|note|collect|updat\w*|describ\w*|fill|keep|into|to|as)\b/gi;
const READS = /\b(?:read|open|load|merge|combine|review|take|follow|compare|look|check|find|from|see|correct|fix)\b/gi;

/** What else may hold the data: a command, a fence or a file; or a folder or the tests, which can hold only a part of it. */
function otherSourceIn(text: string, { words }: ShownBefore): 'file' | 'folder' | undefined {
  if (/```|~~~|^[ \t]*>|^[ \t]*\|/m.test(text) || RUNS.test(text)) return 'file';
  const written = new Set<string>();
  const read = [...text.matchAll(PATH)].flatMap(({ index, 0: path }) => {
    const name = path.replace(/[.,;:]+$/, '');
    const sentence =
      text
        .slice(Math.max(0, index - 240), index)
        .split(/[.!?:;]\s/)
        .at(-1) ?? '';
    const last = (pattern: RegExp): number => [...sentence.matchAll(pattern)].at(-1)?.index ?? -1;
    const isWritten = !path.startsWith('@') && last(WRITES) > last(READS);
    if (isWritten) written.add(name);
    return isWritten || written.has(name) || /\be\.g\b|\bi\.e\b/.test(path) ? [] : [name];
  });
  const runsTests = /\brun\s+(?:the|all)\s+(?:\w+\s+)?tests?\b/i.test(text);
  if (read.some((name) => !/^[\w./-]+\/$/.test(name)) || (runsTests && (words.has('test') || words.has('pytest'))))
    return 'file';
  return read.length > 0 || runsTests ? 'folder' : undefined;
}

/** A command that the model runs. */
const RUNS =
  /(?<!\bnot\s)(?<!\bnever\s)(?<!\bwithout\s)\b(?:(?<!\b(?:test|last|the|this|that|each|every|a|of|[a-z]+(?:st|nd|rd|th)) )[Rr]un|[Rr]erun|[Ee]xecute|[Ff]etch|[Cc]all)\s+(?!(?:the|all)\s+(?:\w+\s+)?tests?\b)(?:the|it|them|this|all|again|`|git|make|npm|pytest)|`(?:git|ls|grep|npm|npx|make|pytest|cat|find|python3?|node|gh|curl|jq)[ `]/;

const DATA = String.raw`(?:list(?:ing)?|table|outputs?|logs?|lines|report|numbers|figures|statistics|entries|overview|rows|results|records|findings|matches|messages|errors|warnings|failures|diff|counts|sizes|titles|headlines|hits|measurements|scores|totals|differences)`;
const MADE = String.raw`(?:listed|shown|named|printed|found|counted|collected|reported|given|gathered|extracted|measured|detected|displayed|output|dumped|fetched|queried|computed)`;
const PROGRAM = String.raw`(?:script|search|query|check|scan|step|state|program|command|tool|count|run|runs|measurement|build|tests?|linter|compiler|scanner|crawler|job|analysis|checker|parser|validator|formatter|monitor|detector|finder|suite)`;

/** Data by the name of a form. */
const FORM =
  /\b(?:from|in|on|of|see|with|through|under)\s+(?:the|this|that)\s+(?:[\w-]+\s+)?(?:list|listing|table|outputs?|log|statistics|figures|overview)\b(?!\s+of\s+contents)/gi;

/** What the prompt takes for given, by the words of giving. */
const GIVEN = new RegExp(
  [
    String.raw`\byou\s+(?:can\s+|will\s+)?(?:now\s+|already\s+|also\s+)?(?:see|know|have(?:\s+got|\s+received|\s+seen)?|get|got|receive|find\s+here)\s+(?:the|a|an|all|for|which|what|each|every|how|its|their|these|those|two|three|some)\b`,
    String.raw`\b(?:that|which)\s+you\s+(?:have\s+)?(?:just\s+)?(?:got|get|see|saw|received|were\s+(?:given|shown)|have)\b`,
    String.raw`\b(?:the|these|all)\s+(?:[\w-]+\s+){0,2}?[a-z]{2,}s\s+(?:above|below)(?=[\s]*[.,;:]|\s+(?:have|are|do|has|is|in|by|and|into|to)\b)`,
    String.raw`\b(?:here|these)\s+(?:is|are)\s+(?:the|all|a|some)\b`,
    String.raw`\b(?:is|are|was|were|has\s+been|have\s+been)\s+(?:just\s+|all\s+)?(?:listed|shown|printed|counted|collected|displayed|gathered)\b`,
    String.raw`\b${MADE}\s+(?:here|above|before|below|earlier)\b`,
    String.raw`(?:^|[.!?]\s+|\n)\s*(?:above|below)\s+(?:is|are|you)\b`,
  ].join('|'),
  'gi',
);

/** Data by the name of its form. */
const NAMED = new RegExp(
  [
    String.raw`\b(?:the|these|those|each\s+of\s+the|all|every\s+one\s+of\s+the)\s+(?:[\w-]+\s+){0,3}?${DATA}\b(?!\s+of\s+(?:your|the\s+(?:reply|answer|file))\b)`,
    String.raw`\b(?:the|each|every)\s+(?:[\w-]+\s+){0,2}(?:line|row|entry|item|record|number|finding|match|candidate|message)\s+(?:that|which|of\s+the|in\s+the)\b`,
  ].join('|'),
  'gi',
);

/** Data by the program that has made it. */
const SHOWN = new RegExp(
  [
    String.raw`\b(?:output|results?|report|list|lines|log|numbers|table|findings|data|figures|messages)\s+(?:of|from|by)\s+(?:the|this|that|our)\s+(?:[\w-]+\s+){0,2}?${PROGRAM}\b`,
    String.raw`\b(?:that|which|what|as)\s+(?:the|our)\s+(?:[\w-]+\s+){0,2}?${PROGRAM}\s+(?:(?:has|have|had)\s+)?(?:just\s+)?(?:${MADE}|lists|shows|prints|finds|reports|gave|gives|says|said)\b`,
    String.raw`\b${PROGRAM}\s+(?:(?:has|have|had)\s+)?(?:just\s+)?${MADE}\s+(?:the|some|all|these|several|a|its)\b`,
    String.raw`\b${MADE}\s+(?:just\s+now\s+)?(?:by|in|from)\s+(?:the|this)\s+(?:[\w-]+\s+){0,3}?${PROGRAM}\b`,
    String.raw`\bthe\s+(?:[\w-]+\s+){0,2}?${PROGRAM}\s+(?:has|have|had)\s+(?:just\s+)?(?:looked|gone|searched|complained|flagged|objected|compared|checked|scanned|walked)\b`,
    String.raw`\b(?:printed|on\s+(?:the\s+)?(?:stdout|standard\s+output|console|terminal|screen))\b`,
  ].join('|'),
  'gi',
);

/** Data that is new in a conversation. */
const NOW_KNOWN =
  /\b(?:you\s+now|now\s+you|by\s+now\s+you)\s+(?:also\s+)?(?:see|know|have|get)\s+(?:the|a|all|for|which|what|each|how|its|their|these|those)\b/gi;

/** A prompt that lets the model look for the data. */
const FINDS_ITSELF =
  /\b(?:this|the|our)\s+(?:repository|repo|project|code\s*base|working\s+(?:tree|directory|copy)|checkout|workspace|source\s+(?:code|files|tree))\b|\b(?:look\s+(?:at|into|through)|inspect|search|browse|open|read|go\s+through|find)\s+(?:the|all|every|each|this|its|their)\s+(?:[\w-]+\s+){0,2}(?:files?|folders?|director(?:y|ies)|source|code|tests?|documentation|pages?|website|web)\b|\b(?:connect\s+to|query\s+(?:the|it|its)|look\s+up|visit|download)\b|\b(?:under|inside)\s+(?!the\s+(?:heading|title|headline))[`\w]|\b(?:in|of|from)\s+the\s+(?:folder|directory)\b|\bin\s+`\w+`|\b(?:use|using|with|by|via)\s+(?:git|gh|grep|curl|jq|your\s+tools)\b/i;

const WORKS_ON = String.raw`(?:summari[sz]e|translate|classify|group|sort|rank|order|compare|explain|rate|judge|answer|shorten|categori[sz]e|prioriti[sz]e|filter|interpret|analy[sz]e|assess|condense|proofread|correct|rewrite|evaluate|check|examine|choose|pick|select)`;

/** What a text needs, though it does not say where it is. */
const NEEDED = new RegExp(
  [
    String.raw`\b(?:each|every\s+one|any|none|all|both|which|some|those|most|one|two|three)\s+of\s+(?:them|these|those)\b`,
    String.raw`\b(?:do|does|is|are|has|have|did)\s+(?:each|every|any|all|some)\s+(?:of\s+)?[a-z-]{3,}`,
    String.raw`\b(?:these|those|both)\s+(?:[\w-]+\s+)?[a-z]{2,}s\b`,
    String.raw`\b(?:for|to|of|in|about)\s+(?:each|every)\s+(?:such\s+)?[a-z-]{3,}`,
    String.raw`(?:^|[.!?]\s+|\n)\s*(?:from|based\s+on|according\s+to|judging\s+by|given)\s+(?:the|this|these|those|all)\s+[a-z]{3,}`,
    String.raw`\b(?:first|second|third|last|left|right)\s+(?:column|field|row)\b`,
    String.raw`(?:^|[.!?]\s+|\n)\s*(?:please\s+|now\s+|then\s+)?${WORKS_ON}\s+(?:all|both|the|these|those|today's|yesterday's|this|each|every)\s+(?:[\w-]+\s+)??[a-z]{3,}\b`,
  ].join('|'),
  'gi',
);

/** Things that a text speaks of as known. */
const THINGS =
  /\b(?:(each|every|these|those|all\s+the)\s+(?:of\s+(?:the|these|those)\s+)?|(?:the|all|some|there\s+(?:are|were))\s+)((?:[a-z-]+\s+){0,2}?[a-z]{3,})(?=\s+(?:that|which|who|whose|of|in|on|at|for|from|with|by|to|and|or|is|are|was|were|has|have|do|does|did|as)\b|\s*[^\sa-z-]|\s*$)/gi;

/** Things without an article: "wait for locks". */
const BARE = /(?:^|\s)()([a-z]{3,}s)\b/gi;

/** Things at the beginning of a sentence: "Put crashes with the same cause into one cluster." */
const FIRST = /(?:^|[.!?]\s+|\n)\s*[A-Z][a-z]+\s+()([a-z]{3,}s)\b/g;

/** A program by its name: "mypy has reported". */
const REPORTED = new RegExp(
  String.raw`\b\`?([a-z][\w-]*)\`?\s+(?:(?:has|have|had)\s+)?(?:just\s+)?(?:${MADE}|complained|flagged|raised|objected|lists|shows|prints|finds|reports)\b`,
  'gi',
);

/** Plurals without an s. */
const IRREGULAR = /^(?:people|children|men|women|criteria)$/;

/** Words that nearly every script has. */
const COMMON =
  /^(?:file|line|name|text|value|result|path|user|test|state|input|output|print|echo|status|change|word|number|key|part|argument|option|process|program|module|import|system)$/;

/** True for things of which a script has the word. */
function isThingOf(words: ReadonlySet<string>, { 1: determiner, 2: phrase = '' }: RegExpExecArray): boolean {
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .some((noun) => {
      const one = singular(noun);
      return (
        words.has(one) && ((determiner ?? '') !== '' || ((one !== noun || IRREGULAR.test(noun)) && !COMMON.test(one)))
      );
    });
}

/** True for words that mean neither what the prompt itself makes nor a part of it. */
function refersToGiven(text: string, { index, 0: words }: RegExpExecArray): boolean {
  const before = text.slice(Math.max(0, index - 4000), index);
  if (
    /\b(?:writ\w+|creat\w+|mak\w+|produc\w+|draft\w*|compos\w+|prepar\w+|updat\w+|sav\w+|return|reply\s+with|answer\s+with|put|number)\s+$/i.test(
      before,
    )
  )
    return false;
  if (/\s(?:them|these|those)$/i.test(words)) return !new RegExp(`\\b${SOME}\\s`, 'i').test(before);
  const noun = /(\w+?)s?$/.exec(words)?.[1] ?? words;
  return !new RegExp(String.raw`\b(?:an?|your|one|${SOME})\s+(?:[\w-]+\s+){0,3}?${noun}`, 'i').test(before);
}

/** Words before things that a prompt lets the model make. */
const SOME = String.raw`(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d+|several|few|many)`;
