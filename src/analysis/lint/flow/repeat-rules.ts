// Rules about what a loop repeats although the earlier one has not ended: calls that nest deeper in each round, and agents that are forked again
// after a timeout.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, searchableText } from '../helpers.js';
import { deepCalls } from './nested-calls.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { forksPendingAt } from '../agents/wave-rules.js';

/** A state after the timeout of an `<await>` that forks at the same state as before. */
function* forkedAgain(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis)) return;
  const seen = new Set<string>();
  for (const edge of allEdges(graph)) {
    const { tag, role, to, from } = edge;
    if (tag !== 'await' || role !== 'timeout' || to.kind !== 'state') continue;
    const pending = new Set(
      forksPendingAt(analysis, from).flatMap((fork) => (fork.to.kind === 'state' ? [fork.to.file] : [])),
    );
    const again = forkAfter(analysis, { edge, pending });
    const key = JSON.stringify(again?.at);
    if (again === undefined || seen.has(key)) continue;
    seen.add(key);
    yield {
      at: again.at,
      state: again.state,
      message: `after the timeout of the <await> in ${from}, the agents keep running; this starts agents at ${again.target} again, so their work is done twice`,
      fix: 'wait for the same agents by another <await>, or continue without them',
    };
  }
}

interface Again {
  readonly at: FindingDetails['at'];
  readonly state: string;
  readonly target: string;
}

/** Where the state after a timeout forks again: itself, or in the state to which it goes at once. */
function forkAfter(
  { graph }: Analysis,
  { edge, pending }: { readonly edge: Edge; readonly pending: ReadonlySet<string> },
): Again | undefined {
  const late = edge.to.kind === 'state' ? graph.states.get(edge.to.file) : undefined;
  if (late === undefined || /\bcancel\b/.test(searchableText(late))) return undefined;
  const own = forkOf(late, pending);
  if (own?.to.kind === 'state') {
    const isFirst = reachableFrom(graph, { from: [late.file], accepts: isOwnTransition }).has(edge.from);
    const at = isFirst && isFirstFork(graph, { late, edge }) ? edge.at : own.at;
    return { at, state: at === edge.at ? edge.from : late.file, target: own.to.file };
  }
  const exits = late.edges.filter(({ role }) => role === 'target');
  for (const { tag, role, to, at, mention } of exits) {
    if (role !== 'target' || !/^(?:goto|reset)$/.test(tag) || to.kind !== 'state' || mention.attributes.has('delay'))
      continue;
    const next = graph.states.get(to.file);
    const fork = next === undefined ? undefined : forkOf(next, pending);
    // Where there is another way, the state may have seen that nothing runs any more.
    if (fork?.to.kind === 'state' && exits.length === 1) return { at, state: late.file, target: fork.to.file };
  }
  return undefined;
}

function forkOf({ edges, mentions }: StateNode, pending: ReadonlySet<string>): Edge | undefined {
  const forks = edges.filter(
    ({ tag, role, to }) => tag === 'fork' && role === 'target' && to.kind === 'state' && pending.has(to.file),
  );
  const [fork] = forks;
  const shown =
    fork === undefined ? undefined : mentions.find(({ tag, source }) => tag === 'fork' && source === 'text');
  return fork === undefined || shown === undefined ? fork : { ...fork, at: shown.at };
}

/** True for a state that also forks when nothing has timed out. */
function isFirstFork(
  graph: Analysis['graph'],
  { late, edge }: { readonly late: StateNode; readonly edge: Edge },
): boolean {
  const isEntry = graph.entry.kind === 'state' && graph.entry.file === late.file;
  return isEntry || allEdges(graph).some((one) => one !== edge && one.to.kind === 'state' && one.to.file === late.file);
}

/** Rules about what is repeated too early. */
export const REPEAT_RULES: readonly Rule[] = [
  {
    id: 'calls-too-deep',
    severity: 'warning',
    summary:
      'A called state makes the same call again and again before it returns, so more than 500 calls may wait for their results.',
    why: 'Each <call> or <function> waits until its state ends with <result>. At most 500 calls of an agent can wait; the next one makes the agent fail. <goto> and <reset> repeat without nesting.',
    check: deepCalls,
  },
  {
    id: 'forked-again',
    severity: 'warning',
    summary:
      'After the timeout of an <await>, a state forks the same agents again, although the earlier ones still run.',
    why: 'A timeout does not stop the forked agents. If the state forks them again, their work is done and paid twice, and the next <await> delivers all of them.',
    check: forkedAgain,
  },
];
