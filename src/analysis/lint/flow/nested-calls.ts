// Finds calls that nest deeper in every round of a loop: a called state that calls itself, or two states that call each other.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { isComputed } from '../../mention.js';
import { plainText, searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { callsItselfUnchanged } from './unchanged-calls.js';

/** More calls than this cannot wait for their results. */
const MOST_CALLS = 500;

function isCall({ tag, role }: Edge): boolean {
  return role === 'target' && (tag === 'call' || tag === 'function');
}

/** The calls that may nest too deep. */
export function* deepCalls(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  for (const edge of allEdges(graph)) {
    const { from, to, mention } = edge;
    if (!isCall(edge) || to.kind !== 'state' || !reached.has(from) || mention.isCertain === false) continue;
    const inside = insideOf(analysis, to.file);
    if (!inside.has(from)) continue;
    const members = [...inside].filter((file) => insideOf(analysis, file).has(from));
    const isSame = callsItselfUnchanged(analysis, edge);
    const why =
      (isSame ? 'with the same values although nothing has changed' : undefined) ??
      neverReturns(analysis, edge) ??
      waitsIn(analysis, members) ??
      countIn(analysis, { edge, members }) ??
      dataIn(analysis, { edge, members });
    if (why === undefined) continue;
    yield {
      at: shownAt(analysis, edge),
      state: from,
      message: `${from} calls ${to.file} again before the earlier call has ended, ${why}, but at most ${MOST_CALLS} calls of an agent can wait for their results`,
      fix: 'repeat with <goto> or <reset>, and call only what returns before the next round',
    };
  }
}

/** The states that run while the call of a state waits: those behind the return of another call run after it has ended. */
function insideOf({ graph }: Analysis, file: string): ReadonlySet<string> {
  return reachableFrom(graph, { from: [file], accepts: isOwnTransition });
}

/** The tag in the text of a prompt says more than the entry of its policy. */
function shownAt({ graph }: Analysis, { from, tag, at, mention }: Edge): FindingDetails['at'] {
  if (mention.source !== 'policy') return at;
  const shown = graph.states
    .get(from)
    ?.mentions.find((one) => one.source === 'text' && one.tag === tag && one.body?.value === mention.body?.value);
  return shown?.at ?? at;
}

/** For a call whose result only leads to the next call: no state behind the return may end the agent. */
function neverReturns({ graph }: Analysis, { from, mention }: Edge): string | undefined {
  const back = graph.states.get(from)?.edges.find((edge) => edge.mention === mention && edge.role === 'return')?.to;
  if (back?.kind !== 'state') return undefined;
  const behind = reachableFrom(graph, { from: [back.file], accepts: (edge) => isOwnTransition(edge) && !isCall(edge) });
  const mayEnd = [...behind].some((file) => {
    const state = graph.states.get(file);
    const isOpen = state === undefined || state.hasUnknownTargets || state.edges.length === 0;
    const isFree = state?.source.kind === 'prompt' && state.source.prompt.entries.length === 0;
    return (
      isOpen || isFree || state.edges.some(({ to, tag }) => to.kind !== 'state' || tag === 'ask' || tag === 'await')
    );
  });
  return mayEnd || !behind.has(from) ? undefined : `and ${back.file}, which gets the result, leads to this call again`;
}

const SLEEPS = /\bsleep\b|\bsetTimeout\b|\bAtomics\.wait\b|\binotifywait\b/;

/** For a loop that waits in each round: it may repeat any number of times, if nothing counts the rounds. */
function waitsIn(analysis: Analysis, members: readonly string[]): string | undefined {
  const { graph } = analysis;
  const isDelayed = allEdges(graph).some(
    ({ from, to, role, mention }) =>
      role === 'target' &&
      members.includes(from) &&
      to.kind === 'state' &&
      members.includes(to.file) &&
      mention.attributes.has('delay'),
  );
  const states = membersOf(analysis, members);
  const sleeps = states.some((state) => state.kind === 'script' && SLEEPS.test(searchableText(state)));
  const isLimited = states.some((state) => countsRounds(state)) || startsAtNumber(analysis, members);
  return isDelayed || (sleeps && !isLimited) ? 'in each round of a loop that waits' : undefined;
}

function membersOf({ graph }: Analysis, members: readonly string[]): readonly StateNode[] {
  return members.flatMap((file) => graph.states.get(file) ?? []);
}

const LIMIT_IN_WORDS =
  /\b(?:once|twice|\w+\s+(?:times|rounds|attempts|tries|levels)|limits?|at\s+most|maximum|up\s+to|no\s+more\s+than|depth|level|deeper)\b/i;

/** True for a state that may end the loop after a number of rounds: it compares with a number, or speaks of a limit. */
function countsRounds(state: StateNode): boolean {
  const code = plainText(state);
  if (state.kind === 'prompt') return LIMIT_IN_WORDS.test(code.replace(/<[^<>]*>/g, ''));
  if (/\b(?:depth|level|max\w*|limit\w*|tries|attempts?|rounds?|deadline)\b/i.test(code.replace(/-maxdepth/g, '')))
    return !/\bdeadline\b/i.test(code) || /\b(?:max\w*|limit\w*|tries|attempts?|rounds?)\b/i.test(code);
  return /(?:-(?:ge|gt|le|lt|eq)|[<>]=?|===?)\s*["']?(?:[2-9]|[1-9]\d|[1-4]\d\d)(?![\w.])/.test(
    // A loop inside of the script is no limit of the rounds.
    code.replace(/<[^<>\n]*>|\bfor\s*\([^)\n]*\)/g, ''),
  );
}

/** True for a loop that gets the number of its rounds from outside. */
function startsAtNumber({ graph }: Analysis, members: readonly string[]): boolean {
  const firsts = allEdges(graph).filter(
    ({ from, to, role }) =>
      role === 'target' && to.kind === 'state' && members.includes(to.file) && !members.includes(from),
  );
  return firsts.some(({ mention }) =>
    [...mention.attributes.values()].some(({ value }) => /^(?:[2-9]|\d{2,3})$/.test(value)),
  );
}

const MANY =
  /\b(?:thousands?|hundreds|\d{1,3},\d{3}|(?:[6-9]\d\d|[1-9]\d{3,6})(?!\s*(?:words|characters|lines|px|ms|bytes|tokens)))\b/i;

/** For a loop over data: the return state only hands the result back, so each round could be a `<goto>`. */
function dataIn(
  analysis: Analysis,
  { edge, members }: { readonly edge: Edge; readonly members: readonly string[] },
): string | undefined {
  const states = membersOf(analysis, members);
  if (states.some(countsRounds) || startsAtNumber(analysis, members)) return undefined;
  if (!handsBack(analysis, edge)) {
    const isStated = (takesNext(states) || goesForward(states, edge)) && statesMany(analysis, members);
    return isStated ? 'once for each of the many items of which the package speaks' : undefined;
  }
  const { description } = analysis.graph.source.parsedManifest ?? {};
  const isLarge = MANY.test(description ?? '') || states.some((state) => MANY.test(proseOf(state)));
  const { isCounted, limits } = countBefore(analysis, { edge, members });
  if (limits.some((limit) => limit <= MOST_CALLS)) return undefined;
  if (isCounted && limits.length > 0) return `up to ${Math.max(...limits)} times`;
  return isLarge || takesNext(states) || isCounted ? 'once for each round of a loop without a limit' : undefined;
}

/** Whether a loop counts to a number, or down from one, that an earlier state computes, and the limits of this state. */
function countBefore(
  analysis: Analysis,
  { edge, members }: { readonly edge: Edge; readonly members: readonly string[] },
): { readonly isCounted: boolean; readonly limits: readonly number[] } {
  const codes = membersOf(analysis, members).flatMap((state) => (state.kind === 'script' ? [plainText(state)] : []));
  const firsts = allEdges(analysis.graph).filter(
    ({ from, to, role }) =>
      role === 'target' && to.kind === 'state' && members.includes(to.file) && !members.includes(from),
  );
  const isComputedFirst = (name: string): boolean =>
    firsts.some(({ mention }) => isComputed(mention.attributes.get(name)?.value ?? ''));
  const names = [...edge.mention.attributes.keys()].filter((name) => name !== 'return' && isComputedFirst(name));
  const isCounted = names.some((name) => codes.some((code) => countsTo(code, name)));
  const before = firsts.flatMap(({ from }) => analysis.graph.states.get(from) ?? []);
  return { isCounted, limits: before.flatMap((state) => (state.kind === 'script' ? numbersIn(plainText(state)) : [])) };
}

/** True for a script that compares a counter with a variable of this name, or counts this variable down to 0. */
function countsTo(code: string, name: string): boolean {
  const variable = name === 'input' ? 'RAYMOND_INPUT' : name;
  const given = new RegExp(`(?<![\\w.$])(\\w+)\\s*(?::\\s*\\w+\\s*)?=(?!=)[^\\n=<>]{0,60}\\b${variable}\\b`, 'g');
  const word = [variable, ...[...code.matchAll(given)].map(([, other = '']) => other)].filter(Boolean).join('|');
  const up = new RegExp(`(?:-(?:lt|le|ge|gt|eq|ne)|[<>]=?|[!=]==?)\\s*["']?\\$?\\{?(?:${word})\\b`);
  const down = new RegExp(
    `\\b(?:${word})\\b["'})\\]]{0,3}\\s*(?:-(?:gt|ge|eq|ne|le)\\s*["']?[01]\\b|(?:[<>]=?|[!=]==?)\\s*[01]\\b)`,
  );
  const plain = code.replace(/<[^<>\n]*>/g, ' ');
  return (
    (/\+\s*1\b|\+\+|\+=\s*1\b/.test(code) && up.test(plain)) ||
    (/-\s*1\b|--(?!\w)|-=\s*1\b/.test(code) && down.test(plain))
  );
}

/** The numbers to which a script may limit what it counts. */
function numbersIn(code: string): readonly number[] {
  const found = code
    .replace(/<[^<>\n]*>/g, ' ')
    .matchAll(
      /(?:-(?:gt|ge|lt|le)\s+|\s[<>]=?\s*|\bslice\(\s*0\s*,\s*|\[:|\bhead\s+-n?\s*|=\s*)(\d[\d_]*)(?:\s*\*\s*(\d+))?(?![\w.])/g,
    );
  return [...found]
    .map(([, number = '', times = '1']) => Number(number.replaceAll('_', '')) * Number(times))
    .filter((number) => number > 1);
}

/** More items than calls, as an author writes: no year, and no number of words. */
const MANY_ITEMS =
  /\b(?:(?:tens of )?thousands? (?:of )?|\d{1,3}(?:,\d{3})+ |(?:[6-9]\d\d|[1-9]\d{4,6}|[3-9]\d{3}|1[0-8]\d\d|2[1-9]\d\d) )(?!(?:words|characters|px|ms|bytes|tokens|seconds|minutes|milliseconds|euros?|dollars|years?|and|or|to|in|of)\b)[a-z]/i;

/** True if the manifest, or a comment in the loop, says that there are more items than calls. */
function statesMany({ graph }: Analysis, members: readonly string[]): boolean {
  const { description, input } = graph.source.parsedManifest ?? {};
  const comments = members.flatMap((file) => {
    const source = graph.states.get(file)?.source;
    const script = source?.kind === 'script' ? source.script : undefined;
    return (script?.shell?.comments ?? script?.program?.comments ?? []).map(({ text }) => text);
  });
  return [description, input?.label, input?.description, ...comments].some((text) => MANY_ITEMS.test(text ?? ''));
}

function proseOf(state: StateNode): string {
  return state.kind === 'prompt' ? searchableText(state) : '';
}

/** True for a loop that takes the next of many: of the files in a folder, or of the lines of a file. */
function takesNext(states: readonly StateNode[]): boolean {
  return states.some((state) => {
    const code = state.kind === 'script' ? plainText(state) : '';
    return (
      /\b(?:find|ls)\b[^\n]*\|\s*(?:sort\s*[^\n|]*\|\s*)?head\s+-n?\s*1\b|\bsed\s+-i\s+["']?1d|\btail\s+-n\s+\+2\b/.test(
        code,
      ) ||
      (/\blen(?:gth\b|\()/.test(code) && /\+\s*1\b/.test(code) && /[<>]=?\s*(?:len\(|\w+\.length)/.test(code)) ||
      (/\bwc\s+-l\b/.test(code) && /\+\s*1\b/.test(code)) ||
      /\.(?:shift|pop)\(\s*0?\s*\)/.test(code)
    );
  });
}

/** True for a loop that passes on the next position: not one that halves its range. */
function goesForward(states: readonly StateNode[], { mention }: Edge): boolean {
  const isPassed = [...mention.attributes].some(([name, { value }]) => name !== 'return' && isComputed(value));
  const codes = states.flatMap((state) => (state.kind === 'script' ? [plainText(state)] : []));
  const raises = codes.some((code) => /\+\s*1\b|\+\+|\+=\s*1\b/.test(code));
  return isPassed && raises && !codes.some((code) => /\/\s*2\b|>>\s*1\b|\*\s*0?\.5\b/.test(code));
}

/** True if the state in `return` ends with the result as it is. */
function handsBack({ graph }: Analysis, { from, mention }: Edge): boolean {
  const back = graph.states.get(from)?.edges.find((edge) => edge.mention === mention && edge.role === 'return');
  const state = back?.to.kind === 'state' ? graph.states.get(back.to.file) : undefined;
  if (state === undefined || state.kind !== 'script') return false;
  const code = searchableText(state);
  const others = state.edges.filter(({ to }) => to.kind !== 'end');
  return (
    others.length === 0 &&
    /RAYMOND_(?:RESULT|INPUT)\b/.test(code) &&
    code.trim().split('\n').length < 12 &&
    !/\$\(\(|>>?\s*["'$\w]|\bopen\(|write|[-+*/]\s*\d/.test(code.replace(/<[^<>\n]*>/g, ''))
  );
}

/** A number of rounds that is too large, in a comparison of the counter or as its first value. */
function countIn(
  analysis: Analysis,
  { edge, members }: { readonly edge: Edge; readonly members: readonly string[] },
): string | undefined {
  const names = [...edge.mention.attributes]
    .filter(([name, { value }]) => name !== 'return' && (isComputed(value) || edge.mention.source !== 'script'))
    .map(([name]) => (name === 'input' ? 'RAYMOND_INPUT' : name));
  const limits = statesOf(analysis).flatMap((state) => (members.includes(state.file) ? limitsIn(state, names) : []));
  const firsts = allEdges(analysis.graph)
    .filter(
      ({ from, to, role }) =>
        role === 'target' && to.kind === 'state' && members.includes(to.file) && !members.includes(from),
    )
    .flatMap(({ mention }) =>
      names.map((name) => Number(mention.attributes.get(name === 'RAYMOND_INPUT' ? 'input' : name)?.value)),
    );
  const largest = Math.max(...limits, ...firsts.filter((count) => Number.isInteger(count)), 0);
  return largest > MOST_CALLS && largest < 1e6 ? `up to ${largest} times` : undefined;
}

/** The numbers with which a script compares one of these variables, or a counter that it reads from a file. */
function limitsIn(state: StateNode, names: readonly string[]): readonly number[] {
  const code = plainText(state);
  if (state.kind === 'prompt')
    return [...code.matchAll(/\}\}\s+of\s+(\d{3,6})\b(?!\s+(?:words|characters|lines))/g)].map(([, count]) =>
      Number(count),
    );
  const given =
    names.length === 0
      ? []
      : code.matchAll(
          new RegExp(String.raw`(?<![\w.$])(\w+)\s*(?::\s*\w+\s*)?=(?!=)[^\n=<>]{0,60}\b(?:${names.join('|')})\b`, 'g'),
        );
  const counted = code.matchAll(
    /(?<![\w.$])(\w+)\s*=(?!=)\s*\$\(\(\s*\$?\1\s*\+\s*1\s*\)\)|\b(\w+)\s*\+=\s*1\b|\b(\w+)\+\+|\$\(\(\s*(\w+)\s*\+\s*1\s*\)\)|\b(\w+)\s*\+\s*1\b/g,
  );
  const variables = [
    ...names,
    ...[...given].map(([, name = '']) => name),
    ...[...counted].map((match) => match.slice(1).find(Boolean) ?? ''),
  ].filter(Boolean);
  if (variables.length === 0) return [];
  const compared = new RegExp(
    String.raw`\b(?:${[...new Set(variables)].join('|')})\b["'}\]) ]{0,4}\s*(?:-(?:ge|gt|lt|le|eq)|[<>]=?|===?|!==?)\s*["']?\$?\{?(\w+)`,
    'g',
  );
  return [...code.matchAll(compared)].flatMap(([, limit = '']) => {
    const constant = new RegExp(String.raw`(?<![\w.$])${limit}\s*=(?!=)\s*(\d[\d_]*)\b`).exec(code)?.[1];
    const count = Number((/^\d/.test(limit) ? limit : (constant ?? 'x')).replaceAll('_', ''));
    return Number.isInteger(count) ? [count] : [];
  });
}
