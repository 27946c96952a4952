// Finds files that forked agents write, each to a task folder of its own, and that another agent looks for in the task folder that it has.
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges, reachableFrom, type StateNode } from '../../graph.js';
import type { PositionedText } from '../../position.js';
import { hasUnknownTargets, plainText, searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { filesAfterCd } from '../files/relative-files.js';
import { mayBeSameFile, taskFilePatterns, type TaskFile } from '../files/task-files.js';

/** The reads of files that only forked agents have written, to their own task folders. */
export function* filesOfForks(analysis: Analysis): Generator<FindingDetails> {
  const groups = agentsOf(analysis);
  if (groups === undefined) return;
  const { own, forked } = groups;
  if (own.some(fillsFolder) || forked.some(leavesFolder)) return;
  const filled = own.flatMap((state) => allFiles(state).filter((file) => isFilled(state, file)));
  const lost = forked.flatMap((state) =>
    allFiles(state).flatMap(({ name, use }) => (use === 'write' || use === 'append' ? [{ name, by: state.file }] : [])),
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
function isFilled(state: StateNode, { at, use }: TaskFile): boolean {
  const text = searchableText(state);
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return (use === 'write' || use === 'append') && !/\bmkdir\b/.test(before);
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

function textOf({ source }: StateNode): PositionedText | undefined {
  if (source.kind === 'prompt') return source.prompt.body;
  return source.kind === 'script' ? source.raw : undefined;
}
