// The rule about agents for which no state waits: a forked or called state forks them and ends, although another state needs their results. Pure.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { isComputed } from '../../mention.js';
import { CALL, onlyEdges } from '../prompts/given-text-rules.js';
import { hasUnknownTargets, plainText } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { contentUse } from '../texts/value-uses.js';

function isFork({ tag, role }: Edge): boolean {
  return tag === 'fork' && role === 'target';
}

function fileOf({ to }: Edge): readonly string[] {
  return to.kind === 'state' ? [to.file] : [];
}

/** The states of the agent that begins with these, without the agents that it forks. */
function ownStates({ graph }: Analysis, from: readonly string[]): ReadonlySet<string> {
  return reachableFrom(graph, { from, accepts: isOwnTransition });
}

function statesIn({ graph }: Analysis, files: Iterable<string>): readonly StateNode[] {
  return [...files].flatMap((file) => graph.states.get(file) ?? []);
}

function waits({ edges }: StateNode): boolean {
  return edges.some(({ tag }) => tag === 'await');
}

function ends({ edges }: StateNode): boolean {
  return edges.some(({ to }) => to.kind === 'end');
}

/** True for a state that forks several agents: for each of some things, or by several tags. */
function forksMany({ source, edges, mentions }: StateNode, fork: Edge): boolean {
  const all = edges.filter((edge) => isFork(edge) && fileOf(edge)[0] === fileOf(fork)[0]);
  if (all.length > 1 && source.kind === 'script') return true;
  const code = plainText({ source });
  if (source.kind === 'prompt')
    return (
      /\b(?:each|every|all|several|agents|one\s+for)\b/i.test(code) ||
      mentions.filter(({ tag }) => tag === 'fork').length > 2
    );
  return /\b(?:for|while|until|map|forEach|flatMap|xargs|awk|sed)\b/.test(code);
}

/** True if agents that begin at a state have a result that differs from agent to agent. */
function haveContent(analysis: Analysis, fork: Edge): boolean {
  const ending = statesIn(analysis, ownStates(analysis, fileOf(fork))).filter(ends);
  const results = ending.flatMap((state) =>
    state.effectiveMentions.flatMap(({ tag, body }) => (tag === 'result' ? [body?.value.trim() ?? '{{result}}'] : [])),
  );
  const isPlainPrompt = ending.some(
    ({ source, mentions }) =>
      source.kind === 'prompt' &&
      mentions.some(({ tag, body }) => tag === 'result' && /^(?:the|your|its|a|an)\s/i.test(body?.value.trim() ?? '')),
  );
  return isPlainPrompt || new Set(results).size > 1 || results.some(isComputed);
}

/** The states that get the results of the agents which these states fork. */
function collectorsOf(analysis: Analysis, parents: readonly string[]): readonly string[] {
  const waiting = statesIn(analysis, ownStates(analysis, parents)).filter(waits);
  return waiting.flatMap(({ edges }) =>
    edges.filter(({ tag, role }) => tag === 'await' && role === 'next').flatMap(fileOf),
  );
}

/** Which other state relies on the results, if the agent that forks is itself a forked one, or runs in a call. */
function relyingState(
  analysis: Analysis,
  { from, own }: { readonly from: string; readonly own: ReadonlySet<string> },
): string | undefined {
  const { graph, entriesFromOutside = [] } = analysis;
  const edges = allEdges(graph);
  const entry = graph.entry.kind === 'state' ? [graph.entry.file] : [];
  const main = ownStates(analysis, [...entry, ...entriesFromOutside]);
  if (!main.has(from)) {
    const parents = edges.filter(
      (edge) => isFork(edge) && ownStates(analysis, fileOf(edge)).has(from) && edge.from !== from,
    );
    const collectors = collectorsOf(
      analysis,
      parents.map((edge) => edge.from),
    );
    return collectors.find((file) => !own.has(file));
  }
  return readersAfterCall(analysis, from).find((file) => {
    const state = graph.states.get(file);
    if (state === undefined) return false;
    const text = plainText(state);
    if (state.source.kind === 'prompt') return /\{\{(?:input|result)\b/.test(text);
    return (
      contentUse(state) ||
      /\{[ \t]*\n[^{}]{0,400}\$\{?RAYMOND_(?:RESULT|INPUT)\b[^{}]{0,10}\}?[^{}]{0,400}\}[ \t]*>/.test(text)
    );
  });
}

/** The states that get the result of a call in which a state runs; none if it may also run outside of calls. */
function readersAfterCall(analysis: Analysis, from: string): readonly string[] {
  const { graph } = analysis;
  const calls = allEdges(graph).filter(({ tag, role }) => CALL.test(tag) && role === 'target');
  const around = calls.filter((edge) => ownStates(analysis, fileOf(edge)).has(from) && edge.from !== from);
  const entry = graph.entry.kind === 'state' ? [graph.entry.file] : [];
  const outside = reachableFrom(graph, {
    from: entry,
    accepts: (edge) => isOwnTransition(edge) && !(CALL.test(edge.tag) && edge.role === 'target'),
  });
  if (around.length === 0 || outside.has(from)) return [];
  const returns = around.flatMap(({ from: caller, mention }) =>
    (graph.states.get(caller)?.edges ?? [])
      .filter((edge) => edge.mention === mention && edge.role === 'return')
      .flatMap(fileOf),
  );
  const awaited = statesIn(analysis, ownStates(analysis, returns)).some(waits);
  return awaited ? [] : returns.filter((file) => onlyEdges(analysis, { file, role: 'return', tag: CALL }).length > 0);
}

function* agentsLeft(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const seen = new Set<string>();
  for (const fork of allEdges(analysis.graph).filter(isFork)) {
    const { from } = fork;
    const state = analysis.graph.states.get(from);
    if (state === undefined || seen.has(from) || !analysis.reached.has(from)) continue;
    const next = state.edges.filter((edge) => isOwnTransition(edge) && edge.to.kind === 'state').flatMap(fileOf);
    const own = ownStates(analysis, next);
    const after = statesIn(analysis, own);
    if (own.has(from) || waits(state) || after.some(waits) || !after.some(ends)) continue;
    if (!forksMany(state, fork) || !haveContent(analysis, fork)) continue;
    const reader = relyingState(analysis, { from, own });
    if (reader === undefined) continue;
    seen.add(from);
    yield {
      at: shownAt(state, fork),
      state: from,
      message: `the agent that forks here ends without waiting for these agents, so their results reach neither it nor ${reader}`,
      fix: 'continue at a state with <await next="STATE"/>, and let STATE end with a <result> that contains their results',
    };
  }
}

/** The tag of the fork in the text of a prompt, rather than in its policy. */
function shownAt({ mentions }: StateNode, { mention }: Edge): Edge['at'] {
  const shown =
    mention.source === 'policy' ? mentions.find(({ tag, source }) => tag === 'fork' && source === 'text') : undefined;
  return (shown ?? mention).at;
}

/** The rule about agents for which no state waits. */
export const LEFT_AGENT_RULES: readonly Rule[] = [
  {
    id: 'ends-before-agents',
    severity: 'warning',
    summary:
      'A forked agent or a call forks agents and ends without waiting for them, but another state needs their results.',
    why: 'An <await> waits only for the agents that its own agent has forked, not for those that these agents have forked. Their results are lost, and may come after the work that needs them.',
    check: agentsLeft,
  },
];
