// Rules about the work of forked agents: files that are read before an <await>, and results that
// a prompt does not get.
import { allEdges, edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isFork, isOwnTransition } from '../../loops.js';
import {
  hasUnknownTargets,
  plainText,
  searchableText,
  statesOf,
  withoutLongLines,
  type PromptState,
} from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { namedFiles } from '../files/places.js';
import { isWritten, mayBeSameFile, type TaskFile } from '../files/task-files.js';

function isDelivery({ tag, role }: Edge): boolean {
  return tag === 'await' && role === 'next';
}

function targets(edges: readonly Edge[]): readonly string[] {
  return edges.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : []));
}

/** What may wait for the files of other agents, or find none at first. */
const MAY_WAIT = /\b(?:while|until|sleep|wait|inotifywait|flock|retry)\w*\b|\|\|\s*true|2>\s*\/dev\/null/i;

/** A file that only forked agents write, and that the forking agent reads before it waits for them. */
function* filesTooEarly(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  const edges = allEdges(graph).filter(({ from }) => reached.has(from));
  const forks = edges.filter(({ tag, role }) => tag === 'fork' && role === 'target');
  if (forks.length === 0 || hasUnknownTargets(analysis) || edges.some(({ tag }) => tag.endsWith('-workflow'))) return;
  const forked = reachableFrom(graph, { from: targets(forks) });
  const written = [...forked].flatMap((file) => filesOf(analysis, file).filter(isWritten));
  for (const from of new Set(forks.map((fork) => fork.from))) {
    if (forked.has(from)) continue;
    const state = graph.states.get(from);
    const next = (state?.edges ?? []).filter((edge) => isOwnTransition(edge) && !isDelivery(edge) && isImmediate(edge));
    const early = reachableFrom(graph, {
      from: targets(next),
      accepts: (edge) => isOwnTransition(edge) && edge.tag !== 'await' && isImmediate(edge),
    });
    for (const file of [...early, ...forkedLater(analysis, { from, early })]) {
      const reader = graph.states.get(file);
      const isWriter =
        reader !== undefined && namedFiles(reader).some(isWritten) && !early.has(file) && reads(reader).length === 0;
      const found = reader === undefined || isWriter ? undefined : earlyRead(analysis, { reader, written, forked });
      const edge = next.find(
        ({ to }) => to.kind === 'state' && (reachesEarly(graph, { from: to.file, file }) || !early.has(file)),
      );
      if (found === undefined || edge === undefined) continue;
      yield {
        at: edge.at,
        state: from,
        message: `${file} reads ${found.name}, which the forked agents write, but the agent continues here at once and does not wait for them`,
        fix: `continue at a state with <await next="…"/>, which leads to ${file} when the forked agents have ended`,
      };
      return;
    }
  }
}

/** The states of agents that are forked while those of the first state still run. */
function forkedLater(
  { graph }: Analysis,
  { from, early }: { readonly from: string; readonly early: ReadonlySet<string> },
): readonly string[] {
  const forksOf = (file: string): readonly string[] => targets((graph.states.get(file)?.edges ?? []).filter(isFork));
  const first = reachableFrom(graph, { from: forksOf(from) });
  const later = [...early].filter((file) => file !== from).flatMap(forksOf);
  return [...reachableFrom(graph, { from: later })].filter((file) => !first.has(file));
}

function reads(state: StateNode): readonly TaskFile[] {
  return namedFiles(state).filter(({ use }) => use === 'read');
}

function reachesEarly(
  graph: Analysis['graph'],
  { from, file }: { readonly from: string; readonly file: string },
): boolean {
  return reachableFrom(graph, {
    from: [from],
    accepts: (edge) => isOwnTransition(edge) && edge.tag !== 'await' && isImmediate(edge),
  }).has(file);
}

/** True for a transition that neither waits nor asks. */
function isImmediate({ tag, mention }: Edge): boolean {
  return tag !== 'ask' && tag !== 'await' && !mention.attributes.has('delay');
}

function filesOf({ graph }: Analysis, file: string): readonly TaskFile[] {
  const state = graph.states.get(file);
  return state === undefined ? [] : namedFiles(state);
}

function earlyRead(
  analysis: Analysis,
  {
    reader,
    written,
    forked,
  }: { readonly reader: StateNode; readonly written: readonly TaskFile[]; readonly forked: ReadonlySet<string> },
): TaskFile | undefined {
  if (MAY_WAIT.test(plainText(reader))) return undefined;
  // A state that comes back to itself may look again later.
  if (reachableFrom(analysis.graph, { from: targets(reader.edges) }).has(reader.file)) return undefined;
  return namedFiles(reader).find(({ name, use }) => {
    const start = name.split('*')[0] ?? '';
    if (use !== 'read' || start.length < 3 || !written.some((one) => isNamed(one) && mayBeSameFile(one.name, name)))
      return false;
    // The agent itself may have made the file, or a state may find it in the project.
    return statesOf(analysis).every(
      (state) =>
        state === reader ||
        forked.has(state.file) ||
        !searchableText(state)
          .split('\n')
          .some((line) => line.includes(start) && !/\b(?:mkdir|rm|rmtree|makedirs|unlink)\b/.test(line)),
    );
  });
}

function isNamed({ name }: TaskFile): boolean {
  return (name.split('*')[0] ?? '').length > 2;
}

const WORK = String.raw`(?:findings|results?|reviews?|answers?|reports?|verdicts?|drafts?|summar(?:y|ies)|opinions?|votes?|suggestions?|proposals?|estimates?|forecasts?|translations?|conclusions?|notes|ideas|comments|remarks|arguments|texts|replies|offers|scores|assessments)`;

/** Speaks of what the agents have found. */
export const SPEAKS_OF_WORK = new RegExp(
  [
    String.raw`\b(?:their|whose|the|all|both|these|each|every|those|of)\b(?:\s+\w+){0,3}?\s+${WORK}\b`,
    String.raw`\bwhat\s+(?:the\s+)?(?:\w+\s+){1,3}?(?:have|has)?\s*(?:found|said|written|wrote|reported|answered|concluded|suggested|proposed|collected|noticed)\b`,
  ].join('|'),
  'i',
);

/** Names a source of the work besides the value. */
const NAMES_OTHER_SOURCE =
  /\{\{|@|\b(?:files?|folders?|director(?:y|ies)|repository|branch(?:es)?|commits?|git|database|table)\b|\w\/|\/\w|\.\w{2,4}\b(?!\s*$)|\b(?:run|execute|query)\b|\*\./i;

/** Where a prompt after an `<await>` speaks of the results, which nothing else can show it. */
export function speaksOfResults(analysis: Analysis, { source, file }: PromptState): number | undefined {
  if (hasUnknownTargets(analysis)) return undefined;
  const edges = edgesWithValue(analysis, file);
  if (edges.length === 0 || !edges.every(isDelivery)) return undefined;
  const incoming = edgesInto(analysis.graph, file);
  const text = withoutLongLines(source.prompt.body.text).replace(/<\/?[a-z][^<>\n]*>/g, (tag) =>
    ' '.repeat(tag.length),
  );
  if (incoming.length !== edges.length || NAMES_OTHER_SOURCE.test(text)) return undefined;
  const match = SPEAKS_OF_WORK.exec(text.replace(/\bEnd\s+with\b.*$/gim, (line) => ' '.repeat(line.length)));
  return match === null || leavesFiles(analysis) ? undefined : match.index;
}

/** True if a forked agent may leave its work in files. */
function leavesFiles({ graph }: Analysis): boolean {
  const forks = allEdges(graph).filter(isFork);
  const forked = reachableFrom(graph, { from: targets(forks) });
  return [...forked].some((file) => {
    const state = graph.states.get(file);
    if (state === undefined) return true;
    if (namedFiles(state).some(isWritten)) return true;
    const text = plainText(state);
    return state.kind === 'prompt'
      ? /\b(?:writ|sav|stor|commit|edit|fix|implement|put|creat)\w*\b[^.]{0,80}\b(?:to|into|files?|folder)\b/i.test(
          text,
        )
      : /(?<![<=-])>>?\s*["$\w]|\bopen\(|write\w*\(|\b(?:git|curl|sqlite\w*|psql)\b/.test(text);
  });
}

/** Rules about the work of forked agents. */
export const FORKED_WORK_RULES: readonly Rule[] = [
  {
    id: 'file-before-await',
    severity: 'warning',
    summary:
      'A state reads a file that only forked agents write, but the agent has not waited for the forked agents with <await>.',
    why: 'After a <fork>, the agent continues at once at the next state, while the forked agents begin. Only <await> waits until they have ended. Before that, their files are missing or not complete.',
    check: filesTooEarly,
  },
];
