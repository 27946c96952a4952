// The rule about the files in task folders: the folder of a forked agent is not that of the agent that forked it.
import { allEdges, edgesInto, reachableFrom, type Edge, type Graph, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { COMPUTED } from '../../shell/words.js';
import { hasUnknownTargets, plainText, searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { filesInOldFolder } from '../paths/old-folder.js';
import { filesOfForks, forksWithoutFolder } from '../agents/forked-files.js';
import { readsInEmptyFolder } from '../agents/forked-reads.js';
import { filesAfterCall, filesBeforeReset } from './reset-folders.js';
import { taskFiles, variableTaskFile } from './task-files.js';

function* otherFolders(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  for (const fork of allEdges(graph)) {
    const { to, from, mention } = fork;
    if (fork.tag !== 'fork' || fork.role !== 'target' || to.kind !== 'state' || to.file === from) continue;
    if (mention.attributes.get('task')?.value === 'inherit' || mention.malformed !== undefined) continue;
    yield* folderOfParent(graph, fork, to.file);
  }
}

/** A forked state that reads what the forking agent has written into its own task folder. */
function* folderOfParent(graph: Graph, { from, mention }: Edge, to: string): Generator<FindingDetails> {
  const taker = graph.states.get(to);
  if (taker === undefined || mention.attributes.has('cd')) return;
  const isReachedOtherwise = allEdges(graph).some(
    (edge) => edge.to.kind === 'state' && edge.to.file === to && edge.tag !== 'fork',
  );
  if (isReachedOtherwise || (taker.source.kind !== 'prompt' && taker.source.kind !== 'script')) return;
  const written = filesBefore(graph, { from, to });
  const uses = taskFiles(taker);
  const lost = uses.find(
    ({ name, use }) =>
      use === 'read' && written.has(name) && uses.every((other) => other.name !== name || other.use === 'read'),
  );
  if (lost === undefined) {
    if (mention.source === 'script') yield* variableFile(graph, { from, taker });
    return;
  }
  const text = taker.source.kind === 'prompt' ? taker.source.prompt.body : taker.source.raw;
  yield {
    at: text.at(lost.at),
    state: to,
    message: `${lost.name} is not in this task folder: ${written.get(lost.name) ?? from} writes it to its own, and the forked agent has another one`,
    fix: 'write task="inherit" in the <fork>, or keep the file in the working directory',
  };
}

/** A file whose name a prompt completes, in a task folder that only the forking agent has filled. */
function* variableFile(
  graph: Graph,
  { from, taker }: { readonly from: string; readonly taker: StateNode },
): Generator<FindingDetails> {
  const giver = graph.states.get(from);
  const found = variableTaskFile(taker);
  if (found === undefined || taker.source.kind !== 'prompt' || giver === undefined) return;
  if (!/task_folder/i.test(searchableText(giver))) return;
  const name = found.name.replace(/[.,;:]$/, '');
  yield {
    at: taker.source.prompt.body.at(found.at),
    state: taker.file,
    message: `${name} is not in this task folder: ${from} has filled its own, and the forked agent has another one`,
    fix: 'write task="inherit" in the <fork>, or keep the file in the working directory',
  };
}

/** The files that the forking agent has written into its task folder before the fork, each with a state that does. */
function filesBefore(
  graph: Graph,
  { from, to }: { readonly from: string; readonly to: string },
): ReadonlyMap<string, string> {
  const forked = reachableFrom(graph, { from: [to] });
  const writers = [...graph.states.values()].filter(
    ({ file }) =>
      file === from ||
      (!forked.has(file) && reachableFrom(graph, { from: [file], accepts: isOwnTransition }).has(from)),
  );
  return new Map(
    writers.flatMap((state) =>
      taskFiles(state).flatMap(({ name, use }) =>
        use === 'write' || use === 'append' ? [[name, state.file] as const] : [],
      ),
    ),
  );
}

/** A file that a script writes in every one of several forked agents, and that another state reads. */
export function* overwrittenFiles(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const forks = forksOf(analysis, state);
    if (state.source.kind !== 'script' || forks === undefined) continue;
    const isShared = forks.every(({ mention }) => mention.attributes.get('task')?.value === 'inherit');
    const inTaskFolder = isShared ? taskFiles(state).filter(({ use }) => use === 'write') : [];
    for (const { name, at } of [...inTaskFolder, ...relativeFiles(state)]) {
      const reader = statesOf(analysis).find((other) => other !== state && searchableText(other).includes(name));
      if (reader === undefined || !isComputedAt(state, at)) continue;
      yield {
        at: state.source.raw.at(at),
        state: state.file,
        message: `all agents that run this state write the same file ${name}, so ${reader.file} finds only what the last one wrote`,
        fix: 'make the name of the file different for each agent, or end with <result>…</result>, which <await> collects',
      };
      break;
    }
  }
}

/** The forks by which several agents reach a state at the same time; undefined if there are none, or other ways. */
function forksOf({ graph }: Analysis, { file }: StateNode): readonly Edge[] | undefined {
  const incoming = edgesInto(graph, file);
  const isPlain = ({ tag, role, mention, from }: Edge): boolean =>
    tag === 'fork' &&
    role === 'target' &&
    from !== file &&
    mention.malformed === undefined &&
    !mention.attributes.has('cd');
  if (incoming.length === 0 || !incoming.every(isPlain)) return undefined;
  const isSeveral = incoming.some(({ from, mention }) => {
    const isInLoop = [...mention.attributes.values()].some(({ value }) => value.includes(COMPUTED));
    return mention.source === 'script' && (isInLoop || severalInOneOutput(graph, { from, file }));
  });
  return isSeveral ? incoming : undefined;
}

function severalInOneOutput(graph: Graph, { from, file }: { readonly from: string; readonly file: string }): boolean {
  const source = graph.states.get(from)?.source;
  if (source?.kind !== 'script') return false;
  const tag = new RegExp(`<fork\\b[^<>]*>\\s*${file.replace(/\.\w+$/, '')}(?:\\.\\w+)?\\s*</fork>`, 'g');
  return (source.script.flow?.paths ?? []).some(({ text }) => (text.text.match(tag)?.length ?? 0) > 1);
}

/** The files with fixed relative names that a script replaces. */
function relativeFiles(state: StateNode): readonly { readonly name: string; readonly at: number }[] {
  const code = plainText(state);
  if (/\b(?:cd|chdir|pushd|flock|mktemp)\b/.test(code)) return [];
  const path = String.raw`["']((?:[\w-]+\/)*[\w-]+\.\w+)["']`;
  const patterns = state.file.endsWith('.sh')
    ? [String.raw`(?<![>\d&=-])>\|?[ \t]*"?((?:[\w-]+\/)*[\w-]+\.\w+)"?(?=[\s;)&|]|$)`]
    : [
        String.raw`\bopen\(\s*${path}\s*,\s*(?:mode=)?["']w`,
        String.raw`(?<![\w/] ?)\bPath\(\s*${path}\s*\)\.write_(?:text|bytes)\(`,
        String.raw`\bwriteFile(?:Sync)?\(\s*${path}`,
      ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'gm'))].map((match) => ({
      name: match[1] ?? '',
      at: match.index + match[0].lastIndexOf(match[1] ?? ''),
    })),
  );
}

/** True if what a line of a script writes depends on the run: a mark for others may be written by all. */
function isComputedAt({ source }: StateNode, at: number): boolean {
  if (source.kind !== 'script') return false;
  const { text } = source.raw;
  if (source.script.shell === undefined) return true;
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /\$(?!\{?RAYMOND_TASK_FOLDER)|^\s*\}|\b(?:wc|grep|sed|awk|jq|curl|find|sort|npm|python3?|node)\b/.test(line);
}

/** Where a prompt asks to read the files of its folder. */
function promptRead(code: string): number | undefined {
  const match =
    /\b(?:read|find|collect|merge|combine|open|compare|join|review|put|go)\b[^.]*?(?=\{\{task_folder\}\})/i.exec(code);
  return match === null || /\basks\b|\bif\b/.test(code) ? undefined : match.index + match[0].length;
}

/** Where a script reads its folder, directly or by a variable that has a path in it. */
function folderRead(code: string): number | undefined {
  const use = READS.exec(code);
  if (use !== null && !/asks\b|isfile|-f\b|exists/.test(use[0])) return use.index + use[0].search(/\S/);
  const assigned = /^[ \t]*(?:(?:const|let|var|local)[ \t]+)?(\w+)(?:[ \t]*:[ \t]*\w+)?[ \t]*=(?!=)[^\n]*TASK_FOLDER/gm;
  const [first, ...others] = [...code.matchAll(assigned)];
  const name = first?.[1];
  if (first === undefined || name === undefined || others.length > 0 || /\basks\b/.test(code)) return undefined;
  const derived = new RegExp(
    `^[ \\t]*(?:(?:for|const|let|var)[ \\t]+)?(\\w+)[ \\t]*(?:=(?!=)|in\\b)[^\\n]*\\b${name}\\b`,
    'gm',
  );
  const names = [name, ...[...code.matchAll(derived)].map(([, one = '']) => one)].join('|');
  const shell = `["']?\\$\\{?(?:${names})\\b`;
  const program = `(?<![\\w.])(?:${names})\\b`;
  const writes = new RegExp(
    `>\\s*${shell}|\\b(?:tee|touch|mkdir|rm|makedirs|write\\w*)\\b[^\\n]*\\b(?:${names})\\b|${program}[^\\n]*(?:write|mkdir|touch|["'][wax]["'])|\\b(?:cp|mv)\\b[^\\n]*${shell}["'}]*[ \\t]*$`,
    'm',
  );
  const reads = new RegExp(
    `\\b(?:cat|head|tail|wc|cp|mv|jq|grep|sort|sed|awk|paste)\\b[^\\n|;]*${shell}|<\\s*${shell}|(?:open|read\\w*)\\(\\s*${program}|${program}[^\\n]*\\.(?:read\\w*|open|glob|iterdir)\\(`,
  );
  return writes.test(code) || !reads.test(code) ? undefined : first.index + first[0].search(/\S/);
}

const READS =
  /^[^#\n]*(?:\b(?:cat|head|tail|wc|cp|mv|jq|grep|sort|read)\b|<\s*|\bin\b|open\(|read|glob)[^\n]*TASK_FOLDER/m;

/** Finds the folders of other agents beside its own. */
const LOOKS_ABOVE = /TASK_FOLDER[^\n]*(?:\.parent\b|\.\.)|dirname[^\n]*TASK_FOLDER|task_folder\}\}\/\.\./;

/** A task folder that only forked agents write to, each to its own, and that a state of the forking agent reads. */
function* foldersOfForks(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const forks = allEdges(graph).filter(
    ({ tag, role, from }) => tag === 'fork' && role === 'target' && reached.has(from),
  );
  if (forks.length === 0 || forks.some(({ mention }) => mention.source === 'policy' || mention.attributes.has('task')))
    return;
  if (hasUnknownTargets(analysis)) return;
  const forked = reachableFrom(graph, { from: forks.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : [])) });
  const states = statesOf(analysis).filter(({ file }) => reached.has(file));
  const own = states.filter(({ file }) => !forked.has(file));
  const users = own.filter((state) => /task_folder/i.test(searchableText(state)));
  const [reader] = users;
  const isWritten = states.some((state) => forked.has(state.file) && writesToFolder(state));
  if (users.length !== 1 || reader === undefined || !isWritten || writesToFolder(reader)) return;
  const text = reader.source.kind === 'prompt' ? reader.source.prompt.body : undefined;
  const raw = text ?? (reader.source.kind === 'script' ? reader.source.raw : undefined);
  const code = plainText(reader);
  const at = text === undefined ? folderRead(code) : promptRead(code);
  if (LOOKS_ABOVE.test(code)) return;
  if (raw === undefined || at === undefined) return;
  yield {
    at: raw.at(at),
    state: reader.file,
    message: 'the files of the forked agents are not in this task folder: each of them writes to its own',
    fix: 'write task="inherit" in the <fork>, or keep the files in the working directory',
  };
}

function writesToFolder(state: StateNode): boolean {
  const text = plainText(state);
  if (state.source.kind !== 'prompt')
    return /(?:>\s*|tee\s+|mkdir[^\n]*|write[^\n]*|cp [^\n]+ |mv [^\n]+ )"?\$?\{?[^\n]*TASK_FOLDER/.test(text);
  return /\b(?:writ\w*|creat\w*|sav\w*|stor\w*|put)\b[^.]*\{\{task_folder\}\}/i.test(text);
}

/** The files that a forked agent looks for in its own folder; each state is reported once. */
function readsOfForkedAgents(analysis: Analysis): readonly FindingDetails[] {
  const found = [...otherFolders(analysis)];
  const reported = new Set(found.map(({ state }) => state));
  return [...found, ...[...readsInEmptyFolder(analysis)].filter(({ state }) => !reported.has(state))];
}

function filesInOtherFolders(analysis: Analysis): readonly FindingDetails[] {
  const found = [...filesOfForks(analysis), ...forksWithoutFolder(analysis)];
  return found.length > 0 ? found : [...foldersOfForks(analysis)];
}

function otherTaskFolders(analysis: Analysis): readonly FindingDetails[] {
  const found = [
    ...readsOfForkedAgents(analysis),
    ...filesInOtherFolders(analysis),
    ...filesBeforeReset(analysis),
    ...filesAfterCall(analysis),
  ];
  const reported = new Set(found.map(({ state }) => state));
  const all = [...found, ...[...filesInOldFolder(analysis)].filter(({ state }) => !reported.has(state))];
  return withForkForBoth(analysis, all);
}

/** Where both the forked agent and the one that forks it miss files of the other, the tag that forks is the mistake. */
function withForkForBoth({ graph }: Analysis, found: readonly FindingDetails[]): readonly FindingDetails[] {
  const edges = allEdges(graph);
  const forks = edges.filter(({ tag, role }) => tag === 'fork' && role === 'target');
  const targets = new Set(forks.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : [])));
  const [fork] = forks;
  if (fork === undefined || targets.size !== 1 || edges.some(({ mention }) => mention.attributes.has('task')))
    return found;
  const group = reachableFrom(graph, { from: [...targets], accepts: isOwnTransition });
  const forked = found.find(({ state = '' }) => group.has(state))?.state;
  const other = found.find(({ state = '' }) => !group.has(state))?.state;
  if (forked === undefined || other === undefined || group.has(fork.from)) return found;
  const message = `the forked agent gets a task folder of its own: ${forked} does not find there the files of this agent, and ${other} does not find the files of the forked one`;
  return [{ at: fork.mention.at, state: fork.from, message, fix: 'write task="inherit" in this <fork>' }];
}

/** The rule about files in task folders. */
export const FOLDER_RULES: readonly Rule[] = [
  {
    id: 'other-task-folder',
    severity: 'warning',
    summary:
      'A state looks in the task folder of its agent for a file that another agent, or the same agent before a <reset task="new">, wrote to another task folder.',
    why: 'Each forked agent has a task folder of its own, which is empty at first. With task="inherit" it shares the folder of the agent that forked it.',
    check: otherTaskFolders,
  },
];
