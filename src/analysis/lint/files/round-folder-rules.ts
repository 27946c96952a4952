// Rules about loops whose rounds have task folders of their own: what a round counts or lists in its folder, the next one does not find.
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import type { Mention } from '../../mention.js';
import { hasUnknownTargets, plainText, scriptsOf, searchableText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { taskFilePatterns, taskFiles, type TaskFile } from './task-files.js';

/** A counter in a file of the task folder, in a loop each round of which gets a new task folder. */
function* countersOfRounds(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  if (!allEdges(graph).some(givesNewFolder)) return;
  for (const state of scriptsOf(analysis)) {
    if (!reached.has(state.file) || !isInLoop(analysis, state, () => true)) continue;
    if (isInLoop(analysis, state, (edge) => !givesNewFolder(edge))) continue;
    const counter = counterOf(state);
    if (counter === undefined || isUsedByOthers(analysis, { state, name: counter.name })) continue;
    yield {
      at: state.source.raw.at(counter.at),
      state: state.file,
      message: `every round of this loop gets a new task folder, so ${counter.name} is not in it and the count starts from the beginning each time`,
      fix: 'pass the count as an attribute, or leave out task="new" (in a <fork>, write task="inherit")',
    };
  }
}

function givesNewFolder({ tag, role, mention }: Edge): boolean {
  if (role !== 'target' || mention.malformed !== undefined) return false;
  const task = mention.attributes.get('task')?.value;
  return tag === 'reset' ? task === 'new' : tag === 'fork' && mention.source !== 'policy' && (task ?? 'new') === 'new';
}

/** True for a state that leads back to itself along the edges that `accepts` allows. */
function isInLoop({ graph }: Analysis, { file, edges }: StateNode, accepts: (edge: Edge) => boolean): boolean {
  const next = edges.flatMap((edge) => (edge.to.kind === 'state' && accepts(edge) ? [edge.to.file] : []));
  return reachableFrom(graph, { from: next, accepts }).has(file);
}

const COUNTS = /\+\s*1\b|\+\+|\+=\s*1\b|\bwc\s|\blen\(|\.length\b|\.count\(|\bgrep\s+-c/;
const COMPARES = /\s-(?:ge|gt|lt|le|eq|ne)\s|[<>]=?\s*\(?(?:\d|[A-Za-z_]\w*\s*(?:\)|:|$))|[!=]==?\s*\d/m;

/** The file in which a script counts, if the script compares the count and has no loop of its own. */
function counterOf(state: StateNode): TaskFile | undefined {
  const code = plainText(state);
  if (!COUNTS.test(code) || !COMPARES.test(code) || /^\s*(?:for|while|until)\b/m.test(code)) return undefined;
  const uses = taskFiles(state);
  const isRead = (name: string): boolean =>
    uses.some((file) => file.name === name && (file.use === 'read' || file.use === 'test'));
  return uses.find(
    ({ name, use }) => isRead(name) && (use === 'append' || (use === 'write' && /\+\s*1\b|\+\+|\+=\s*1\b/.test(code))),
  );
}

function isUsedByOthers(
  analysis: Analysis,
  { state, name }: { readonly state: StateNode; readonly name: string },
): boolean {
  return statesOf(analysis).some((other) => other !== state && searchableText(other).includes(name));
}

function* findings(analysis: Analysis): Generator<FindingDetails> {
  const counters = [...countersOfRounds(analysis)];
  yield* counters;
  for (const list of listsOfRounds(analysis)) if (!counters.some(({ state }) => state === list.state)) yield list;
}

/** A list in a file of the task folder, by which a state chooses what to do next, in a loop whose rounds get new folders. */
function* listsOfRounds(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  if (hasUnknownTargets(analysis)) return;
  for (const state of statesOf(analysis)) {
    const reset = state.edges.find((edge) => edge.tag === 'reset' && isNewRound(analysis, edge));
    if (reset === undefined || reset.to.kind !== 'state' || !reached.has(state.file)) continue;
    const isSame = (edge: Edge): boolean => !isNewRound(analysis, edge) && edge.tag !== 'fork';
    if (!reachableFrom(graph, { from: [reset.to.file] }).has(state.file)) continue;
    if (isInLoop(analysis, state, isSame) || isRetried(state)) continue;
    const list = listOf(analysis, { state, next: reset.to.file, isSame });
    if (list === undefined) continue;
    yield {
      at: tagOf(state, reset),
      state: state.file,
      message: `this tag gives the next round a new task folder, in which ${state.file} does not find what earlier rounds have written to ${list}`,
      fix: 'leave out task="new", or keep the file in the working directory',
    };
  }
}

/** True for a tag that gives the agent a new task folder; of a prompt, as its text shows the tag. */
function isNewRound({ graph }: Analysis, edge: Edge): boolean {
  if (givesNewFolder(edge)) return edge.tag === 'reset';
  const shown = graph.states.get(edge.from)?.mentions.find((one) => isShown(one, edge));
  return edge.tag === 'reset' && edge.role === 'target' && shown?.attributes.get('task')?.value === 'new';
}

function isShown({ source, tag, body }: Mention, { mention }: Edge): boolean {
  return source === 'text' && tag === mention.tag && body?.value === mention.body?.value;
}

/** Where a state writes a tag: in a prompt, where its text shows it. */
function tagOf({ mentions }: StateNode, edge: Edge): FindingDetails['at'] {
  return mentions.find((one) => isShown(one, edge))?.at ?? edge.mention.at;
}

/** In a turn that is tried again, a script finds what the earlier try has written. */
function isRetried({ source }: StateNode): boolean {
  return source.kind === 'script' && ((source.settings.retries ?? 0) > 0 || /TURN_ID/.test(source.raw.text));
}

interface Round {
  readonly state: StateNode;
  /** The first state of the next round. */
  readonly next: string;
  /** True for a transition that keeps the task folder. */
  readonly isSame: (edge: Edge) => boolean;
}

/** The file that a state reads before anything in the round has written it. */
function listOf(analysis: Analysis, { state, next, isSame }: Round): string | undefined {
  const names = new Set(contentUses(state).map(({ name }) => name));
  return [...names].find((name) => {
    const uses = contentUses(state).filter((one) => one.name === name);
    if (!isReadFirst(state, uses)) return false;
    const writers = statesOf(analysis).filter((other) => other !== state && writes(other, name));
    const isOwn = uses.some(({ use }, index) => use === 'append' || (use === 'write' && isRead(uses.slice(0, index))));
    if (!isOwn && writers.length === 0) return false;
    const files = new Set(writers.map(({ file }) => file));
    const isUnwritten = reachableFrom(analysis.graph, {
      from: [next],
      accepts: (edge) => isSame(edge) && !files.has(edge.from),
    }).has(state.file);
    if (isUnwritten) return isOwn || isRead(uses);
    return !isOwn && choosesByList(state) && writers.every((other) => onlyAppends(other, name));
  });
}

function isRead(uses: readonly TaskFile[]): boolean {
  return uses.some(({ use }) => use === 'read');
}

/** True for a file that a state looks at before it writes it; a prompt may name both in any order. */
function isReadFirst(state: StateNode, uses: readonly TaskFile[]): boolean {
  const [first] = uses;
  const isLooked = first?.use === 'read' || first?.use === 'test';
  return isLooked || (state.kind === 'prompt' && uses.some(({ use }) => use === 'test'));
}

/** The uses of files in the task folder that have to do with their content: not the making of an empty file or a folder. */
function contentUses(state: StateNode): readonly TaskFile[] {
  const code = plainText(state);
  // A sentence of a prompt may begin on the line before.
  const files = state.kind === 'prompt' ? taskFilePatterns(state) : taskFiles(state);
  return files
    .flatMap((file): readonly TaskFile[] => {
      const before = code.slice(code.lastIndexOf('\n', file.at) + 1, file.at);
      const after = code.slice(file.at, file.at + 200);
      const isBelow = /^"?\$\{?\w+\}?"?\/["$\w]/.test(after);
      if (file.use === 'write' && /\btouch\s+"?$/.test(before)) return isBelow ? [{ ...file, use: 'append' }] : [];
      return /(?:\bmkdir\b[^\n;&|]*|(?:^|\s):\s*>>?\s*"?)$/.test(before) ||
        /^[^\n]{0,80}\.(?:touch|mkdir)\(/.test(after)
        ? []
        : [file];
    })
    .sort((one, other) => one.at - other.at);
}

function writes(state: StateNode, name: string): boolean {
  return contentUses(state).some((one) => one.name === name && (one.use === 'write' || one.use === 'append'));
}

function onlyAppends(state: StateNode, name: string): boolean {
  return contentUses(state).every((one) => one.name !== name || one.use !== 'write');
}

/** True for a script that goes through a list and leaves out what another list names. */
function choosesByList(state: StateNode): boolean {
  const code = plainText(state);
  const isList = /^[ \t]*(?:for|while)\b|\bfor \w+ in\b|\.(?:find|filter)\(/m.test(code);
  return isList && /\bgrep\s+(?:-\w+\s+)*-\w*[qv]|\bnot in\b|!\s*\w+\.(?:includes|has)\(|\bcomm\s+-/.test(code);
}

/** The rule, for the table of all rules. */
export const ROUND_FOLDER_RULES: readonly Rule[] = [
  {
    id: 'counter-in-new-folder',
    severity: 'warning',
    summary:
      'A state in a loop keeps a counter, or the list of what is done, in a file of the task folder, but every round of the loop gets a new task folder.',
    why: 'task="new" on <reset>, and <fork> without task="inherit", give the next round an empty task folder. The count starts from the beginning, or the same work is done again, so the loop never ends.',
    check: findings,
  },
];
