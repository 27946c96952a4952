// Finds states of a loop that fill the queue of the loop, or set its counter back, in every round, although another state of the loop takes one
// item of the queue, or counts.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { StateNode } from '../../graph.js';
import { isInLoopWithout, loopsIn } from '../../loops.js';
import { hasUnknownTargets, plainText, type ScriptState } from '../helpers.js';
import { takesFromQueue } from '../files/overwritten-rules.js';
import { WRITES_NUMBER } from '../numbers/unsaved-counters.js';
import { fileNameOf, type PathUse, TASK_FOLDER } from '../paths/path.js';
import { pathUses } from '../paths/path-uses.js';
import { lineFrom } from '../scripts/program-code.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** Reports each such write. */
export function* filesSetBack(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const { graph, reached } = analysis;
  for (const loop of loopsIn(graph, reached)) {
    const scripts = loop.flatMap((state): readonly ScriptState[] => {
      const { source } = state;
      return source.kind === 'script' && !analysis.syntax.has(state.file) ? [{ ...state, source }] : [];
    });
    for (const state of scripts)
      for (const use of firstWrites(state)) {
        const worker = workerOn(scripts, { state, path: use.path });
        if (worker === undefined || isInLoopWithout(graph, { file: worker.file, without: state.file, among: reached }))
          continue;
        yield { at: state.source.raw.at(use.at), state: state.file, ...messageOf(state, use, worker) };
      }
  }
}

function messageOf(state: StateNode, { path }: PathUse, worker: StateNode): Pick<FindingDetails, 'message' | 'fix'> {
  const file = fileNameOf(path);
  return {
    message: `this line runs in every round and writes ${file} from the start, so what ${worker.file} has changed in it is lost`,
    fix: `write ${file} before the loop, or let the loop return to a state after ${state.file}`,
  };
}

/** What a script may know that is different in each round. */
const NEW_IN_ROUND =
  /\b(?:subprocess|child_process|spawn|execSync|urlopen|requests|httpx|fetch|curl|wget|git|gh|find|ls|psql|sqlite3|python3?|node|date|random|sqlite|import_module)\b|\$\((?!(?:cat|printf|echo)\b)|`[^`\n]*\$\(/;

/** Where a script certainly writes a file, from what is the same in each round. */
function firstWrites(state: ScriptState): readonly PathUse[] {
  const code = plainText(state);
  const uses = pathUses(state);
  const isSame = ({ kind, path }: PathUse): boolean =>
    kind === 'write' || (kind === 'read' && /^\{RAYMOND_(?:STATE_DIR\}|INPUT_FILE\}$)/.test(path));
  const isFixed = !NEW_IN_ROUND.test(code) && uses.every((use) => isSame(use) || isHereDocument(use, code));
  return uses.filter(({ kind, path, at }) => {
    if (kind !== 'write' || !/^[\w./-]+$/.test(path.replace(TASK_FOLDER, ''))) return false;
    if (uses.some((other) => other.kind !== 'write' && other.path === path)) return false;
    const start = code.lastIndexOf('\n', at - 1) + 1;
    const line = lineFrom(code, start);
    if (/^\s|>>|["'`][ax]\+?b?["'`]|\bappend|\btee\b|\bflags?\b|&&|\|\||\bmkdir|\btouch\b/.test(line)) return false;
    return (
      !/\b(?:if|case|exit|return|while|try|trap)\b|&&|\|\|/.test(code.slice(0, start)) &&
      (isFixed || (executorOf(state.file) !== 'bash' && WRITES_NUMBER.test(line)))
    );
  });
}

/** The mark of a here-document. */
function isHereDocument({ at }: PathUse, code: string): boolean {
  return /<<-?[ \t]*["']?$/.test(code.slice(Math.max(0, at - 5), at));
}

/** The only other state of a loop that writes the file: it takes an item of it, or counts in it, once in each round. */
function workerOn(
  scripts: readonly ScriptState[],
  { state, path }: { readonly state: ScriptState; readonly path: string },
): ScriptState | undefined {
  const changes = (other: ScriptState): boolean =>
    pathUses(other).some((use) => use.path === path && (use.kind !== 'read' || /\bsed[ \t]+-i/.test(plainText(other))));
  const others = scripts.filter((other) => other.file !== state.file && changes(other));
  const [worker, second] = others;
  if (worker === undefined || second !== undefined) return undefined;
  const code = plainText(worker);
  const counts =
    executorOf(worker.file) !== 'bash' &&
    /\+[ \t]*1\b|\+\+/.test(code) &&
    /[^=\-<>][<>]=?[ \t]*[\w(]/.test(code) &&
    !/\b(?:for|while)\b/.test(code) &&
    pathUses(worker).some((use) => use.kind === 'read' && use.path === path);
  return counts || (takesFromQueue(worker, path) && !/\bwhile\b/.test(code)) ? worker : undefined;
}
