// Rules about loops whose rounds have task folders of their own: what a round counts in its folder, the next one does not find.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { scriptsOf, searchableText, statesOf, withoutLongLines } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { taskFiles, type TaskFile } from './task-files.js';

/** A counter in a file of the task folder, in a loop each round of which gets a new task folder. */
function* countersOfRounds(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  if (!allEdges(graph).some(givesNewFolder)) return;
  for (const state of scriptsOf(analysis)) {
    if (!reached.has(state.file) || !isInLoop(analysis, state, () => true)) continue;
    if (isInLoop(analysis, state, (edge) => !givesNewFolder(edge))) continue;
    const counter = counterOf(state);
    if (counter === undefined || isUsedByOthers(analysis, { state, name: counter.name })) continue;
    yield {
      at: state.source.raw.at(counter.at),
      state: state.file,
      message: `every round of this loop gets a new task folder, so ${counter.name} is not in it and the count starts from the beginning each time`,
      fix: 'pass the count as an attribute, or leave out task="new" (in a <fork>, write task="inherit")',
    };
  }
}

function givesNewFolder({ tag, role, mention }: Edge): boolean {
  if (role !== 'target' || mention.malformed !== undefined) return false;
  const task = mention.attributes.get('task')?.value;
  return tag === 'reset' ? task === 'new' : tag === 'fork' && mention.source !== 'policy' && (task ?? 'new') === 'new';
}

/** True for a state that leads back to itself along the edges that `accepts` allows. */
function isInLoop({ graph }: Analysis, { file, edges }: StateNode, accepts: (edge: Edge) => boolean): boolean {
  const next = edges.flatMap((edge) => (edge.to.kind === 'state' && accepts(edge) ? [edge.to.file] : []));
  return reachableFrom(graph, { from: next, accepts }).has(file);
}

const COUNTS = /\+\s*1\b|\+\+|\+=\s*1\b|\bwc\s|\blen\(|\.length\b|\.count\(|\bgrep\s+-c/;
const COMPARES = /\s-(?:ge|gt|lt|le|eq|ne)\s|[<>]=?\s*\(?(?:\d|[A-Za-z_]\w*\s*(?:\)|:|$))|[!=]==?\s*\d/m;

/** The file in which a script counts, if the script compares the count and has no loop of its own. */
function counterOf(state: StateNode): TaskFile | undefined {
  const code = withoutLongLines(searchableText(state));
  if (!COUNTS.test(code) || !COMPARES.test(code) || /^\s*(?:for|while|until)\b/m.test(code)) return undefined;
  const uses = taskFiles(state);
  const isRead = (name: string): boolean =>
    uses.some((file) => file.name === name && (file.use === 'read' || file.use === 'test'));
  return uses.find(
    ({ name, use }) => isRead(name) && (use === 'append' || (use === 'write' && /\+\s*1\b|\+\+|\+=\s*1\b/.test(code))),
  );
}

function isUsedByOthers(
  analysis: Analysis,
  { state, name }: { readonly state: StateNode; readonly name: string },
): boolean {
  return statesOf(analysis).some((other) => other !== state && searchableText(other).includes(name));
}

/** The rule, for the table of all rules. */
export const ROUND_FOLDER_RULES: readonly Rule[] = [
  {
    id: 'counter-in-new-folder',
    severity: 'warning',
    summary:
      'A state in a loop counts in a file of the task folder, but every round of the loop gets a new task folder.',
    why: 'task="new" on <reset>, and <fork> without task="inherit", give the next round an empty task folder. The count starts from the beginning, so the loop never reaches its limit.',
    check: countersOfRounds,
  },
];
