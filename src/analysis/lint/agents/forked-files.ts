// Finds files that forked agents write, each to a task folder of its own, and that another agent looks for in the task folder that it has.
import { executorOf } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import type { Mention } from '../../mention.js';
import { hasUnknownTargets, plainText, searchableText, statesOf, textOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { filesAfterCd } from '../files/relative-files.js';
import { isWritten, mayBeSameFile, taskFilePatterns, type TaskFile } from '../files/task-files.js';

/** The reads of files that only forked agents have written, to their own task folders. */
export function* filesOfForks(analysis: Analysis): Generator<FindingDetails> {
  const groups = agentsOf(analysis);
  if (groups === undefined) return;
  const { own, forked } = groups;
  if (own.some(fillsFolder) || forked.some(leavesFolder)) return;
  const filled = own.flatMap((state) => allFiles(state).filter((file) => isFilled(state, file)));
  const lost = forked.flatMap((state) =>
    allFiles(state).flatMap((file) => (isWritten(file) ? [{ name: file.name, by: state.file }] : [])),
  );
  for (const state of own)
    for (const { name, at, use } of allFiles(state)) {
      if (
        use !== 'read' ||
        isOnlyNamed(state, at) ||
        filled.some((file) => mayBeSameFile(file.name, name) || name.startsWith(`${file.name}/`))
      )
        continue;
      const file = lost.find((one) => isNamed(one.name) && mayBeSameFile(one.name, name));
      const text = textOf(state);
      if (file === undefined || text === undefined) continue;
      yield {
        at: text.at(at),
        state: state.file,
        message: `the files that ${file.by} writes are not in this task folder: each forked agent writes to its own`,
        fix: 'write task="inherit" in the <fork>, or keep the files in the working directory',
      };
      break;
    }
}

interface Agents {
  readonly own: readonly StateNode[];
  readonly forked: readonly StateNode[];
}

/** The states of the agent that forks, and those of its forked agents; undefined if a forked agent may share its folder. */
function agentsOf(analysis: Analysis): Agents | undefined {
  const { graph, reached } = analysis;
  const edges = allEdges(graph).filter(({ from }) => reached.has(from));
  const forks = edges.filter(({ tag, role }) => tag === 'fork' && role === 'target');
  if (forks.length === 0 || hasUnknownTargets(analysis) || edges.some(({ tag }) => tag.endsWith('-workflow')))
    return undefined;
  const mayShare = forks.some(({ mention, from }) => {
    const state = graph.states.get(from);
    const isFree = mention.source !== 'script' && state !== undefined && /\binherit/.test(searchableText(state));
    return mention.attributes.has('task') || mention.malformed !== undefined || mention.stray !== undefined || isFree;
  });
  if (mayShare || edges.some(({ tag, mention }) => tag === 'reset' && mention.attributes.has('task'))) return undefined;
  const files = reachableFrom(graph, { from: forks.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : [])) });
  const states = statesOf(analysis).filter(({ file }) => reached.has(file));
  return {
    own: states.filter(({ file }) => !files.has(file)),
    forked: states.filter(({ file }) => files.has(file)),
  };
}

/** The files in the task folder, also those that a script names after it has changed to that folder. */
function allFiles(state: StateNode): readonly TaskFile[] {
  const named = taskFilePatterns(state).filter(({ name }) => !name.includes('..') && !/^asks\b/.test(name));
  return [...named, ...filesAfterCd(state)];
}

/** True for a file that a state writes, or a folder that it copies; not for a folder that it only creates. */
function isFilled(state: StateNode, file: TaskFile): boolean {
  const text = searchableText(state);
  const before = text.slice(text.lastIndexOf('\n', file.at - 1) + 1, file.at);
  return isWritten(file) && !/\bmkdir\b/.test(before);
}

/** True for a name that says more than that it is any file. */
function isNamed(name: string): boolean {
  return name !== '*';
}

/** True where a path stands in a tag or a message, and no command reads it. */
function isOnlyNamed(state: StateNode, at: number): boolean {
  if (state.source.kind !== 'script') return false;
  const { text } = state.source.raw;
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /<(?:result|goto|reset|call|function|fork|ask)\b|^\s*(?:echo|printf|print\(|console\.)/.test(before)
    ? !/\$\([^)]*$|<\s*["']?$/.test(before)
    : false;
}

/** True for a state that puts files into its task folder whose names its text does not show. */
function fillsFolder(state: StateNode): boolean {
  const text = plainText(state);
  if (state.source.kind === 'prompt') return /\{\{task_folder\}\}(?!\/)/.test(text) && !ONLY_READS.test(text);
  const aliases = [...text.matchAll(/(?<![\w$])(\w+)(?::\s*\w+)?\s*=[^=\n]*TASK_FOLDER/g)].map(([, name = '']) => name);
  const folder = `\\{?(?:${['RAYMOND_TASK_FOLDER', ...aliases].join('|')})\\b`;
  if (new RegExp(`<fork\\b[^\\n]*${folder}`).test(text)) return true;
  const isShell = executorOf(state.file) === 'bash';
  const tools = isShell
    ? `(?:^|[\\s;&|(])(?:tar|unzip|csplit|split|git|curl|wget|python3?|node|find)\\b[^\\n]*\\$${folder}|\\b(?:cp|mv|rsync|install|ln)\\b[^\\n]*\\$${folder}\\}?["']?/?["']?[ \\t]*(?:$|[;&|)])|(?:-o|-C|--\\w*(?:out|dir|dest|target)\\w*)[ =]["']?\\$${folder}`
    : `\\b(?:copy\\w*|move|rename\\w*|cp\\w*|extract\\w*|run|exec\\w*|spawn\\w*|cwd\\s*[=:]|check_\\w+|call)\\b[^\\n]*${folder}`;
  return new RegExp(tools, 'm').test(text);
}

const ONLY_READS = /\b(?:read|find|collect|merge|combine|open|compare|join|review)\b[^.]{0,80}\{\{task_folder\}\}/i;

/** True for a state of a forked agent that may put its files into the folder of another agent. */
function leavesFolder(state: StateNode): boolean {
  return /dirname[^\n]*TASK_FOLDER|TASK_FOLDER[^\n]*(?:\.parent|\.\.\/|dirname)|\{\{task_folder\}\}\/\.\./.test(
    plainText(state),
  );
}

/** The forks without `task="inherit"`, beside one with it, whose agents leave a file that the agent which forks looks for in its folder. */
export function* forksWithoutFolder(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  for (const state of statesOf(analysis)) {
    const { file, edges, mentions } = state;
    const forks = mentions.filter(({ tag, malformed, stray }) => tag === 'fork' && (malformed ?? stray) === undefined);
    const shared = forks.filter(({ attributes }) => attributes.get('task')?.value === 'inherit');
    const isFree = state.kind === 'prompt' && /\binherit/.test(searchableText(state).replace(/<[^<>]*>/g, ''));
    if (isFree || shared.length === 0 || shared.some(({ source }) => source === 'policy')) continue;
    for (const { body, at, source, attributes } of forks) {
      const to = edges.find((edge) => edge.role === 'target' && edge.mention.body?.value === body?.value)?.to;
      if (source === 'policy' || attributes.has('task') || to?.kind !== 'state') continue;
      const isLike = shared.some((one) => one.body?.value === body?.value);
      const lost = lostFile(analysis, { from: to.file, parent: file, attributes, isLike });
      if (lost === undefined) continue;
      yield {
        at,
        state: file,
        message: `other agents that this state forks have the task folder of ${file}, but this one gets a folder of its own, so ${lost.reader} does not find its ${lost.name}`,
        fix: 'write task="inherit" in this <fork>, too',
      };
    }
  }
}

/** A forked agent; `isLike`: another one begins at the same state, and writes the same files, apart from those that the attributes name. */
interface ForkedAgent extends Pick<Mention, 'attributes'> {
  readonly from: string;
  readonly parent: string;
  readonly isLike: boolean;
}

/** A file that only this agent writes, and the state of its parent that looks for this file. */
function lostFile(
  analysis: Analysis,
  { from, parent, attributes, isLike }: ForkedAgent,
): { readonly name: string; readonly reader: string } | undefined {
  const [agent, later] = [from, parent].map((file) =>
    reachableFrom(analysis.graph, { from: [file], accepts: isOwnTransition }),
  );
  const members = statesOf(analysis).filter(({ file }) => agent?.has(file));
  const others = statesOf(analysis).filter(({ file }) => !agent?.has(file));
  if (members.some(leavesFolder) || others.some(fillsFolder)) return undefined;
  const taken = others.flatMap(taskFilePatterns).filter(isWritten);
  const values = [...attributes.values()].map(({ value }) => value).filter((value) => /^[\w-]+$/.test(value));
  const written = members.flatMap(taskFilePatterns).flatMap((one) => (isWritten(one) ? one.name : []));
  const named = written.flatMap((name) => values.map((value) => name.replace('*', value)));
  for (const name of isLike ? named.filter((one) => !written.includes(one)) : [...named, ...written]) {
    if (name.includes('*') || taken.some((one) => mayBeSameFile(one.name, name))) continue;
    const reader = others.find((state) => later?.has(state.file) && looksFor(state, { name, isLike }));
    if (reader !== undefined) return { name, reader: reader.file };
  }
  return undefined;
}

/** True for a state that reads this file in the task folder, or all files of such agents. */
function looksFor(state: StateNode, { name, isLike }: Pick<ForkedAgent, 'isLike'> & Pick<TaskFile, 'name'>): boolean {
  const text = plainText(state);
  // A function of the script may join the name with the folder.
  if (/TASK_FOLDER/.test(text) && new RegExp(`\\w\\(["'\`]${literalPattern(name)}["'\`]\\)`).test(text)) return true;
  return taskFilePatterns(state).some(
    (one) =>
      one.use === 'read' && (one.name === name || (isLike && isNamed(one.name) && mayBeSameFile(one.name, name))),
  );
}
