// Rules about the agents that an <await> gives: a script that looks for agents of an earlier wave, or compares the file name in `state` with a
// name; and a forked agent that continues at the state which collects the results.
import { literalPattern } from '../../../protocol/text.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { stem } from '../../../protocol/ids.js';
import { allEdges, reachableFrom, type Edge } from '../../graph.js';
import { isFork, isOwnTransition } from '../../loops.js';
import { isComputed } from '../../mention.js';
import { COMPUTED } from '../../shell/words.js';
import { hasUnknownTargets, mistakesOf, searchableText, shownAt, type Mistake, type ScriptState } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** The edges by which an `<await>` gives its agents. */
function deliveries(analysis: Analysis): readonly Edge[] {
  return allEdges(analysis.graph).filter(
    ({ tag, role, to }) => tag === 'await' && role === 'next' && to.kind === 'state',
  );
}

function fileOf({ to }: Edge): string {
  return to.kind === 'state' ? to.file : '';
}

/** The forks whose agents may still be waited for at a state: a way leads there without another `<await>`. */
export function forksPendingAt(analysis: Analysis, file: string): readonly Edge[] {
  const { graph } = analysis;
  const accepts = (edge: Edge): boolean => isOwnTransition(edge) && !(edge.tag === 'await' && edge.role === 'next');
  const forks = allEdges(graph).filter(isFork);
  const files = [...new Set(forks.map(({ from }) => from))].filter((from) => {
    const next = (graph.states.get(from)?.edges ?? []).filter(accepts).flatMap((edge) => fileOf(edge) || []);
    return reachableFrom(graph, { from: next, accepts }).has(file);
  });
  return forks.filter(({ from }) => files.includes(from));
}

/** The texts by which a script may know the agents of a fork; undefined when they are not known. */
function namesOf({ graph }: Analysis, { from, mention, to }: Edge): readonly string[] | undefined {
  if (mention.source !== 'script' || mention.malformed !== undefined || mention.stray !== undefined) return undefined;
  const values = [...mention.attributes].filter(([name]) => !/^(?:next|input|cd|context|task)$/.test(name));
  const state = graph.states.get(from);
  const words = values.map(([, { value }]) => {
    if (!isComputed(value)) return [value];
    return value === COMPUTED && state !== undefined ? loopWords(searchableText(state)) : undefined;
  });
  const file = to.kind === 'state' ? [to.file] : [];
  return words.some((some) => some === undefined) ? undefined : [...words.flatMap((some) => some ?? []), ...file];
}

/** The words of the only loop of a script, if they are all written there. */
function loopWords(text: string): readonly string[] | undefined {
  const loops = [...text.matchAll(/\bfor\b[^\n]{0,40}?\b(?:in|of)\b([^\n;{]*)/g)];
  const [, list = ''] = loops.length === 1 ? (loops[0] ?? []) : [];
  const program = /^\s*[([](\s*(?:(?:"[\w .-]+"|'[\w .-]+')\s*,?\s*)+)[)\]]/.exec(list)?.[1];
  if (program !== undefined) return [...program.matchAll(/["']([\w .-]+)["']/g)].map(([, word = '']) => word);
  return /^(?:\s+[A-Za-z][\w.-]*)+\s*$/.test(list) ? list.trim().split(/\s+/) : undefined;
}

const READS_VALUE = /\bRAYMOND_(?:INPUT|RESULT)/;

/** Ways to get something besides the value: files and databases. */
const READS_FILES =
  /\bopen\(|\bread_text\(|\breadFile\w*\(|\bTASK_FOLDER\b|\bsqlite\b|\bcat\s|<\s*["'$.]|\.read\(|\brequire\(["']\.|--slurpfile|\bcurl\b|\bgit\b/g;

/** True for a script that reads nothing but its value. */
function readsOnlyValue(code: string): boolean {
  const lines = code.split('\n').filter((line) => !/RAYMOND_(?:INPUT|RESULT)_FILE/.test(line));
  return lines.join('\n').search(READS_FILES) < 0;
}

function* earlierWave(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const edges = edgesWithValue(analysis, state.file);
  const code = searchableText(state);
  if (edges.length === 0 || !edges.every(({ tag, role }) => tag === 'await' && role === 'next')) return;
  if (hasUnknownTargets(analysis) || !READS_VALUE.test(code) || !readsOnlyValue(code)) return;
  const now = edges.flatMap(({ from }) => forksPendingAt(analysis, from));
  const given = now.map((fork) => namesOf(analysis, fork));
  if (given.length === 0 || given.some((some) => some === undefined)) return;
  const known = new Set(given.flatMap((some) => some ?? []));
  const isSecond = ({ from }: Edge): boolean =>
    reachableFrom(analysis.graph, { from: [from], accepts: isOwnTransition }).has(state.file);
  const earlier = allEdges(analysis.graph).filter((fork) => isFork(fork) && !now.includes(fork) && isSecond(fork));
  const names = earlier
    .flatMap((fork) => namesOf(analysis, fork) ?? [])
    .filter((name) => /^\w[\w .-]*$/.test(name) && name.length > 2 && !known.has(name));
  for (const name of new Set(names)) {
    const quoted = literalPattern(name);
    const isBash = executorOf(state.file) === 'bash';
    const match = (
      isBash
        ? new RegExp(`["']${quoted}\\\\?["']|\\bfor\\s+\\w+\\s+in\\b[^\\n;]*?\\s${quoted}(?=[\\s;])`)
        : new RegExp(`["'\`]${quoted}["'\`]`)
    ).exec(code);
    if (match === null) continue;
    yield {
      at: match.index + match[0].lastIndexOf(name),
      message: `the agent ${name} is not in this list: an earlier <await> has delivered it, and each <await> gives only the agents since the last one`,
      fix: 'save what the earlier <await> gives, for example in a file of the task folder, and read that here',
    };
    return;
  }
}

/** What removes the extension of a file name, or compares only a part of it. */
const CUTS =
  /split|stem\b|replace|removesuffix|startswith|startsWith|slice|path\.parse\(|basename|includes\(|partition|\btest\(|\bmatch|%%?\.|ltrimstr|rtrimstr|\bsub\(|\bin\s+\w+\[["']state|\[:|endswith/;

/** Reads the field `state` of an agent. */
const READS_STATE =
  /\.state\b|\[\s*["']state["']\s*\]|\.get\(\s*["']state["']|\{[^{}\n]*\bstate\b[^{}\n]*\}\s*(?:\)\s*=>|=|\sof\s)/;

function* stateNames(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = searchableText(state);
  const edges = edgesWithValue(analysis, state.file);
  if (edges.length === 0 || !edges.every(({ tag, role }) => tag === 'await' && role === 'next')) return;
  if (!READS_VALUE.test(code) || !READS_STATE.test(code) || CUTS.test(code)) return;
  const forks = allEdges(analysis.graph).filter(isFork);
  const values = new Set(forks.flatMap(({ mention }) => [...mention.attributes.values()].map(({ value }) => value)));
  for (const name of new Set(forks.flatMap((fork) => (fork.to.kind === 'state' ? [stem(fork.to.file)] : [])))) {
    if (values.has(name)) continue;
    const match = new RegExp(`(["'])${literalPattern(name)}\\\\?\\1`).exec(code);
    if (match === null) continue;
    const file = forks.map(fileOf).find((one) => stem(one) === name) ?? name;
    yield {
      at: match.index + 1,
      message: `the field state of an agent is the name of a file, "${file}", and never "${name}"`,
      fix: `write "${file}"`,
    };
    return;
  }
}

/** A forked agent that continues at the state which the value of `<await>` is for, or at that of the `<await>`. */
function* workersThatCollect(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  if (hasUnknownTargets(analysis)) return;
  const seen = new Set<Edge>();
  for (const delivery of deliveries(analysis)) {
    const file = fileOf(delivery);
    const forks = forksPendingAt(analysis, delivery.from);
    const state = graph.states.get(file);
    const isCollected = state !== undefined && readsList(state);
    for (const edge of isCollected ? edgesOfWorkers(analysis, { forks, file }) : [])
      yield {
        at: edge.at,
        state: edge.from,
        message: `${edge.from} is run by forked agents and continues at ${file}, which needs the list that <await> gives: each forked agent runs ${file} itself, without that list`,
        fix: 'end with <result>…</result>; <await> passes the results on',
      };
    for (const edge of edgesOfWorkers(analysis, { forks, file: delivery.from, isWithoutForks: true })) {
      if (seen.has(edge)) continue;
      seen.add(edge);
      yield {
        at: shownAt(analysis, edge),
        state: edge.from,
        message: `${edge.from} is run by forked agents and continues at ${delivery.from}, but the agents for which ${delivery.from} waits are those of another agent: this <await> gives each forked agent an empty list`,
        fix: 'end with <result>…</result>; the <await> of the agent that forks passes the results on',
      };
    }
  }
}

/** The tags with which only forked agents continue at a state; `isWithoutForks`: none if these agents may fork agents of their own. */
function edgesOfWorkers(
  { graph }: Analysis,
  {
    forks,
    file,
    isWithoutForks,
  }: { readonly forks: readonly Edge[]; readonly file: string; readonly isWithoutForks?: true },
): readonly Edge[] {
  const accepts = (edge: Edge): boolean => isOwnTransition(edge) && fileOf(edge) !== file;
  const workers = reachableFrom(graph, { from: forks.flatMap((fork) => fileOf(fork) || []), accepts });
  const parents = reachableFrom(graph, { from: [...new Set(forks.map(({ from }) => from))], accepts });
  const edges = allEdges(graph);
  if (isWithoutForks && edges.some((edge) => isFork(edge) && workers.has(edge.from))) return [];
  return edges.filter(
    (edge) =>
      edge.role === 'target' &&
      /^(?:goto|reset)$/.test(edge.tag) &&
      fileOf(edge) === file &&
      workers.has(edge.from) &&
      !parents.has(edge.from) &&
      edge.mention.isCertain !== false,
  );
}

/** True for a script that reads its value as a list of agents. */
function readsList({ source }: { readonly source: ScriptState['source'] | { readonly kind: string } }): boolean {
  if (source.kind !== 'script') return false;
  const code = searchableText({ source: source as ScriptState['source'] });
  return (
    READS_VALUE.test(code) &&
    /json\.loads?\(|JSON\.parse\(|\bjq\b/.test(code) &&
    /\bstatus\b|\battributes\b|\bresult\b/.test(code)
  );
}

/** Rules about waves of forked agents. */
export const WAVE_RULES: readonly Rule[] = [
  {
    id: 'agents-of-earlier-await',
    severity: 'warning',
    summary:
      'A script looks for an agent in the list that an <await> delivers, but an earlier <await> has already delivered this agent.',
    why: 'Each <await> gives the agents that were forked since the last one. What an earlier <await> gave must be saved by the state that got it.',
    check: (analysis) => mistakesOf(analysis, (state) => earlierWave(analysis, state)),
  },
  {
    id: 'state-without-extension',
    severity: 'warning',
    summary:
      'A script compares the field state of an awaited agent with a name without extension, but the field holds a file name.',
    why: 'In the list that <await> gives, state is the name of the file with which the agent ended, such as WORKER.sh. A comparison with WORKER is never true.',
    check: (analysis) => mistakesOf(analysis, (state) => stateNames(analysis, state)),
  },
  {
    id: 'collected-by-worker',
    severity: 'warning',
    summary:
      'A forked agent continues at the state that waits for the forked agents, or that collects their results, but must end with <result>.',
    why: 'Only the agent that has forked the others can wait for them and gets the list of results. A forked agent that goes to the same state runs it by itself, with its own value, and its result does not get into the list.',
    check: workersThatCollect,
  },
];
