// Rules about where agents end up: dead ends, calls that never return, forks that nobody waits for.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../graph.js';
import { isClosed, mentionsOf, promptsOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

function* deadEnds(analysis: Analysis): Generator<Found> {
  for (const { file, at, mentions, source } of promptsOf(analysis))
    if (
      mentions.length === 0 &&
      source.prompt.faults.length === 0 &&
      source.prompt.keys.every(({ key }) => key !== 'allowed_transitions')
    )
      yield {
        at,
        state: file,
        message: `${file} names no transition: neither its text nor a policy says how it ends`,
        fix: 'end it with a tag, such as <result>…</result>, or add allowed_transitions',
      };
}

function* lostCalls(analysis: Analysis): Generator<Found> {
  const { graph } = analysis;
  const takes = ({ tag, role }: Edge): boolean => role !== 'target' || tag === 'goto' || tag === 'reset';
  for (const { from, tag, role, to, at } of allEdges(graph)) {
    if (role !== 'target' || to.kind !== 'state' || (tag !== 'call' && tag !== 'function')) continue;
    const states = [...reachableFrom(graph, { from: [to.file], takes })].flatMap(
      (file) => graph.states.get(file) ?? [],
    );
    const returns = states.some(
      (state) => state.open || state.edges.some((edge) => edge.to.kind === 'end' || edge.to.kind === 'missing'),
    );
    if (!returns)
      yield {
        at,
        state: from,
        message: `no state that ${to.file} leads to ends with <result>, so the call never comes back`,
        fix: 'end with <result>, or use <goto>',
      };
  }
}

function* lonelyAwaits(analysis: Analysis): Generator<Found> {
  const forks = allEdges(analysis.graph).some(({ tag }) => tag === 'fork' || tag === 'fork-workflow');
  if (forks || !isClosed(analysis)) return;
  for (const { state, mention } of mentionsOf(analysis))
    if (mention.tag === 'await' && counts(state, mention))
      yield {
        at: mention.at,
        state: state.file,
        message: 'no state of this workflow forks, so there is nobody to wait for',
        fix: 'fork first, or go on with <goto>',
      };
}

function counts({ edges }: StateNode, mention: Edge['mention']): boolean {
  return edges.some((edge) => edge.mention === mention);
}

function* lonelyForks(analysis: Analysis): Generator<Found> {
  const edges = allEdges(analysis.graph);
  if (edges.some(({ tag }) => tag === 'await') || !isClosed(analysis)) return;
  for (const { tag, role, at, from } of edges)
    if (role === 'target' && tag.startsWith('fork'))
      yield {
        at,
        state: from,
        message: 'nothing waits for this agent: its result is shown, and handed to nobody',
        fix: 'collect the results with <await next="STATE"/>, if they matter',
      };
}

function* forkNexts(analysis: Analysis): Generator<Found> {
  for (const state of analysis.graph.states.values()) {
    const forks = state.mentions.filter(({ tag, source }) => tag.startsWith('fork') && source !== 'policy');
    for (const [index, fork] of forks.entries()) {
      const before = forks[index - 1];
      const [one, other] = [before?.attributes.get('next'), fork.attributes.get('next')];
      const together = before !== undefined && Math.abs(fork.at.line - before.at.line) <= 1;
      if (together && one !== undefined && other !== undefined && one.value.trim() !== other.value.trim())
        yield {
          at: other.valueAt,
          state: state.file,
          message: `forks of one output must go on at the same state, but they name ${one.value} and ${other.value}`,
          fix: 'write the same next',
        };
    }
  }
}

/** Where agents end up. */
export const FLOW_RULES: readonly Rule[] = [
  {
    id: 'dead-end-state',
    severity: 'warning',
    says: 'A prompt says nowhere how it ends.',
    why: 'Without a tag in its reply a turn is a mistake. Nothing tells the model which tags there are.',
    check: deadEnds,
  },
  {
    id: 'call-without-result-path',
    severity: 'warning',
    says: 'Nothing that a call leads to ends with a result.',
    why: 'Only <result> comes back to the caller. Ways on are followed along <goto>, <reset>, returns of further calls, the next of forks, answers and awaited results.',
    check: lostCalls,
  },
  {
    id: 'await-without-fork',
    severity: 'error',
    says: 'A state waits for forked agents where none is ever forked.',
    why: '<await> waits for the agents that its own agent has forked, and goes on at once when there are none.',
    check: lonelyAwaits,
  },
  {
    id: 'fork-never-awaited',
    severity: 'info',
    says: 'Agents are forked, and no state waits for them.',
    why: 'That is right for work that stands in files. <await> hands the results of all forked agents to one state.',
    check: lonelyForks,
  },
  {
    id: 'fork-next-mismatch',
    severity: 'warning',
    says: 'Forks that stand together name different states to go on at.',
    why: 'Several forks of one output share one continuation. If they are meant as alternatives, put them apart.',
    check: forkNexts,
  },
];
