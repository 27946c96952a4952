// Finds files in the task folder that were written before a <reset task="new">, and that a state after it looks for in the new folder.
import { allEdges, reachableFrom, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { taskFiles } from './task-files.js';

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

function isWrittenIn(
  { graph }: Analysis,
  { behind, name }: { readonly behind: ReadonlySet<string>; readonly name: string },
): boolean {
  return [...behind].some((file) => {
    const state = graph.states.get(file);
    return state !== undefined && taskFiles(state).some((one) => one.name === name && one.use !== 'read');
  });
}
