// Rules about loops: groups of states from each of which an agent can come to each other one, and back.
import type { Edge, StateNode } from '../graph.js';
import { isOwnWay, loopsIn } from '../loops.js';
import { wordsOf } from './helpers.js';
import type { Analysis, Found, Rule } from './rule.js';

const known = new WeakMap<Analysis, readonly (readonly StateNode[])[]>();

/** The loops of a package, found once for all rules. */
function loopsOf(analysis: Analysis): readonly (readonly StateNode[])[] {
  const loops = known.get(analysis) ?? loopsIn(analysis.graph, analysis.reached);
  known.set(analysis, loops);
  return loops;
}

/** The edges within a loop, and those that lead out of it. */
function waysOf(loop: readonly StateNode[]): { readonly within: readonly Edge[]; readonly out: readonly Edge[] } {
  const files = new Set(loop.map(({ file }) => file));
  const ways = loop.flatMap(({ edges }) => edges.filter(isOwnWay));
  const isWithin = ({ to }: Edge): boolean => to.kind === 'state' && files.has(to.file);
  return { within: ways.filter(isWithin), out: ways.filter((edge) => !isWithin(edge) && edge.to.kind !== 'missing') };
}

/** Something passes between two rounds: time, a person's answer, the work of other agents. */
function waits({ tag, mention }: Edge): boolean {
  return tag === 'ask' || tag === 'await' || mention.attributes.has('delay');
}

function nameOf(loop: readonly StateNode[]): string {
  return loop.length === 1
    ? `${loop[0]?.file ?? ''} leads to itself`
    : `${loop
        .map(({ file }) => file)
        .sort()
        .join(', ')} lead round`;
}

function firstWay(loop: readonly StateNode[]): Pick<Found, 'at' | 'state'> | undefined {
  const [edge] = waysOf(loop).within;
  return edge === undefined ? undefined : { at: edge.at, state: edge.from };
}

const GIVES_UP = /(?:^|[\s;&|])exit\s+(?:[1-9]|\$)/m;

function* endless(analysis: Analysis): Generator<Found> {
  for (const loop of loopsOf(analysis)) {
    const { within, out } = waysOf(loop);
    const place = firstWay(loop);
    if (place === undefined || out.length > 0 || within.some(waits)) continue;
    // A script may fail on purpose, or go where only its run knows.
    if (loop.some((state) => state.open || (state.kind === 'script' && GIVES_UP.test(wordsOf(state))))) continue;
    yield {
      ...place,
      message: `${nameOf(loop)} for ever: no way leads out, and nothing is waited for`,
      fix: 'let a state end with <result>, or wait with delay="…"',
    };
  }
}

const LIMIT = /\b(?:once|twice|times?|rounds?|attempts?|tries|limits?|at most|maximum|up to|no more than|until|\d+)\b/i;

function* unlimited(analysis: Analysis): Generator<Found> {
  for (const loop of loopsOf(analysis)) {
    const { within, out } = waysOf(loop);
    const place = firstWay(loop);
    const onlyPrompts = loop.every(({ kind }) => kind === 'prompt');
    if (place === undefined || out.length === 0 || !onlyPrompts || within.some(waits)) continue;
    if (loop.some((state) => state.open || LIMIT.test(wordsOf(state)))) continue;
    yield {
      ...place,
      message: `${nameOf(loop)}, and no prompt of them says how often`,
      fix: 'say it in a prompt ("at most three rounds"), or count in a script',
    };
  }
}

const PAUSES = /\b(?:sleep|wait|inotifywait|timeout|read -t|flock)\b/;

function* busy(analysis: Analysis): Generator<Found> {
  for (const loop of loopsOf(analysis)) {
    const { within, out } = waysOf(loop);
    const place = firstWay(loop);
    const onlyScripts = loop.every(({ kind }) => kind === 'script');
    const plain = within.every(
      ({ tag, mention }) =>
        (tag === 'goto' || tag === 'reset') && !mention.attributes.has('input') && !mention.attributes.has('delay'),
    );
    if (place === undefined || !onlyScripts || !plain || out.length === 0) continue;
    if (loop.some((state) => state.open || PAUSES.test(wordsOf(state)))) continue;
    yield {
      ...place,
      message: `${nameOf(loop)} without a pause: every round is a turn in the history`,
      fix: 'write <reset delay="10s">, which costs no process and no turn',
    };
  }
}

/** Where agents go round. */
export const LOOP_RULES: readonly Rule[] = [
  {
    id: 'loop-without-exit',
    severity: 'error',
    says: 'States lead round for ever, and nothing is waited for.',
    why: 'The run can only end over its budget. A loop that waits (delay, <ask>, <await>) is a service and may go on for ever.',
    check: endless,
  },
  {
    id: 'loop-without-limit',
    severity: 'warning',
    says: 'Prompts lead round, and none says how often.',
    why: 'A model that is never content goes round until the budget ends. Say a number in the prompt, or put a script into the loop that counts.',
    check: unlimited,
  },
  {
    id: 'busy-loop',
    severity: 'warning',
    says: 'Scripts lead round without a pause.',
    why: 'Every round starts a process and is recorded. <reset delay="…"> waits on a durable timer instead. A loop that passes a value on makes progress, and is no matter.',
    check: busy,
  },
];
