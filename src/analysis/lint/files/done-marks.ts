// Finds loops whose script leaves out the items that have a mark beside them, such as 7.done, while another state of the loop writes the mark
// with another ending.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { reachableFrom, type StateNode } from '../../graph.js';
import { plainText, scriptsOf, statesOf, type ScriptState } from '../helpers.js';
import { folderOf, patternOf, type PathUse } from '../paths/path.js';
import { pathUses } from '../paths/path-uses.js';
import type { Analysis } from '../rule.js';

/** A mark with another ending than the script looks for. */
export interface OtherMark {
  readonly use: PathUse;
  readonly ending: string;
  readonly expected: string;
  readonly picker: string;
}

const TESTED_IN_BASH = /(?:\[\[?|\btest)\s+(?:!\s+)?-[efs]\s+["']?\$[^\s"']*(\.[a-z]\w*)["']?(?=\s)/g;
const TESTED =
  /\.with_suffix\(["'](\.[a-z]\w*)["']\)\.(?:exists|is_file)\(|\bexists(?:Sync)?\([^\n]*?(?:\}|["'`])(\.[a-z]\w*)["'`]\s*\)|\}(\.[a-z]\w*)["']\s*\)\.(?:exists|is_file)\(/g;

/** Another way to leave out items. */
const OTHER_LISTS = /\bgrep\b|\bcomm\b|\bdiff\b|\bnot in\b|\b(?:includes|has|set)\(|\bnew Set\b|>>/;

/** The endings of the marks by which a script leaves out items. */
function endingsTested(state: ScriptState): readonly string[] {
  if (OTHER_LISTS.test(plainText(state))) return [];
  const pattern = executorOf(state.file) === 'bash' ? TESTED_IN_BASH : TESTED;
  return [...new Set([...plainText(state).matchAll(pattern)].map((match) => match.slice(1).find(Boolean) ?? ''))];
}

/** The mark that no state looks for, in a state that leads back to the script which chooses the next item. */
export function otherMark(analysis: Analysis, state: ScriptState): OtherMark | undefined {
  for (const picker of scriptsOf(analysis)) {
    const [expected = '', ...more] = endingsTested(picker);
    const listed = pathUses(picker).find(({ kind, path }) => kind === 'list' && !path.includes('**'))?.path;
    if (expected === '' || more.length > 0 || listed === undefined || picker === state) continue;
    if (!isBackWithout(analysis, { state, picker, expected })) continue;
    const folder = patternOf(/\*[^/]*$/.test(listed) ? folderOf(listed) : listed);
    const inFolder = pathUses(state).filter(
      ({ kind, path }) => kind === 'write' && patternOf(folderOf(path)) === folder,
    );
    const [use, ...others] = inFolder;
    const ending = /\/\*(\.[a-z]\w*)$/.exec(patternOf(use?.path ?? ''))?.[1];
    if (use === undefined || others.length > 0 || ending === undefined || listed.endsWith(ending)) continue;
    const isUsed = statesOf(analysis).some((other) => other !== state && names(other, ending));
    if (!isUsed) return { use, ending, expected, picker: picker.file };
  }
  return undefined;
}

/** True if a state leads straight to the script, and a way from the script to the state names the mark nowhere. */
function isBackWithout(
  { graph }: Analysis,
  { state, picker, expected }: { readonly state: StateNode; readonly picker: StateNode; readonly expected: string },
): boolean {
  const isBack = state.edges.some(({ to, tag }) => tag === 'goto' && to.kind === 'state' && to.file === picker.file);
  if (!isBack || names(state, expected)) return false;
  const isPlain = (file: string): boolean => {
    const one = graph.states.get(file);
    return one !== undefined && one !== picker && !names(one, expected);
  };
  const next = picker.edges.flatMap(({ to }) => (to.kind === 'state' && isPlain(to.file) ? [to.file] : []));
  return reachableFrom(graph, { from: next, accepts: ({ from }) => isPlain(from) }).has(state.file);
}

function names(state: StateNode, ending: string): boolean {
  return new RegExp(`${literalPattern(ending)}(?!\\w)`).test(plainText(state));
}
