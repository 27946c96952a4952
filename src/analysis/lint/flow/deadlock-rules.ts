// The rule about agents that wait for each other: an agent waits for a file that another state creates, and this state cannot run before the
// agent has ended or gone on.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { createsAt, fileWaitOf, type FileWait } from './file-waits.js';

/** What may happen in a run as far as it is known. */
interface Progress {
  readonly reached: Set<string>;
  readonly created: Set<string>;
}

type Waits = ReadonlyMap<string, FileWait>;

function* waitsForEachOther(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  const forks = allEdges(graph).filter(({ tag, role }) => tag === 'fork' && role === 'target');
  if (graph.entry.kind !== 'state' || forks.length === 0 || hasUnknownTargets(analysis)) return;
  const waits = waitsOf(analysis);
  if (waits.size === 0) return;
  const forked = reachableFrom(graph, { from: forks.flatMap(filesOf), accepts: isOwnTransition });
  const { reached, created } = progressOf(analysis, waits);
  for (const [file, wait] of waits) {
    const state = graph.states.get(file);
    if (state?.source.kind !== 'script' || created.has(wait.file) || !reached.has(file) || !forked.has(file)) continue;
    const [creator] = statesOf(analysis).filter((one) => one !== state && createsAt(one, wait.file) !== undefined);
    if (creator === undefined) continue;
    const why = reached.has(creator.file)
      ? `and ${creator.file} waits itself for what comes after this state`
      : `and ${creator.file} runs only after an <await> has waited for this agent`;
    yield {
      at: state.source.raw.at(wait.at + 1),
      state: file,
      message: `${file} waits for the file ${wait.file} without end: only ${creator.file} creates the file, ${why}`,
      fix: `create ${wait.file} in a state that runs before the <await>, or let ${file} end without the file`,
    };
  }
}

function filesOf({ to }: Edge): readonly string[] {
  return to.kind === 'state' ? [to.file] : [];
}

/** The states that wait for a file that another state creates; a file that none creates may come from outside. */
function waitsOf(analysis: Analysis): Waits {
  const states = statesOf(analysis);
  return new Map(
    states.flatMap((state): readonly (readonly [string, FileWait])[] => {
      const wait = fileWaitOf(state);
      const isCreated =
        wait !== undefined && states.some((one) => one !== state && createsAt(one, wait.file) !== undefined);
      return isCreated ? [[state.file, wait]] : [];
    }),
  );
}

/** The states that a run may get to, and the files that it may create: repeated until nothing is added. */
function progressOf(analysis: Analysis, waits: Waits): Progress {
  const { graph, entriesFromOutside = [] } = analysis;
  const entry = graph.entry.kind === 'state' ? [graph.entry.file] : [];
  const progress = { reached: new Set([...entry, ...entriesFromOutside]), created: new Set<string>() };
  for (let size = -1; size < progress.reached.size + progress.created.size;) {
    size = progress.reached.size + progress.created.size;
    for (const file of progress.reached) {
      const state = graph.states.get(file);
      if (state === undefined) continue;
      addCreated(progress, { state, waits });
      for (const edge of state.edges)
        if (
          edge.to.kind === 'state' &&
          !isBlocked(progress, { file, waits }) &&
          mayFollow(analysis, { edge, progress, waits })
        )
          progress.reached.add(edge.to.file);
    }
  }
  return progress;
}

function isBlocked({ created }: Progress, { file, waits }: { readonly file: string; readonly waits: Waits }): boolean {
  const wait = waits.get(file);
  return wait !== undefined && !created.has(wait.file);
}

/** Adds what a state creates; of a state that waits, only what it creates before. */
function addCreated(progress: Progress, { state, waits }: { readonly state: StateNode; readonly waits: Waits }): void {
  const own = isBlocked(progress, { file: state.file, waits }) ? waits.get(state.file) : undefined;
  for (const { file } of waits.values()) {
    const at = createsAt(state, file);
    if (at !== undefined && (own === undefined || at < own.at)) progress.created.add(file);
  }
}

/** False behind an `<await>` for an agent that cannot end yet. */
function mayFollow(
  analysis: Analysis,
  { edge, progress, waits }: { readonly edge: Edge; readonly progress: Progress; readonly waits: Waits },
): boolean {
  if (edge.tag !== 'await' || edge.role !== 'next') return true;
  const { graph } = analysis;
  const forks = allEdges(graph).filter((fork) => {
    if (fork.tag !== 'fork' || fork.role !== 'target' || fork.mention.isCertain === false) return false;
    return reachableFrom(graph, { from: [fork.from], accepts: isOwnTransition }).has(edge.from);
  });
  const accepts = (one: Edge): boolean => isOwnTransition(one) && !isBlocked(progress, { file: one.from, waits });
  return forks
    .flatMap(filesOf)
    .every((file) =>
      [...reachableFrom(graph, { from: [file], accepts })].some(
        (one) => !isBlocked(progress, { file: one, waits }) && mayEnd(graph.states.get(one)),
      ),
    );
}

function mayEnd(state: StateNode | undefined): boolean {
  return state === undefined || state.edges.length === 0 || state.edges.some(({ to }) => to.kind !== 'state');
}

/** The rule about agents that wait for each other. */
export const DEADLOCK_RULES: readonly Rule[] = [
  {
    id: 'waits-for-each-other',
    severity: 'warning',
    summary:
      'A forked agent waits for a file, but the only state that creates the file cannot run until this agent stops waiting.',
    why: 'With <await>, an agent waits until all agents that it forked have ended. If one of them waits for a file that a state after the <await> creates, or two agents each wait for a file of the other, all of them wait without end.',
    check: waitsForEachOther,
  },
];
