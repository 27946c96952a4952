// Finds relative paths that a forked agent follows in the directory where the run was started, although what they lead to is in the directory
// of the agent that has forked it.
import { reachableFrom, allEdges, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { statesOf } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { folderOf, isRelativePath, patternOf, type PathUse } from './path.js';
import { pathUses } from './path-uses.js';

/** A fork, the state that it starts, and the directories of the states that work in another one than `main` at its start. */
export interface MisplacedFork {
  readonly fork: Edge;
  readonly state: StateNode;
  readonly taker: StateNode;
  readonly moved: ReadonlyMap<string, string>;
}

/** What the forked agent does not find: a path that only states in the other directory use. */
export function relativePathNotFound(analysis: Analysis, forked: MisplacedFork): string | undefined {
  const group = agentOf(analysis, forked.taker);
  if (group === undefined) return undefined;
  const { moved, state } = forked;
  const here = statesOf(analysis).filter(({ file }) => moved.get(file) === moved.get(state.file));
  const others = statesOf(analysis).filter(({ file }) => !moved.has(file) && !group.has(file));
  const known = here.flatMap(relativeUses);
  const outside = others.flatMap(relativeUses);
  const inGroup = statesOf(analysis).filter(({ file }) => group.has(file));
  const written = inGroup.flatMap(relativeUses).filter(({ kind }) => kind === 'write' || kind === 'test');
  const passed = attributesOf(forked);
  for (const member of inGroup)
    for (const use of relativeUses(member)) {
      const isPassed = passed.some((name) => use.path.includes(`{${name}}`));
      const isRead = use.kind === 'read' || use.kind === 'list' || (use.kind === 'unknown' && isPassed);
      if (!isRead) continue;
      if (written.some(({ path }) => isSame(path, use.path) || path === folderOf(use.path))) continue;
      const isThere = known.some((one) => isEvidence(one, { use, isPassed }));
      if (isThere && !outside.some((one) => isEvidence(one, { use, isPassed: true }))) return use.path;
    }
  return undefined;
}

/** The attributes of the fork; a policy leaves them to the tag that the text shows. */
function attributesOf({ fork, state }: MisplacedFork): readonly string[] {
  const shown = fork.mention.source === 'policy' ? state.mentions.filter(({ tag }) => tag === 'fork') : [fork.mention];
  return shown.flatMap(({ attributes }) => [...attributes.keys()]);
}

/** The states of a forked agent; undefined if other agents reach them, too, or if it changes its directory. */
function agentOf({ graph }: Analysis, taker: StateNode): ReadonlySet<string> | undefined {
  const group = reachableFrom(graph, { from: [taker.file], accepts: isOwnTransition });
  const edges = allEdges(graph);
  const isOnly = edges.every(({ to, from, tag, role, mention }) => {
    if (to.kind !== 'state' || !group.has(to.file)) return true;
    if (group.has(from)) return !mention.attributes.has('cd');
    return to.file === taker.file && tag === 'fork' && role === 'target' && !mention.attributes.has('cd');
  });
  return isOnly ? group : undefined;
}

function relativeUses(state: StateNode): readonly PathUse[] {
  return pathUses(state).filter(({ path }) => isRelativePath(path));
}

/** True if what a state does with a path shows that the file of another use is in its directory. */
function isEvidence(
  { path, kind }: PathUse,
  { use, isPassed }: { readonly use: PathUse; readonly isPassed: boolean },
): boolean {
  if (kind !== 'write' && !isPassed) return false;
  if (isSame(path, use.path)) return true;
  const folder = knownFolder(use.path);
  return folder !== '' && (path === folder || knownFolder(path) === folder);
}

/** The folder of a path as far as it has no variables and wildcards. */
function knownFolder(path: string): string {
  return folderOf(patternOf(path).split('*', 1)[0] ?? '');
}

/** True if two paths with fixed beginnings may be the same. */
function isSame(one: string, other: string): boolean {
  const [pattern, second] = [patternOf(one), patternOf(other)];
  const [start = '', otherStart = ''] = [pattern, second].map((path) => path.split('*')[0]);
  if (!pattern.includes('*') && !second.includes('*')) return pattern === second;
  if (start.length < 3 || otherStart.length < 3) return false;
  const [end = '', otherEnd = ''] = [pattern, second].map((path) => path.split('*').at(-1));
  const startsAlike = start.startsWith(otherStart) || otherStart.startsWith(start);
  return startsAlike && (end.endsWith(otherEnd) || otherEnd.endsWith(end)) && folderOf(pattern) === folderOf(second);
}
