// A rule about marks: files of the task folder whose existence a script of a loop tests, although nothing in the package creates them.
import { allEdges, type StateNode } from '../../graph.js';
import { loopsIn } from '../../loops.js';
import { hasUnknownTargets, plainText, type ScriptState, statesOf, wholeName } from '../helpers.js';
import { fileNameOf, inTaskFolder, mayBeSamePath, type PathUse, UNKNOWN } from '../paths/path.js';
import { fillsTaskFolder, pathUses } from '../paths/path-uses.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* unsetMarks(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  if (hasUnknownTargets(analysis) || (analysis.entriesFromOutside ?? []).length > 0) return;
  if (
    allEdges(graph).some(({ tag }) => tag.endsWith('-workflow')) ||
    statesOf(analysis).some((state) => fillsTaskFolder(state))
  )
    return;
  for (const state of loopsIn(graph, reached).flat()) {
    const { source, file } = state;
    if (source.kind !== 'script' || analysis.syntax.has(file)) continue;
    const mark = markIn(analysis, { ...state, source });
    if (mark === undefined) continue;
    const name = fileNameOf(mark.path);
    yield {
      at: source.raw.at(mark.at),
      state: file,
      message: `${file} tests in every round whether ${name} exists, but no state creates this file`,
      fix: `create ${name} where the script leads to the part of the loop that runs only once`,
    };
  }
}

/** A plain path, which is not that of an uploaded file. */
const PLAIN = /^(?!asks\/)(?=.*[A-Za-z])[\w./-]+$/;

/** What stands before the path that a test of bash asks for. */
const TEST = /(?:\[\[?|\btest)\s+(?:!\s+)?-[efs]\s+["']?[^\s"']*$/;

function markIn(analysis: Analysis, state: ScriptState): PathUse | undefined {
  const code = plainText(state);
  return pathUses(state).find((use) => {
    const { kind, path, at } = use;
    if (kind !== 'test' || !PLAIN.test(inTaskFolder(path) ?? '')) return false;
    if (state.source.script.shell !== undefined && !TEST.test(code.slice(Math.max(0, at - 100), at))) return false;
    return timesNamed(analysis, fileNameOf(path)) === 1 && !statesOf(analysis).some((other) => mayCreate(other, use));
  });
}

function timesNamed({ graph }: Analysis, name: string): number {
  const word = wholeName(name, 'g');
  const texts = [...graph.source.files.values()].map((file) => ('raw' in file ? file.raw.text : ''));
  return texts.reduce((sum, text) => sum + (text.match(word)?.length ?? 0), 0);
}

/** True for a state that may create a file under a name which is not in its text. */
function mayCreate(state: StateNode, { path }: PathUse): boolean {
  return pathUses(state).some(({ kind, path: other }) => {
    if (kind !== 'write' && kind !== 'unknown') return false;
    return other.startsWith(UNKNOWN) || mayBeSamePath(other, path) || path.startsWith(`${other}/`);
  });
}

/** The rule about marks. */
export const UNSET_MARK_RULES: readonly Rule[] = [
  {
    id: 'mark-never-set',
    severity: 'warning',
    summary: 'A script of a loop tests whether a file of its task folder exists, but no state creates the file.',
    why: 'Such a file marks what the loop has already done. When nothing creates it, the script takes the same way in every round, so the loop may never end.',
    check: unsetMarks,
  },
];
