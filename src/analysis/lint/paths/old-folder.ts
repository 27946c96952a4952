// Finds files of a task folder that an agent looks for in another one, because a tag on the way has given it a new task folder: a <fork>, a
// <fork-workflow>, or task="new".
import { originOf } from '../../../protocol/scope.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { folderOf, inTaskFolder, mayBeSamePath, type PathUse } from './path.js';
import { fillsTaskFolder, pathUses } from './path-uses.js';

/** The reads of files that only the folder before the tag has, in this package and in others. */
export function* filesInOldFolder(analysis: Analysis): Generator<FindingDetails> {
  yield* inThisPackage(analysis);
  yield* inOtherPackages(analysis);
}

const FIX = 'keep the file in the working directory, or let the agent keep its task folder';

function* inThisPackage(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached, entriesFromOutside = [] } = analysis;
  if (hasUnknownTargets(analysis) || graph.entry.kind !== 'state' || entriesFromOutside.length > 0) return;
  const accepts = (edge: Edge): boolean => givesFolder(analysis, edge) === 'no';
  const before = reachableFrom(graph, { from: [graph.entry.file], accepts });
  const surely = (edge: Edge): boolean => givesFolder(analysis, edge) !== 'yes';
  const maybe = reachableFrom(graph, { from: [graph.entry.file], accepts: surely });
  const states = statesOf(analysis).filter(({ file }) => reached.has(file));
  const behind = states.filter(({ file }) => !maybe.has(file));
  const written = states.filter(({ file }) => before.has(file)).flatMap(writtenFiles);
  if (behind.some((state) => fillsTaskFolder(state))) return;
  for (const state of behind) {
    const lost = lostFile(state, { written, made: behind.flatMap(writtenFiles) });
    const { source } = state;
    if (lost === undefined || (source.kind !== 'prompt' && source.kind !== 'script')) continue;
    yield {
      at: (source.kind === 'prompt' ? source.prompt.body : source.raw).at(lost.use.at),
      state: state.file,
      message: `${lost.name} is not in this task folder: ${lost.by} writes it to another one, and a tag on the way to ${state.file} gives the agent a new task folder`,
      fix: FIX,
    };
  }
}

/** Whether a tag gives the agent behind it a new task folder. */
function givesFolder({ graph }: Analysis, edge: Edge): 'yes' | 'no' | 'maybe' {
  const { tag, role, mention, from } = edge;
  if (role !== 'target' || !/^(?:fork|reset)/.test(tag)) return 'no';
  const task = mention.attributes.get('task')?.value;
  const isFork = tag.startsWith('fork');
  if (mention.malformed !== undefined || mention.stray !== undefined) return 'maybe';
  if (task !== undefined) return task === 'new' || (isFork && task !== 'inherit') ? 'yes' : 'no';
  const state = graph.states.get(from);
  const isOpen = mention.source !== 'script' && state !== undefined && /\btask\b|\binherit/.test(searchableText(state));
  return isOpen ? 'maybe' : isFork ? 'yes' : 'no';
}

function* inOtherPackages(analysis: Analysis): Generator<FindingDetails> {
  const { graph, workflows, otherPackages } = analysis;
  const seen = new Set<string>();
  for (const edge of allEdges(graph)) {
    const { to, from, mention } = edge;
    const answer = to.kind === 'workflow' ? workflows.get(to.specifier) : undefined;
    if (to.kind !== 'workflow' || answer?.kind !== 'workflow' || givesFolder(analysis, edge) !== 'yes') continue;
    const other = otherPackages.find(
      (one) =>
        originOf(one.graph.source.scope) === originOf(answer.scope) && one.graph.source.path !== graph.source.path,
    );
    if (other === undefined || seen.has(`${from} ${to.specifier}`)) continue;
    seen.add(`${from} ${to.specifier}`);
    const found = lostInPackage(analysis, { other, from, entry: answer.entry });
    if (found === undefined) continue;
    yield {
      at: mention.at,
      state: from,
      mention,
      message: `this tag gives the agent a new task folder, in which ${found.state.file} of ${to.specifier} does not find ${found.lost.name}: ${found.lost.by} writes it to another one`,
      fix:
        edge.tag === 'reset-workflow'
          ? 'leave out task="new"'
          : 'write task="inherit" in this tag, or keep the file in the working directory',
    };
  }
}

function lostInPackage(
  { graph, ...analysis }: Analysis,
  { other, from, entry }: { readonly other: Analysis; readonly from: string; readonly entry: string },
): { readonly state: StateNode; readonly lost: LostFile } | undefined {
  const all = statesOf(other);
  const own = statesOf({ graph, ...analysis }).filter(({ file }) =>
    reachableFrom(graph, { from: [file], accepts: isOwnTransition }).has(from),
  );
  const group = reachableFrom(other.graph, { from: [entry], accepts: isOwnTransition });
  const states = all.filter(({ file }) => group.has(file));
  if (all.some((state) => fillsTaskFolder(state))) return undefined;
  const made = all.flatMap(writtenFiles);
  for (const state of states) {
    const lost = lostFile(state, { written: own.flatMap(writtenFiles), made });
    if (lost !== undefined) return { state, lost };
  }
  return undefined;
}

interface Written {
  readonly name: string;
  readonly by: string;
}

interface LostFile extends Written {
  readonly use: PathUse;
}

/** The first file that a state reads in its task folder, and that only states before the tag write. */
function lostFile(
  state: StateNode,
  { written, made }: { readonly written: readonly Written[]; readonly made: readonly Written[] },
): LostFile | undefined {
  const uses = pathUses(state);
  const tested = uses.filter(({ kind }) => kind === 'test').map(({ path }) => inTaskFolder(path));
  for (const use of uses) {
    const name = inTaskFolder(use.path);
    if ((use.kind !== 'read' && use.kind !== 'list') || name === undefined || !isNamed(name)) continue;
    if (tested.some((one) => one !== undefined && (one === name || one === folderOf(name)))) continue;
    if (made.some((one) => isIn(name, one.name))) continue;
    const writer = written.find((one) => isNamed(one.name) && isIn(name, one.name));
    if (writer !== undefined) return { use, name: name.replaceAll('*', '…'), by: writer.by };
  }
  return undefined;
}

/** True for a path that says more than that it is any file, and that is not in the folder of an answer. */
function isNamed(name: string): boolean {
  return /^[\w.-]*\w[\w.-]*(?:\/|\.|$)|\.\w+$/.test(name) && !/^asks(?:\/|$)|\.\./.test(name);
}

/** True if a written file may be what a state reads, or be in the folder that it reads. */
function isIn(name: string, written: string): boolean {
  return (
    mayBeSamePath(name, written) ||
    written.startsWith(`${name}/`) ||
    (folderOf(name) !== '' && written === folderOf(name))
  );
}

function writtenFiles(state: StateNode): readonly Written[] {
  return pathUses(state).flatMap(({ kind, path }) => {
    const name = inTaskFolder(path);
    return kind === 'write' && name !== undefined ? [{ name, by: state.file }] : [];
  });
}
