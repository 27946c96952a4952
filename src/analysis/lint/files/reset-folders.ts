// Finds files in the task folder that were written before a <reset task="new">, and that a state after it looks for in the new folder.
import { allEdges, reachableFrom, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, plainText, statesOf, textOf } from '../helpers.js';
import { fillsTaskFolder } from '../paths/path-uses.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { isAlwaysUsed } from '../values/repeated-values.js';
import { isWritten, mayBeSameFile, taskFilePatterns, taskFiles, type TaskFile } from './task-files.js';

/** The reads of files that are in the task folder before the reset. */
export function* filesBeforeReset(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis) || graph.entry.kind !== 'state' || (analysis.entriesFromOutside ?? []).length > 0)
    return;
  for (const reset of newFolders(analysis)) {
    const { to, from } = reset;
    if (to.kind === 'state') yield* lostAt(analysis, { reset, from, next: to.file, entry: graph.entry.file });
  }
}

/** The reads of files that a called state has written to a new task folder: with its result, that folder is gone. */
export function* filesAfterCall(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis) || graph.entry.kind !== 'state' || (analysis.entriesFromOutside ?? []).length > 0)
    return;
  for (const reset of newFolders(analysis)) {
    const { to, from } = reset;
    if (to.kind !== 'state') continue;
    const behind = reachableFrom(graph, { from: [to.file], accepts: isOwnTransition });
    const otherwise = reachableFrom(graph, { from: [graph.entry.file], accepts: (edge) => edge !== reset });
    const writers = [...behind].flatMap((file) => (otherwise.has(file) ? [] : (graph.states.get(file) ?? [])));
    const others = statesOf(analysis).filter((state) => !writers.includes(state));
    if (others.some((state) => fillsTaskFolder(state))) continue;
    const uses = others.flatMap((state) => [...taskFilePatterns(state), ...taskFiles(state)]).filter(isWritten);
    const written = writers.flatMap((state) => taskFiles(state).map((use) => ({ ...use, by: state.file })));
    const lost = written.filter((one) => isWritten(one) && !uses.some(({ name }) => mayBeSameFile(name, one.name)));
    for (const file of reachableFrom(graph, { from: returnsOf(analysis, from), accepts: isOwnTransition })) {
      const state = behind.has(file) ? undefined : graph.states.get(file);
      const text = state === undefined || MAY_LACK.test(plainText(state)) ? undefined : textOf(state);
      // Where nothing else writes files, the folder is empty, so the name does not matter.
      const isLost = ({ name, use }: TaskFile): boolean =>
        use === 'read' && lost.some((one) => one.name === name || (uses.length === 0 && name === '*'));
      const read = state && [...taskFiles(state), ...taskFilePatterns(state)].find(isLost);
      if (text === undefined || read === undefined) continue;
      const { name = '', by = '' } = lost.find((one) => one.name === read.name) ?? lost[0] ?? {};
      yield {
        at: text.at(read.at),
        state: file,
        message: `${by} writes ${name} to the new task folder of <reset task="new">, but after the call the agent uses the task folder of the caller again`,
        fix: 'leave out task="new", or keep the file in the working directory',
      };
    }
  }
}

/** The states at which the agent continues after the calls in which a state runs. */
function returnsOf({ graph }: Analysis, from: string): readonly string[] {
  const edges = allEdges(graph);
  const calls = edges.filter(
    ({ tag, role, to }) =>
      /^(?:call|function)$/.test(tag) &&
      role === 'target' &&
      to.kind === 'state' &&
      reachableFrom(graph, { from: [to.file], accepts: isOwnTransition }).has(from),
  );
  return edges.flatMap(({ role, to, mention }) =>
    role === 'return' && to.kind === 'state' && calls.some((call) => call.mention === mention) ? [to.file] : [],
  );
}

/** The tags that surely give the agent a new task folder. */
function newFolders({ graph }: Analysis): readonly Edge[] {
  return allEdges(graph).filter(
    ({ tag, role, mention }) =>
      tag === 'reset' &&
      role === 'target' &&
      mention.attributes.get('task')?.value === 'new' &&
      mention.source !== 'policy',
  );
}

interface Reset {
  readonly reset: Edge;
  readonly from: string;
  readonly next: string;
  readonly entry: string;
}

function* lostAt(analysis: Analysis, { reset, from, next, entry }: Reset): Generator<FindingDetails> {
  const { graph } = analysis;
  const behind = reachableFrom(graph, { from: [next], accepts: isOwnTransition });
  const otherwise = reachableFrom(graph, { from: [entry], accepts: (edge) => edge !== reset });
  const before = statesOf(analysis).filter(({ file }) => file === from || otherwise.has(file));
  const written = before.flatMap((state) => taskFiles(state).filter(({ use }) => use === 'write' || use === 'append'));
  const isAgain = otherwise.has(next) && next !== from;
  const own = isAgain ? lostInTarget(analysis, { reset, behind, next, written }) : undefined;
  if (own !== undefined) {
    yield {
      at: reset.mention.at,
      state: from,
      message: `this tag gives the agent a new task folder, in which ${next} does not find ${own}: it was written before`,
      fix: 'leave out task="new"',
    };
    return;
  }
  for (const file of behind) {
    const state = otherwise.has(file) ? undefined : graph.states.get(file);
    if (state === undefined) continue;
    const lost = taskFiles(state).find(
      ({ name, use }) =>
        use === 'read' && written.some((one) => one.name === name) && !isWrittenIn(analysis, { behind, name }),
    );
    const text = state.source.kind === 'prompt' ? state.source.prompt.body : undefined;
    const raw = text ?? (state.source.kind === 'script' ? state.source.raw : undefined);
    if (lost === undefined || raw === undefined) continue;
    yield {
      at: raw.at(lost.at),
      state: file,
      message: `${lost.name} is not in this task folder: it was written before the <reset task="new"> of ${from}, which gives the agent a new folder`,
      fix: 'leave out task="new", or keep the file in the working directory',
    };
    return;
  }
}

interface NewFolder extends Pick<Reset, 'reset' | 'next'> {
  readonly behind: ReadonlySet<string>;
  readonly written: readonly TaskFile[];
}

/** A file that the state behind the reset reads, and that no state behind the reset writes. */
function lostInTarget({ graph }: Analysis, { reset, behind, next, written }: NewFolder): string | undefined {
  const states = [...behind].flatMap((file) => graph.states.get(file) ?? []);
  const state = graph.states.get(next);
  if (state === undefined || states.some((one) => fillsTaskFolder(one)) || MAY_LACK.test(plainText(state)))
    return undefined;
  // What a tag passes may choose the branch in which the file is not needed.
  const passed = [...reset.mention.attributes.keys()].filter((name) => !/^(?:task|cd|delay)$/.test(name));
  const mayChoose = state.kind === 'script' && passed.length > 0;
  const uses = states.flatMap((one) => [...taskFilePatterns(one), ...taskFiles(one)]);
  return taskFiles(state).find(
    ({ name, use, at }) =>
      use === 'read' &&
      (!mayChoose || isAlwaysUsed(plainText(state), at)) &&
      written.some((one) => one.name === name) &&
      uses.every((one) => one.use === 'read' || !mayBeSameFile(one.name, name)),
  )?.name;
}

/** What a state says or does in case a file is not there. */
const MAY_LACK = /\b(?:try|except|catch|exists\w*|if there (?:is|are)|if any|missing)\b/i;

function isWrittenIn(
  { graph }: Analysis,
  { behind, name }: { readonly behind: ReadonlySet<string>; readonly name: string },
): boolean {
  return [...behind].some((file) => {
    const state = graph.states.get(file);
    return state !== undefined && taskFiles(state).some((one) => one.name === name && one.use !== 'read');
  });
}
