// Rules about the flow between states: dead ends, calls that never return, forks without an await.
import { stem } from '../../../protocol/ids.js';
import { allEdges, type Edge, type Graph, type StateNode } from '../../graph.js';
import { isComputed, mentionsIn, type Mention } from '../../mention.js';
import { AWAIT_RULES, CALL_RULES } from './await-rules.js';
import { isClosed, promptsOf, scriptsOf, type PromptState } from '../helpers.js';
import { nearTagIn } from '../tags/near-tags.js';
import { isDocument } from './package-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

function* deadEnds(analysis: Analysis): Generator<FindingDetails> {
  for (const state of promptsOf(analysis)) {
    const { file, at, mentions, source } = state;
    if (
      mentions.length === 0 &&
      !isDocument(state, analysis) &&
      source.prompt.problems.length === 0 &&
      source.prompt.keys.every(({ key }) => key !== 'allowed_transitions')
    )
      yield {
        at,
        state: file,
        message: `${file} names no transition: neither its text nor a policy says how it ends`,
        fix: 'end it with a tag, such as <result>…</result>, or add allowed_transitions',
        ...meantTag(state),
      };
  }
}

/** The tag that the text nearly names. */
function meantTag({ source }: PromptState): Pick<FindingDetails, 'at' | 'message' | 'fix'> | undefined {
  const { body } = source.prompt;
  const near = nearTagIn(body.text);
  return near && { at: body.at(near.index), message: near.message, fix: near.fix };
}

function* lostReturns({ graph }: Analysis): Generator<FindingDetails> {
  const ends = endingStates(graph);
  for (const { from, tag, role, to, at } of allEdges(graph)) {
    if (role !== 'target' || to.kind !== 'state' || (tag !== 'call' && tag !== 'function')) continue;
    if (ends.has(to.file)) yield* resetsInCall(graph, { called: to.file, caller: from });
    // A file that is not read as a state may end in any way.
    else if (graph.states.has(to.file))
      yield {
        at,
        state: from,
        message: `the call of ${to.file} never returns: neither it nor a state after it ends with <result>`,
        fix: 'end one of these states with <result>, or use <goto> here',
      };
  }
}

/** A reset by which a call does not return: it may be meant, as the end of a failed attempt. */
function* resetsInCall(
  graph: Graph,
  { called, caller }: { readonly called: string; readonly caller: string },
): Generator<FindingDetails> {
  for (const file of reachedByGoto(graph, called))
    for (const { at, role, tag, to } of graph.states.get(file)?.edges ?? []) {
      if (role !== 'target') continue;
      if (tag === 'reset-workflow')
        yield {
          at,
          state: file,
          ...(mayReturn(graph, called) ? { severity: 'info' } : {}),
          message: `<reset-workflow> empties the return stack, so the call of ${called} never returns`,
          fix: 'use <call-workflow>, if the caller waits for a result',
        };
      else if (tag === 'reset' && to.kind === 'state' && to.file === caller)
        yield {
          at,
          state: file,
          ...(alwaysCalls(graph, { caller, called }) ? {} : { severity: 'info' }),
          message: `<reset> keeps the return stack, so ${caller} runs within its own call of ${called}, one level deeper each time`,
          fix: 'return with <result>, and let the caller start again',
        };
    }
}

/** True for a state that does nothing but call: each time it calls again, and what gets the result runs once for each call. */
function alwaysCalls(
  { states }: Graph,
  { caller, called }: { readonly caller: string; readonly called: string },
): boolean {
  const edges = states.get(caller)?.edges ?? [];
  const call = edges.find(({ role, to }) => role === 'target' && to.kind === 'state' && to.file === called);
  return call !== undefined && edges.every(({ mention }) => mention === call.mention);
}

/** True if a call may return in another way than by what follows in another workflow. */
export function mayReturn(graph: Graph, called: string): boolean {
  return [...reachedByGoto(graph, called)].some((file) => {
    const state = graph.states.get(file);
    if (state === undefined || state.hasUnknownTargets) return true;
    return state.edges.some(({ to, tag }) => to.kind !== 'workflow' && !(to.kind === 'state' && tag === 'goto'));
  });
}

function reachedByGoto({ states }: Graph, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const file of reached)
    for (const { to, tag, role } of states.get(file)?.edges ?? [])
      if (to.kind === 'state' && (role !== 'target' || tag === 'goto')) reached.add(to.file);
  return reached;
}

/** The states from which a <result> can be reached; behind a call only if what it calls can end. */
function endingStates({ states }: Graph): ReadonlySet<string> {
  const ends = new Set<string>();
  const isEnding = ({ to, role, mention }: Edge, { edges }: StateNode): boolean => {
    if (to.kind === 'end' || to.kind === 'missing' || to.kind === 'computed') return true;
    if (to.kind === 'workflow') return mention.tag === 'reset-workflow';
    if (!states.has(to.file)) return true;
    if (!ends.has(to.file)) return false;
    if (role === 'target') return !/^(?:call|function|fork)/.test(mention.tag);
    if (role !== 'return') return true;
    const called = edges.find((edge) => edge.mention === mention && edge.role === 'target');
    return called?.to.kind !== 'state' || ends.has(called.to.file) || !states.has(called.to.file);
  };
  for (let size = -1; size < ends.size;) {
    size = ends.size;
    for (const state of states.values())
      if (state.hasUnknownTargets || state.edges.some((edge) => isEnding(edge, state))) ends.add(state.file);
  }
  return ends;
}

function* forksNeverAwaited(analysis: Analysis): Generator<FindingDetails> {
  const edges = allEdges(analysis.graph);
  if (edges.some(({ tag }) => tag === 'await') || !isClosed(analysis)) return;
  for (const { tag, role, at, from } of edges)
    if (role === 'target' && tag.startsWith('fork'))
      yield {
        at,
        state: from,
        message: 'no state waits for this agent: its result is shown, but not passed on',
        fix: 'collect the results with <await next="STATE"/> if you need them',
      };
}

function* forkNextMismatches(analysis: Analysis): Generator<FindingDetails> {
  for (const state of analysis.graph.states.values()) {
    const forks = state.mentions.filter(({ tag, source }) => tag.startsWith('fork') && source !== 'policy');
    for (const [index, fork] of forks.entries()) {
      const previous = forks[index - 1];
      const [previousNext, next] = [previous?.attributes.get('next'), fork.attributes.get('next')];
      const isSame = previous?.at.line === fork.at.line && previous.at.column === fork.at.column;
      const adjacent = previous !== undefined && !isSame && Math.abs(fork.at.line - previous.at.line) <= 1;
      if (
        adjacent &&
        previousNext !== undefined &&
        next !== undefined &&
        previousNext.value.trim() !== next.value.trim()
      )
        yield {
          at: next.valueAt,
          state: state.file,
          ...forksDiffer(previousNext.value, next.value),
        };
    }
  }
}

/** A `<goto>` or another fork beside a fork, on one path of a script, that names another state. */
function* mismatchesOnPaths(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of scriptsOf(analysis)) {
    const seen = new Set<number>();
    for (const { text, status } of source.script.flow?.paths ?? []) {
      const tags = mentionsIn({
        text: text.text,
        source: 'script',
        at: (index) => source.raw.at(text.offsetOf(index)),
      });
      const [goto] = tags.filter(({ tag }) => tag === 'goto');
      const [next, ...others] = tags.flatMap(({ tag, attributes }) => {
        const value = tag === 'fork' ? attributes.get('next') : undefined;
        return value === undefined ? [] : [{ value: value.value, at: value.valueAt, isFork: true }];
      });
      const body = goto?.body === undefined ? [] : [{ ...goto.body, isFork: false }];
      const target = [...others, ...body].find(
        ({ value }) => next !== undefined && stem(value.trim()) !== stem(next.value.trim()),
      );
      if (status === 'false' || target === undefined || next === undefined || seen.has(target.at.line)) continue;
      if ([target, next].some(({ value }) => isComputed(value))) continue;
      seen.add(target.at.line);
      const differs = target.isFork ? forksDiffer : differing;
      yield { at: target.at, state: file, ...differs(next.value, target.value) };
    }
  }
}

/** A `<goto>` in the line after a fork, or before it, in a prompt: such lines are one reply. */
function* gotosBesideForks(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, mentions, file } of promptsOf(analysis)) {
    const lines = source.raw.text.split('\n');
    const isAlone = ({ at }: Mention): boolean => /^\s*<[^`]*>\s*$/.test(lines[at.line - 1] ?? '');
    const alone = mentions.filter((mention) => mention.source === 'text' && isAlone(mention));
    for (const { at, body } of alone.filter(({ tag }) => tag === 'goto')) {
      const fork = alone.find(({ tag, at: { line } }) => tag === 'fork' && Math.abs(line - at.line) === 1);
      const next = fork?.attributes.get('next');
      if (next === undefined || body === undefined || OFFERS_CHOICE.test(lines[at.line - 3] ?? '')) continue;
      if ([next, body].some(({ value }) => isComputed(value)) || stem(next.value.trim()) === stem(body.value.trim()))
        continue;
      yield { at, state: file, ...differing(next.value, body.value) };
    }
  }
}

const OFFERS_CHOICE = /\b(?:or|either|one of|otherwise|if)\b/i;

function forksDiffer(next: string, other: string): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message: `forks of one output must continue at the same state, but they name ${next} and ${other}`,
    fix: 'write the same next',
  };
}

function differing(next: string, target: string): Pick<FindingDetails, 'message' | 'fix'> {
  return {
    message: `forks and the <goto> beside them must name the same state, but they name ${next} and ${target}`,
    fix: 'write the same name, or leave out one of them',
  };
}

/** Rules about the flow between states. */
export const FLOW_RULES: readonly Rule[] = [
  {
    id: 'dead-end-state',
    severity: 'warning',
    summary: 'Neither the text nor the policy of a prompt names a tag with which the reply can end.',
    why: 'A reply without a tag is a mistake. Nothing in this prompt tells the model which tags to use.',
    check: deadEnds,
  },
  {
    id: 'call-without-result-path',
    severity: 'warning',
    summary: 'A <call> or a <function> never returns, because no state that can follow in the call ends with <result>.',
    why: 'Only <result> returns to the caller. <reset> keeps the return stack, and <reset-workflow> empties it. The rule follows <goto> and <reset>, return of nested calls, and next of <fork>, <ask> and <await>.',
    check: lostReturns,
  },
  ...CALL_RULES,
  ...AWAIT_RULES,
  {
    id: 'fork-never-awaited',
    severity: 'info',
    summary: 'A state forks agents, but no state of the package collects their results with <await>.',
    why: 'That is fine if their work is in files. <await> passes the results of all forked agents to one state.',
    check: forksNeverAwaited,
  },
  {
    id: 'fork-next-mismatch',
    severity: 'warning',
    summary:
      'Two forks, or a fork and a <goto>, name different next states. An output that contains both tags is a mistake.',
    why: 'All forks of one output share one next state. If they are alternatives, separate them in the text.',
    check: (analysis) => [
      ...forkNextMismatches(analysis),
      ...mismatchesOnPaths(analysis),
      ...gotosBesideForks(analysis),
    ],
  },
];
