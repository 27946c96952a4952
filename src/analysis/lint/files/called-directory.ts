// Finds the files that a workflow with a `cd` writes there, and that the calling package looks for in its own directory. Pure.
import { originOf } from '../../../protocol/scope.js';
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { displayText } from '../../mention.js';
import { hasUnknownTargets, plainText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { directoriesOf, joined, namedFiles } from './places.js';
import type { TaskFile } from './task-files.js';

/** What may give a directory the files of another one, or lead a script to another directory. */
export const OTHER_FILES =
  /\bpwd\b|\$\{?(?:PWD|OLDPWD)\b|getcwd|\bcwd\b|worktree|\bclone\b[^\n]*\s\.\/?(?:\s|$)|\brsync\b|copytree|symlink|\bln\s|realpath|readlink|\bresolve\(|absolute|abspath|chdir|pushd|(?:^|[\s;&|(])cd\s/im;

export const CARRIES = /\b(?:cp|mv|install|tar|unzip|copy\w*|rename\w*|move\w*)\b/;

/** A plain name, or a path with a known name at its end. */
function baseOf(name: string): string {
  return /[^/]*$/.exec(name)?.[0] ?? name;
}

/** The files of another workflow that the states behind its call do not find. */
export function* filesOfWorkflows(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const own = statesOf(analysis).filter(({ file }) => reached.has(file));
  if (hasUnknownTargets(analysis) || own.some(changesDirectory)) return;
  const reported = new Set<string>();
  for (const edge of allEdges(graph)) {
    const { to, role, tag, from, mention } = edge;
    const cd = mention.attributes.get('cd')?.value.trim() ?? '';
    if (to.kind !== 'workflow' || role !== 'target' || !reached.has(from) || /^\.?\/?$/.test(cd)) continue;
    const found = lostFile(analysis, { edge, written: filesOfOther(analysis, to.specifier), own });
    if (found === undefined || reported.has(found.reader.file)) continue;
    const { reader, file, at } = found;
    reported.add(reader.file);
    yield {
      at,
      state: reader.file,
      message: `${file.name} is not in the directory in which ${reader.file} works: ${displayText(to.specifier)} writes it in ${displayText(cd).replace(/^…$/, 'the directory of its cd')}, ${tag.startsWith('fork') ? 'and the agent that forks stays in its own directory' : 'and after the call, the agent works in its old directory again'}`,
      fix: 'write the path of that directory before the name, or let the called workflow work in this directory',
    };
  }
}

function changesDirectory(state: StateNode): boolean {
  return state.kind === 'script' && OTHER_FILES.test(plainText(state));
}

/** The names of the files that another workflow writes into its directory. */
function filesOfOther({ workflows, otherPackages }: Analysis, specifier: string): readonly string[] {
  const answer = workflows.get(specifier);
  if (answer?.kind !== 'workflow') return [];
  const other = otherPackages.find(
    ({ graph, reached }) => originOf(graph.source.scope) === originOf(answer.scope) && reached.has(answer.entry),
  );
  if (other === undefined) return [];
  const states = statesOf(other).filter(({ file }) => other.reached.has(file));
  if (
    states.some(changesDirectory) ||
    states.some(({ edges }) => edges.some(({ mention }) => mention.attributes.has('cd')))
  )
    return [];
  const files = states.flatMap(namedFiles).filter(({ name }) => !name.includes('*') && !name.includes('/'));
  const written = files.filter(({ use }) => use === 'write').map(({ name }) => name);
  return [...new Set(written)];
}

interface Called {
  readonly edge: Edge;
  readonly written: readonly string[];
  readonly own: readonly StateNode[];
}

/** A file of the workflow that a state behind the call reads by its plain name. */
function lostFile(
  analysis: Analysis,
  { edge, written, own }: Called,
): { readonly reader: StateNode; readonly file: TaskFile; readonly at: FindingDetails['at'] } | undefined {
  const { graph } = analysis;
  const behind = reachableFrom(graph, {
    from: edge.mention.attributes.size === 0 ? [] : nextOf(analysis, edge),
    accepts: ({ mention }) => !mention.attributes.has('cd'),
  });
  const directories = directoriesOf(analysis);
  const [place, ...others] = directories.get(edge.from) ?? [];
  if (place === undefined || others.length > 0) return undefined;
  for (const reader of own) {
    const [directory, ...more] = directories.get(reader.file) ?? [];
    const { source } = reader;
    const text = source.kind === 'prompt' ? source.prompt.body : source.kind === 'script' ? source.raw : undefined;
    if (!behind.has(reader.file) || directory !== place || more.length > 0 || text === undefined) continue;
    const file = namedFiles(reader).find(({ name, use }) => use === 'read' && written.includes(name));
    if (file === undefined || joined(directory, file.name) === '?' || isBrought(own, { file, reader })) continue;
    return { reader, file, at: text.at(file.at) };
  }
  return undefined;
}

/** The states at which the agent continues after a call or a fork. */
function nextOf({ graph }: Analysis, { from, mention }: Edge): readonly string[] {
  return (graph.states.get(from)?.edges ?? []).flatMap(({ mention: other, role, to }) =>
    other === mention && role !== 'target' && to.kind === 'state' ? [to.file] : [],
  );
}

/** True for a file that the package may also have in its own directory. */
function isBrought(
  own: readonly StateNode[],
  { file, reader }: { readonly file: TaskFile; readonly reader: StateNode },
): boolean {
  const base = baseOf(file.name);
  const path = new RegExp(`[/}]["'\`]?${literalPattern(base)}`);
  return own.some((state) => {
    const text = plainText(state);
    if (state !== reader) return text.includes(base);
    if (path.test(text) || namedFiles(state).some(({ name, use }) => name === file.name && /write|append/.test(use)))
      return true;
    return text.split('\n').some((line) => line.includes(`/${base}`) && CARRIES.test(line));
  });
}
