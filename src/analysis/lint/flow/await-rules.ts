// Rules about agents that wait or were called: an <await> for which there is no agent, and a called state that continues at the state which
// gets its result.
import { stem } from '../../../protocol/ids.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import type { Mention } from '../../mention.js';
import { hasUnknownTargets, isClosed, mentionsOf, readsInput, searchableText } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function isFork({ tag }: Pick<Mention, 'tag'>): boolean {
  return tag === 'fork' || tag === 'fork-workflow';
}

function* awaitsWithoutFork(analysis: Analysis): Generator<FindingDetails> {
  if (!isClosed(analysis)) return;
  const hasForks = allEdges(analysis.graph).some(isFork);
  const waiting = hasForks ? statesWithAgents(analysis) : undefined;
  for (const { state, mention } of mentionsOf(analysis)) {
    if (mention.tag !== 'await' || !isEffective(state, mention)) continue;
    if (waiting !== undefined && (waiting.has(state.file) || !analysis.reached.has(state.file))) continue;
    yield { at: mention.at, state: state.file, ...noAgents(analysis, { file: state.file, hasForks }) };
  }
  if (waiting !== undefined) yield* listsToWaitingStates(analysis, waiting);
}

/** An <await> whose list goes to a state that does not read it and always waits, also for agents of other ways to it. */
function* listsToWaitingStates(analysis: Analysis, waiting: ReadonlySet<string>): Generator<FindingDetails> {
  if (isReadBesideStates(analysis)) return;
  for (const { tag, role, from, to, at } of allEdges(analysis.graph)) {
    if (tag !== 'await' || role !== 'next' || to.kind !== 'state' || !analysis.reached.has(from)) continue;
    const again = waiting.has(from) ? stateThatWaits(analysis, { file: to.file }) : undefined;
    // Where no way to the second <await> has agents, the rule reports that <await> itself.
    if (again === undefined || !waiting.has(again)) continue;
    const where = again === to.file ? 'waits again' : `leads to ${again}, which waits again`;
    yield {
      at,
      state: from,
      message: `this <await> delivers all agents to ${to.file}, which does not read the list and ${where}: that <await> continues at once with an empty list`,
      fix: 'let next name the state that reads the list',
    };
  }
}

/** The state with the <await> to which a state leads on every path, if none of them forks, calls or reads its value. */
function stateThatWaits(
  { graph }: Pick<Analysis, 'graph'>,
  { file, seen = new Set() }: { readonly file: string; readonly seen?: ReadonlySet<string> },
): string | undefined {
  const state = graph.states.get(file);
  if (state === undefined || seen.has(file) || state.edges.length === 0 || readsInput(state)) return undefined;
  const found = state.edges.map(({ tag, to, mention }) => {
    if (mention.isCertain === false || to.kind !== 'state') return undefined;
    if (tag === 'await') return file;
    const continues = tag === 'goto' || tag === 'reset' || tag === 'ask';
    return continues ? stateThatWaits({ graph }, { file: to.file, seen: new Set([...seen, file]) }) : undefined;
  });
  return found.includes(undefined) ? undefined : found[0];
}

/** True if a file beside the states, such as a module that a state imports, reads the value of a state. */
function isReadBesideStates({ graph }: Analysis): boolean {
  const texts = [...graph.states.values()].map(searchableText);
  return [...graph.source.files.values()].some((file) => {
    if (graph.states.has(file.file) || !('raw' in file) || !/\bRAYMOND_(?:INPUT|RESULT)/.test(file.raw.text))
      return false;
    return texts.some((text) => text.includes(stem(file.file)));
  });
}

function isEffective({ edges }: StateNode, mention: Mention): boolean {
  return edges.some((edge) => edge.mention === mention);
}

function noAgents(
  { graph }: Analysis,
  { file, hasForks }: { readonly file: string; readonly hasForks: boolean },
): Pick<FindingDetails, 'message' | 'fix'> {
  if (!hasForks)
    return {
      message: 'no state of this workflow forks, so there is no agent to wait for',
      fix: 'fork first, or continue with <goto>',
    };
  const delivered = allEdges(graph).flatMap(({ tag, role, to }) =>
    tag === 'await' && role === 'next' && to.kind === 'state' ? [to.file] : [],
  );
  if (reachableFrom(graph, { from: delivered, accepts: isOwnTransition }).has(file))
    return {
      message: 'an earlier <await> has delivered all agents, so this one continues at once with an empty list',
      fix: 'continue with <goto>, and pass the list that the earlier <await> gave as input or in a file',
    };
  return {
    message: 'the agent that comes here has forked no agent, so <await> continues at once with an empty list',
    fix: 'let the agent that forks wait: name this state in next of its <fork>',
  };
}

/** The states that an agent may reach while it has forked agents that no `<await>` has delivered. */
function statesWithAgents(analysis: Analysis): ReadonlySet<string> {
  const { graph, entriesFromOutside = [] } = analysis;
  const forking = [...graph.states.values()].filter((state) => state.effectiveMentions.some(isFork));
  const found = new Set([...entriesFromOutside, ...forking.map(({ file }) => file)]);
  const edges = allEdges(graph).filter(isOwnTransition);
  for (const file of found)
    for (const { from, to, tag, role } of edges)
      if (from === file && to.kind === 'state' && !(tag === 'await' && role === 'next')) found.add(to.file);
  // What a call has forked, its caller may wait for.
  for (const { from, to, role, mention } of edges)
    if (role === 'return' && to.kind === 'state' && mayFork(analysis, { from, mention }))
      for (const file of reachableFrom(graph, { from: [to.file], accepts: isOwnTransition })) found.add(file);
  return found;
}

function mayFork({ graph }: Analysis, { from, mention }: Pick<Edge, 'from' | 'mention'>): boolean {
  const called = graph.states.get(from)?.edges.find((edge) => edge.mention === mention && edge.role === 'target');
  if (called?.to.kind !== 'state') return true;
  return [...reachableFrom(graph, { from: [called.to.file], accepts: isOwnTransition })].some((file) =>
    graph.states.get(file)?.effectiveMentions.some((one) => isFork(one) || one.tag.endsWith('-workflow')),
  );
}

/** An `<await>` without a timeout for an agent whose states never end it. */
function* awaitsWithoutEnd(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const edges = allEdges(graph);
  const seen = new Set<Mention>();
  for (const { tag, role, to, from, mention } of edges) {
    if (tag !== 'fork' || role !== 'target' || to.kind !== 'state' || !reached.has(from)) continue;
    if (mention.source === 'policy' || mention.isCertain === false || mayEnd(analysis, to.file)) continue;
    const own = edges.filter((edge) => edge.from === from && isOwnTransition(edge) && edge.to.kind === 'state');
    const next = own.flatMap((edge) => (edge.to.kind === 'state' ? [edge.to.file] : []));
    const waiting = reachableFrom(graph, { from: next, accepts: isOwnTransition });
    const awaits = edges.filter((edge) => edge.tag === 'await' && edge.role === 'next' && waiting.has(edge.from));
    if (awaits.some((edge) => edge.mention.attributes.has('timeout'))) continue;
    for (const edge of awaits.slice(0, 1)) {
      if (seen.has(edge.mention)) continue;
      seen.add(edge.mention);
      yield {
        at: edge.mention.at,
        state: edge.from,
        message: `this waits without end: the agent that ${from} forks at ${to.file} never ends, because no state that it reaches has <result>`,
        fix: `let ${to.file} end with <result> at some time, or write timeout="…" and timeout_next="…" here`,
      };
    }
  }
}

/** True if an agent that begins at a state may end, by a result or by a failure. */
function mayEnd({ graph }: Analysis, file: string): boolean {
  return [...reachableFrom(graph, { from: [file], accepts: isOwnTransition })].some((one) => {
    const state = graph.states.get(one);
    if (state === undefined || state.hasUnknownTargets || state.edges.length === 0) return true;
    if (state.edges.some(({ to }) => to.kind !== 'state') || state.mentions.some(({ tag }) => tag === 'result'))
      return true;
    if (state.source.kind === 'prompt') return state.source.prompt.entries.length === 0;
    const text = searchableText(state);
    return (
      /\bexit\b|\bresult\b|\braise\b|\bthrow\b|:\?/.test(text) || state.edges.some(({ mention }) => timesOut(mention))
    );
  });
}

function timesOut({ attributes }: Mention): boolean {
  return attributes.has('timeout') && !attributes.has('timeout_next');
}

function* gotosToReturn(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis)) return;
  const seen = new Set<Mention>();
  for (const { to, tag, role, from, mention } of allEdges(graph)) {
    if (role !== 'target' || to.kind !== 'state' || (tag !== 'call' && tag !== 'function')) continue;
    const back = returnOf(analysis, { from, mention });
    if (back === undefined || back === to.file) continue;
    for (const edge of statesOfCall(analysis, { called: to.file, back })) {
      if (seen.has(edge.mention) || edge.mention.isCertain === false) continue;
      seen.add(edge.mention);
      yield {
        at: edge.at,
        state: edge.from,
        message: `${edge.from} was called and goes to ${back}, which waits for its result: ${back} runs inside the call, and again when the call ends`,
        fix: `end with <result>…</result>, which continues at ${back}`,
      };
    }
  }
}

function returnOf({ graph }: Analysis, { from, mention }: Pick<Edge, 'from' | 'mention'>): string | undefined {
  const edge = graph.states.get(from)?.edges.find((one) => one.mention === mention && one.role === 'return');
  return edge?.to.kind === 'state' ? edge.to.file : undefined;
}

/** The `<goto>` to the state that gets the result, in the states that run only inside calls which return there. */
function statesOfCall(
  analysis: Analysis,
  { called, back }: { readonly called: string; readonly back: string },
): readonly Edge[] {
  const { graph, entriesFromOutside = [] } = analysis;
  const edges = allEdges(graph);
  const outside = new Set([...entriesFromOutside, ...(graph.entry.kind === 'state' ? [graph.entry.file] : [])]);
  const into = (file: string): readonly Edge[] => edges.filter(({ to }) => to.kind === 'state' && to.file === file);
  const isCall = ({ tag, role, from, mention }: Edge): boolean =>
    role === 'target' && (tag === 'call' || tag === 'function') && returnOf(analysis, { from, mention }) === back;
  const isStep = ({ tag, role }: Edge): boolean => role !== 'target' || tag === 'goto';
  const accepts = (edge: Edge): boolean => isStep(edge) && !(edge.to.kind === 'state' && edge.to.file === back);
  const inside = new Set(reachableFrom(graph, { from: [called], accepts }));
  const isEntered = (file: string): boolean =>
    outside.has(file) ||
    !into(file).every((edge) => (isStep(edge) && inside.has(edge.from)) || (file === called && isCall(edge)));
  for (let size = -1; size !== inside.size;) {
    size = inside.size;
    for (const file of inside) if (isEntered(file)) inside.delete(file);
  }
  return into(back).filter(({ from, tag, role }) => inside.has(from) && role === 'target' && tag === 'goto');
}

/** The rule about calls. */
export const CALL_RULES: readonly Rule[] = [
  {
    id: 'goto-to-return',
    severity: 'warning',
    summary:
      'A called state goes to the state that the attribute return of the call names, but only <result> ends the call.',
    why: 'Only <result> ends a call. After <goto>, the state named by return runs inside the call; its own result then ends the call, and it runs a second time with that result.',
    check: gotosToReturn,
  },
];

/** The rule about waiting. */
export const AWAIT_RULES: readonly Rule[] = [
  {
    id: 'await-without-fork',
    severity: 'warning',
    summary: 'A state waits for forked agents with <await>, but no forked agent is left to wait for.',
    why: '<await> waits for the agents that its own agent has forked and that no earlier <await> has delivered. If there are none, it continues at once with an empty list.',
    check: awaitsWithoutFork,
  },
  {
    id: 'await-without-end',
    severity: 'warning',
    summary:
      'A state waits without a timeout for a forked agent that never ends, because the states of that agent form a loop without <result>.',
    why: '<await> continues when every agent that was forked has ended. An agent that repeats its states forever never ends, so the state in next never runs. A service of this kind needs a timeout at the <await>, or a reason to end.',
    check: awaitsWithoutEnd,
  },
];
