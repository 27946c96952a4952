// Finds files in the task folder that were written before a <reset task="new">, and that a state after it looks for in the new folder.
import { allEdges, reachableFrom, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, plainText, statesOf } from '../helpers.js';
import { fillsTaskFolder } from '../paths/path-uses.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { isAlwaysUsed } from '../values/repeated-values.js';
import { mayBeSameFile, taskFilePatterns, taskFiles, type TaskFile } from './task-files.js';

/** The reads of files that are in the task folder before the reset. */
export function* filesBeforeReset(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis) || graph.entry.kind !== 'state' || (analysis.entriesFromOutside ?? []).length > 0)
    return;
  for (const reset of allEdges(graph)) {
    const { tag, role, to, from, mention } = reset;
    if (tag !== 'reset' || role !== 'target' || to.kind !== 'state') continue;
    if (mention.attributes.get('task')?.value !== 'new' || mention.source === 'policy') continue;
    yield* lostAt(analysis, { reset, from, next: to.file, entry: graph.entry.file });
  }
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
