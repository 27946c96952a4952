// A rule about dispatchers: a script of a loop that takes the first file of a folder in every round, while nothing takes that file out of the
// folder.
import { executorOf } from '../../../protocol/language/resolve.js';
import { loopOf } from '../../loops.js';
import { hasUnknownTargets, mistakesOf, plainText, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { otherMark } from './done-marks.js';
import { programCode } from '../scripts/program-code.js';

/** The place in a script that takes the first file of a folder, and the name of the variable that holds it. */
interface Pick {
  readonly at: number;
  readonly name: string;
}

const FIRST_IN_BASH = /^[ \t]*(?:local |declare )?(\w+)=["']?\$\((?:ls|find)\s[^()\n]*\|\s*head\s+(?:-n\s*)?-?1\b/gm;
const LOOP_IN_BASH = /^([ \t]*)for[ \t]+(\w+)[ \t]+in[ \t]+[^\n;]*\*[^\n;]*;?\s*do\b/gm;

/** Loops that leave at the end of their first complete round. */
function loopPicks(code: string): readonly Pick[] {
  return [...code.matchAll(LOOP_IN_BASH)].flatMap(({ index, 0: head, 1: blank = '', 2: name = '' }) => {
    const rest = code.slice(index + head.length);
    const end = rest.search(new RegExp(`^${blank}done\\b`, 'm'));
    const leaves = /(?:^|[;\n])[ \t]*(?:exit(?: 0)?|break)[ \t;]*$/.test(rest.slice(0, Math.max(end, 0)).trimEnd());
    return leaves ? [{ at: index + head.search(/\bfor\b/), name }] : [];
  });
}

const LISTS = String.raw`(?:\.i?glob|\biglob|\.iterdir|\blistdir|\breaddirSync|\breaddir)\(`;

/** `files = sorted(folder.glob("*.txt"))`, or with `[0]` at the end: the first file itself. */
const LISTED = new RegExp(String.raw`^[ \t]*(?:const |let |var )?\[?(\w+)\]?\s*=[^\n=][^\n]*${LISTS}[^\n]*$`, 'gm');

const TAKES_FIRST = /\[0\];?\s*$|\.at\(0\);?\s*$|=\s*next\(|=\s*min\(|^[ \t]*(?:const |let |var )\[\w+\]/;

/** `articles = waiting()`, where the function `waiting` returns a list of files. */
function listedByFunction(code: string): readonly RegExpExecArray[] {
  const returned = new RegExp(String.raw`\b(?:def|function)\s+(\w+)\(\)[^{:]{0,40}[:{]\s*return\b[^\n]*${LISTS}`, 'g');
  return [...code.matchAll(returned)].flatMap(({ 1: name = '' }) => [
    ...code.matchAll(new RegExp(`^[ \\t]*(?:const |let |var )?(\\w+)\\s*=\\s*(?:await )?${name}\\(\\)[^\\n]*$`, 'gm')),
  ]);
}

function programPicks(code: string): readonly Pick[] {
  return [...code.matchAll(LISTED), ...listedByFunction(code)].flatMap(({ index, 0: line, 1: name = '' }) => {
    const pick = { at: index + line.search(/\S/), name };
    return TAKES_FIRST.test(line) || readsOnlyFirst(code.slice(index + line.length), name) ? [pick] : [];
  });
}

/** True for a list of which a program reads the first item, and no other. */
function readsOnlyFirst(code: string, list: string): boolean {
  const first = new RegExp(
    `\\b${list}(?:\\[0\\]|\\.at\\(0\\))|\\[\\w+\\]\\s*=\\s*${list}\\b|\\bnext\\(iter\\(${list}\\)`,
  );
  const others = new RegExp(
    `(?:\\bfor\\b[^\\n]{0,60}(?:\\bin|\\bof)\\s+${list}\\b|\\b${list}\\.(?:map|forEach|pop|shift|slice)|\\b${list}\\[[^0])`,
  );
  return first.test(code) && !others.test(code);
}

/** What takes a file out of its folder, in a script or in the words of a prompt. */
const TAKES_OUT =
  /\bmv\b|\brm\b|\bunlink|\brename|\bmov(?:e|es|ed|ing)\b|\bremov(?:e|es|ed|ing)\b|\bdelet(?:e|es|ed|ing)\b|\brmtree\b|\brmSync\b|\.replace\((?!["'/])|\barchiv(?:e|es|ed|ing)\b|\bgit\b|\btruncate\b|\bcurl\b|\bdrop/i;

/** What leaves out files by another list or another file: those that are done. */
const LEAVES_OUT =
  /\bexists(?:Sync)?\(|\bis_file\(|\bgrep\b|\bcomm\b|\bdiff\b|\bincludes\(|\bhas\(|\bnot in\b|\bfilter\((?!\(?\w+\)?\s*=>\s*(?:\w+\.endsWith\(|\/[^/\n]+\/\w*\.test\(|path\.extname))|\bset\(|\bif\b[^\n]*\bin\b|\b-(?:newer|not|mtime|mmin)\b|>>/;

/** In bash: a test of a file whose path is not that of the variable alone. */
function testsOther(code: string, name: string): boolean {
  const tests = [...code.matchAll(/(?:\[\[?|\btest)\s+(?:!\s+)?-[defrsx]\s+(\S+)/g)];
  return tests.some(({ 1: tested = '' }) => tested.replace(/["'{}]/g, '') !== `$${name}`);
}

function isInLoop({ graph }: Analysis, file: string): boolean {
  return loopOf(graph, { file, among: new Set(graph.states.keys()) }).length > 0;
}

function* pickedAgain(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const isBash = executorOf(state.file) === 'bash';
  const code = isBash ? plainText(state) : programCode(state);
  const picks = isBash
    ? [...loopPicks(code), ...[...code.matchAll(FIRST_IN_BASH)].map(({ index, 1: name = '' }) => ({ at: index, name }))]
    : programPicks(code);
  const [pick] = picks;
  if (pick === undefined || hasUnknownTargets(analysis) || !isInLoop(analysis, state.file)) return;
  if (textsOf(analysis).some((text) => TAKES_OUT.test(text)) || LEAVES_OUT.test(code)) return;
  if (isBash && testsOther(code, pick.name)) return;
  yield {
    at: pick.at,
    message: 'every round of the loop takes the same file, because nothing takes this file out of the folder',
    fix: 'move the file to another folder before the tag, or leave out the files that are done',
  };
}

function* markedOtherwise(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  if (hasUnknownTargets(analysis) || !isInLoop(analysis, state.file)) return;
  const found = otherMark(analysis, state);
  if (found === undefined || textsOf(analysis).some((text) => TAKES_OUT.test(text))) return;
  const { use, ending, expected, picker } = found;
  yield {
    at: use.madeAt ?? use.at,
    message: `${picker} leaves out what has a file ${expected}, but this state writes a file ${ending}, which no state looks for, so the next round takes the same item`,
    fix: `write the file with the ending ${expected}`,
  };
}

function textsOf({ graph }: Analysis): readonly string[] {
  return [...graph.source.files.values()].flatMap((file) =>
    file.kind === 'prompt' || file.kind === 'script' ? [file.raw.text] : [],
  );
}

/** The rule about a file that a loop takes in every round. */
export const SAME_FILE_RULES: readonly Rule[] = [
  {
    id: 'same-file-again',
    severity: 'warning',
    summary:
      'A script in a loop uses the first file of a folder in every round, but nothing removes this file from the folder, or the file that marks it as done has another ending than the script looks for.',
    why: 'The next round finds the same file first. The loop does the same work again, or forks agents for the same file, and never ends.',
    check: (analysis) =>
      mistakesOf(analysis, (state) => [...pickedAgain(analysis, state), ...markedOtherwise(analysis, state)]),
  },
];
