// Rules about loops: groups of states each of which can reach all others.
import type { Edge, StateNode } from '../../graph.js';
import { isInLoopWithout, isOwnTransition, loopsIn } from '../../loops.js';
import { searchableText } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { filesSetBack } from './reset-files.js';

const loopsByAnalysis = new WeakMap<Analysis, readonly (readonly StateNode[])[]>();

/** The loops of a package, cached for all rules. */
function loopsOf(analysis: Analysis): readonly (readonly StateNode[])[] {
  const loops = loopsByAnalysis.get(analysis) ?? loopsIn(analysis.graph, analysis.reached);
  loopsByAnalysis.set(analysis, loops);
  return loops;
}

/** The edges within a loop, and those that lead out of it. */
function edgesOf(loop: readonly StateNode[]): { readonly within: readonly Edge[]; readonly out: readonly Edge[] } {
  const files = new Set(loop.map(({ file }) => file));
  const transitions = loop.flatMap(({ edges }) => edges.filter(isOwnTransition));
  const isWithin = ({ to }: Edge): boolean => to.kind === 'state' && files.has(to.file);
  return {
    within: transitions.filter(isWithin),
    out: transitions.filter((edge) => !isWithin(edge) && edge.to.kind !== 'missing'),
  };
}

/** True for a transition that waits: for a delay, an answer, or other agents. */
function waits({ tag, mention }: Edge): boolean {
  return tag === 'ask' || tag === 'await' || mention.attributes.has('delay');
}

function nameOf(loop: readonly StateNode[]): string {
  return loop.length === 1
    ? `${loop[0]?.file ?? ''} leads to itself`
    : `${loop
        .map(({ file }) => file)
        .sort()
        .join(', ')} form a loop`;
}

function firstTransition(loop: readonly StateNode[]): Pick<FindingDetails, 'at' | 'state'> | undefined {
  const [edge] = edgesOf(loop).within;
  return edge === undefined ? undefined : { at: edge.at, state: edge.from };
}

const EXITS_WITH_ERROR = /(?:^|[\s;&|])exit\s+(?:[1-9]|\$)/m;

function* endless(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsOf(analysis)) {
    const { within, out } = edgesOf(loop);
    const location = firstTransition(loop);
    if (location === undefined || out.length > 0 || within.some(waits)) continue;
    // A script may fail on purpose, or compute a target outside the loop.
    if (
      loop.some(
        (state) => state.hasUnknownTargets || (state.kind === 'script' && EXITS_WITH_ERROR.test(searchableText(state))),
      )
    )
      continue;
    // Without a policy, a reply may end the loop with any tag.
    const open = loop.filter(({ source }) => source.kind === 'prompt' && source.prompt.entries.length === 0);
    const isOpen = open.length > 0;
    if (open.some((state) => /\bresult\b/.test(searchableText(state)))) continue;
    yield {
      ...location,
      ...(isOpen ? { severity: 'warning' } : {}),
      message: `${nameOf(loop)} without end: no transition leaves the loop or waits`,
      fix: 'end one state with <result>, or wait with delay="…"',
    };
  }
}

const LIMIT = /\b(?:once|twice|times?|rounds?|attempts?|tries|limits?|at most|maximum|up to|no more than|until|\d+)\b/i;

function* unlimited(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsOf(analysis)) {
    const { within, out } = edgesOf(loop);
    const location = firstTransition(loop);
    const onlyPrompts = loop.every(({ kind }) => kind === 'prompt');
    if (location === undefined || out.length === 0 || !onlyPrompts || within.some(waits)) continue;
    if (loop.some((state) => state.hasUnknownTargets || isJudged(state) || LIMIT.test(searchableText(state)))) continue;
    yield {
      ...location,
      message: `${nameOf(loop)}, but no prompt limits the number of rounds`,
      fix: 'add a limit to a prompt ("at most three rounds"), or count in a script',
    };
  }
}

/** True for a prompt whose end others check. */
function isJudged({ source }: StateNode): boolean {
  return source.kind === 'prompt' && source.prompt.keys.some(({ key }) => key === 'evaluate');
}

/** A loop that counts in a file, or that keeps there what is left to do, ends by itself. */
const COUNTS =
  /\bRAYMOND_STATE_FILE\b|\$\(\(|\s-(?:lt|le|gt|ge)\s|\b(?:wc -l|seq|let|expr)\b|\bwriteFileSync\(|\bwrite_text\(|\bjson\.dumps?\(|\bJSON\.stringify\(|\.(?:pop|shift|unlink)\(|^\s*(?:mv|rm)\s/m;

const PAUSES = /\b(?:sleep|wait|inotifywait|timeout|read -t|flock)\b/;

function* busy(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsOf(analysis)) {
    const { within, out } = edgesOf(loop);
    const location = firstTransition(loop);
    const onlyScripts = loop.every(({ kind }) => kind === 'script');
    const plainTransitions = within.every(
      ({ tag, mention }) =>
        // An attribute may count the rounds.
        (tag === 'goto' || tag === 'reset') && mention.attributes.size === 0,
    );
    if (location === undefined || !onlyScripts || !plainTransitions || out.length === 0) continue;
    if (loop.some((state) => state.hasUnknownTargets || PAUSES.test(searchableText(state)))) continue;
    if (loop.some((state) => COUNTS.test(searchableText(state)))) continue;
    yield {
      ...location,
      message: `${nameOf(loop)} without a pause: every round adds a turn to the history`,
      fix: 'write <reset delay="10s">: waiting needs no process, and there are fewer rounds',
    };
  }
}

/** `echo 0 >FILE`, as a command of its own. */
const STARTS_COUNTING = /^(?:echo|printf)\s+["']?[01](?:\\n)?["']?\s*>\s*"?(\S*?([\w.-]+))"?[ \t]*$/gm;

/** A counter that is set back by a state through which every round of its loop leads. */
function* resetCounters(analysis: Analysis): Generator<FindingDetails> {
  for (const loop of loopsOf(analysis))
    for (const state of loop) {
      const { source, file } = state;
      if (source.kind !== 'script') continue;
      for (const match of searchableText(state).matchAll(STARTS_COUNTING)) {
        const [, path = '', name = ''] = match;
        const counting = loop.find((other) => countsIn(other, name));
        if (counting === undefined) continue;
        if (
          counting === state
            ? countsWithin(state, match.index)
            : isInLoopWithout(analysis.graph, { file: counting.file, without: file, among: analysis.reached })
        )
          continue;
        yield {
          at: source.raw.at(match.index),
          state: file,
          message: `this line runs in every round and sets ${path} back, so ${counting.file} counts from the start each time`,
          fix: `set ${path} before the loop, or let the loop return to a state after ${file}`,
        };
      }
    }
}

/** True for a script that uses a counter for itself: before it sets it back, or in a loop of its own. */
function countsWithin(state: StateNode, resetAt: number): boolean {
  const text = searchableText(state);
  return /\+\s*1\b|\+\+|\+=/.test(text.slice(0, resetAt)) || /^\s*done\b/m.test(text);
}

function countsIn(state: StateNode, name: string): boolean {
  const text = state.source.kind === 'script' ? searchableText(state) : '';
  return text.includes(name) && /\+\s*1\b|\+\+|\+=/.test(text) && /\s-(?:lt|le|gt|ge|eq)\s|\(\([^)]*[<>=]/.test(text);
}

/** Rules about loops. */
export const LOOP_RULES: readonly Rule[] = [
  {
    id: 'loop-without-exit',
    severity: 'error',
    summary:
      'States form a loop that no transition leaves, and no transition in the loop is an <ask> or <await> or has a delay.',
    why: 'The run can end only by exceeding its budget. A loop that waits (delay, <ask>, <await>) is a service and may run forever.',
    check: endless,
  },
  {
    id: 'loop-without-limit',
    severity: 'warning',
    summary: 'Prompts form a loop, and the text of no prompt in the loop says how often the loop may repeat.',
    why: 'A model that is never satisfied repeats the loop until the budget is spent. Name a number in the prompt, or add a script that counts the rounds.',
    check: unlimited,
  },
  {
    id: 'busy-loop',
    severity: 'warning',
    summary: 'Scripts form a loop that repeats without a pause.',
    why: 'Every round starts a process and is recorded. <reset delay="…"> waits on a durable timer instead. The rule ignores a loop that passes input: it makes progress.',
    check: busy,
  },
  {
    id: 'counter-reset',
    severity: 'warning',
    summary:
      'A state in a loop sets the counter or the queue of the loop back to its first value in every round, so the loop never reaches its end.',
    why: 'Every round leads through the state that writes the first value, so the limit or the end of the queue is never reached and the prompts of the loop are paid without end.',
    check: (analysis) => [...resetCounters(analysis), ...filesSetBack(analysis)],
  },
];
