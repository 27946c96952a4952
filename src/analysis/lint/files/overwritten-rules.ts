// A rule about loops that take item after item from a queue: a script that writes the result of one item over those of the earlier ones.
import { executorOf } from '../../../protocol/language/resolve.js';
import { edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { loopsIn } from '../../loops.js';
import { plainText, scriptsOf, type ScriptState, wholeName } from '../helpers.js';
import { statesAfter } from '../numbers/unsaved-counters.js';
import { pathUses } from '../paths/path-uses.js';
import { fileNameOf, TASK_FOLDER } from '../paths/path.js';
import { lineFrom } from '../scripts/program-code.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

type Loop = readonly StateNode[];

/** What a script does with a queue of which it takes the first items. */
const SHORTENS =
  /\.(?:shift|popleft|splice)\(|\.pop\(0\)|\.slice\([1-9a-zA-Z]\w*\)|\[[1-9a-zA-Z]\w*:\]|\[[ \t]*\w+[ \t]*,[ \t]*\.\.\.\w+[ \t]*\][ \t]*=|\*\w+[ \t]*=|\btail[ \t]+-n[ \t]*"?\+|\bsed[ \t]+(?:-i[ \t]+)?["']?1(?:,\$?\w+)?d/;

function* overwritten(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsIn(analysis.graph, analysis.reached)) {
    if (statesAfter(analysis, loop) === undefined) continue;
    const scripts = scriptsOf(analysis).filter(({ file }) => loop.some((state) => state.file === file));
    for (const taker of scripts.filter((state) => takesFromQueue(state)))
      for (const state of scripts.filter(({ file }) => file !== taker.file && !analysis.syntax.has(file))) {
        const found = overwrittenBy(analysis, { state, taker, loop });
        if (found === undefined) continue;
        yield { at: state.source.raw.at(found.at), state: state.file, ...messageOf(found) };
      }
  }
}

function messageOf({ file, reader }: Overwritten): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message: `each round writes its result over that of the earlier one, so ${reader} finds only the last result in ${file}`,
    fix: `append to ${file}, or read it first and add the result`,
  };
}

/** True for a script that writes a file, or the file at this path, without the first items that were in it. */
export function takesFromQueue(state: ScriptState, queue?: string): boolean {
  const uses = pathUses(state).filter(({ path }) => queue === undefined || path === queue);
  const isRead = (path: string): boolean => uses.some((use) => use.kind === 'read' && use.path === path);
  const isShortened =
    (uses.length > 0 && /\bsed[ \t]+-i/.test(plainText(state))) ||
    uses.some(({ kind, path }) => kind === 'write' && isRead(path));
  return isShortened && SHORTENS.test(plainText(state));
}

interface Overwritten {
  readonly at: number;
  readonly file: string;
  readonly reader: string;
}

function overwrittenBy(
  analysis: Analysis,
  { state, taker, loop }: { readonly state: ScriptState; readonly taker: ScriptState; readonly loop: Loop },
): Overwritten | undefined {
  const uses = pathUses(state);
  const ownReads = /^\{RAYMOND_(?:INPUT|RESULT)_FILE\}$/;
  if (!onlyGetsResults(analysis, state) || mayReadMore(analysis, state)) return undefined;
  if (uses.some(({ kind, path }) => kind !== 'write' && !ownReads.test(path))) return undefined;
  for (const { at, path } of uses.filter(({ kind }) => kind === 'write')) {
    const file = fileNameOf(path);
    const isOne = /^[\w./-]+$/.test(path.replace(TASK_FOLDER, ''));
    if (!isOne || uses.filter((use) => use.path === path).length > 1 || !replaces(state, at)) continue;
    const named = wholeName(file);
    const { rounds, behind } = aroundEnd(analysis, { taker, loop });
    if (rounds.some((other) => other.file !== state.file && named.test(plainText(other)))) continue;
    const reader = behind.find((other) =>
      pathUses(other).some((use) => use.kind === 'read' && use.path === path),
    )?.file;
    if (reader !== undefined) return { at: startOf(state, at), file, reader };
  }
  return undefined;
}

/** True for a state that always gets the result of a fresh conversation, or of forked agents. */
function onlyGetsResults({ graph }: Analysis, { file }: StateNode): boolean {
  const edges = edgesInto(graph, file);
  const isResult = ({ tag, role }: Edge): boolean =>
    (role === 'return' && tag === 'function') || (role !== 'target' && tag === 'await');
  return edges.length > 0 && edges.every(isResult);
}

const MORE_IN_BASH =
  /\b(?:curl|wget|git|find|ls|paste|eval|source|sqlite3|python3?|node|gh|psql)\b|`|\$\((?!(?:cat|jq)\b)|^[ \t]*\.[ \t]/m;
const MORE_IN_PROGRAMS =
  /\bsubprocess\b|\bchild_process\b|\bos\.(?:system|popen)\b|\burlopen\b|\brequests\.|\bhttpx\b|\bfetch\(|\bsqlite3\b|\bimportlib\b|(?:require\(|from[ \t]+)["']\./;

/** What may give a script more than the result of this round, also a module of the package. */
function mayReadMore({ graph }: Analysis, state: ScriptState): boolean {
  const code = plainText(state);
  const modules = [...graph.source.files.values()].filter(
    ({ kind, file }) => kind === 'script' && !graph.states.has(file),
  );
  if (modules.length > 0) return true;
  if (executorOf(state.file) !== 'bash') return MORE_IN_PROGRAMS.test(code);
  return MORE_IN_BASH.test(code.replace(/^[ \t]*(?:echo|printf)\b[^\n]*<\w[^\n]*$/gm, ''));
}

const CONSTANT =
  /\.write(?:_text)?\([ \t]*["'][^"'\n]*["'][ \t]*[,)]|writeFile(?:Sync)?\([^\n]*,[ \t]*(?!["'`]utf)["'`][^"'`$\n]*["'`][ \t]*[,)]/;

/** True for a write of something computed, in each case and not at the end of the file. */
function replaces(state: ScriptState, at: number): boolean {
  const code = plainText(state);
  const start = code.lastIndexOf('\n', at - 1) + 1;
  const line = lineFrom(code, start);
  if (/^\s|>>|["'`]a\+?b?["'`]|\bappend|["'`]x["'`]|\btee[ \t]+-a|\bflags?\b|&&|\|\|/.test(line)) return false;
  if (/\b(?:exit|return)\b/.test(code.slice(0, start))) return false;
  return executorOf(state.file) === 'bash' ? /^(?:echo|printf|jq|cat|cp)\b[^>]*\$/.test(line) : !CONSTANT.test(line);
}

/** Where the written value begins as an empty list or object, or else where it is written. */
function startOf(state: ScriptState, at: number): number {
  const code = plainText(state);
  const [, name = ''] = /(?:dumps?|stringify)\([ \t]*(\w+)/.exec(code.slice(at)) ?? [];
  const start = new RegExp(
    String.raw`^(?:(?:const|let|var)[ \t]+)?${name}\b[^=\n]*=[ \t]*(?:\{\}|\[\]|dict\(\)|list\(\)|new (?:Map|Set)\(\))[ \t]*;?[ \t]*$`,
    'm',
  ).exec(code);
  return name === '' || start === null ? at : start.index;
}

/** The states that run in the rounds of a loop, or behind another exit, and those to which only the end of the queue leads. */
function aroundEnd(
  { graph }: Analysis,
  { taker, loop }: { readonly taker: ScriptState; readonly loop: Loop },
): { readonly rounds: readonly StateNode[]; readonly behind: readonly StateNode[] } {
  const files = new Set(loop.map(({ file }) => file));
  const isEnd = ({ from, tag, to }: Edge): boolean =>
    from === taker.file && /^(?:goto|reset)$/.test(tag) && to.kind === 'state' && !files.has(to.file);
  const rounds = reachableFrom(graph, { from: [...files], accepts: (edge) => !isEnd(edge) });
  const all = [...reachableFrom(graph, { from: [...files] })].flatMap((file) => graph.states.get(file) ?? []);
  return { rounds: all.filter(({ file }) => rounds.has(file)), behind: all.filter(({ file }) => !rounds.has(file)) };
}

/** The rule about results that a loop overwrites. */
export const OVERWRITTEN_RULES: readonly Rule[] = [
  {
    id: 'results-overwritten',
    severity: 'warning',
    summary:
      'A loop works through a queue, but each round overwrites the result of the round before, so the state after the loop finds only the last result.',
    why: 'writeFile, write_text and > replace what a file contains. To keep the results of all rounds, append to the file, or read the file, add the result and write it back.',
    check: overwritten,
  },
];
