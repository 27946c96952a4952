// Rules about working directories: agents that are forked after a <reset cd>, but do not work in that directory, and loops that go deeper.
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { originOf } from '../../../protocol/scope.js';
import { plainText, searchableText, statesOf } from '../helpers.js';
import { relativePathNotFound } from '../paths/forked-paths.js';
import { COMPUTED } from '../../shell/words.js';
import { displayText, type SourceAttribute } from '../../mention.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { pathNotFound } from '../agents/forked-directory.js';
import { movedStates } from './moved-states.js';
import { directoriesOf } from './places.js';

/** What may make a path absolute, change the directory, or give it the same files as the other one. */
const OTHER_DIRECTORY =
  /\bpwd\b|\$\{?(?:PWD|OLDPWD)\b|realpath|readlink|getcwd|\bcwd\b|resolve\(|absolute|abspath|chdir|pushd|worktree/i;

function* forksWithoutDirectory(analysis: Analysis): Generator<FindingDetails> {
  const moved = movedStates(analysis);
  for (const state of statesOf(analysis)) {
    const cd = directoryOf(analysis, state) ?? moved.get(state.file);
    const found = cd === undefined ? undefined : forkNotFinding(analysis, { state, cd, moved });
    if (cd === undefined || found === undefined) continue;
    yield {
      at: shownTag(state, found.fork).at,
      state: state.file,
      message: `this state works in ${displayDirectory(cd)}, but the forked agent starts in the directory of the run, where ${found.taker} does not find ${found.path}`,
      fix: 'pass the directory in the cd attribute of <fork>, or pass absolute paths',
    };
  }
  yield* forksOfWorkflows(analysis);
}

/** The tag of an entry in a policy as the text of the prompt shows it. */
function shownTag({ mentions }: StateNode, { mention }: Edge): Edge['mention'] {
  if (mention.source !== 'policy') return mention;
  return mentions.find(({ source, tag }) => source === 'text' && tag === mention.tag) ?? mention;
}

/** The forks of another workflow to which a tag with `cd` leads: the whole workflow works in that directory. */
function* forksOfWorkflows(analysis: Analysis): Generator<FindingDetails> {
  const { graph, workflows, otherPackages } = analysis;
  for (const { to, from, mention } of allEdges(graph)) {
    const answer = to.kind === 'workflow' ? workflows.get(to.specifier) : undefined;
    const cd = mention.attributes.get('cd')?.value.trim() ?? '';
    if (to.kind !== 'workflow' || answer?.kind !== 'workflow' || !/^[A-Za-z]/.test(cd)) continue;
    const other = otherPackages.find(
      (one) =>
        originOf(one.graph.source.scope) === originOf(answer.scope) && one.graph.source.path !== graph.source.path,
    );
    const giver = graph.states.get(from);
    if (other === undefined || giver === undefined || OTHER_DIRECTORY.test(plainText(giver))) continue;
    const moved = movedStates(other, cd);
    for (const state of statesOf(other)) {
      const found = moved.get(state.file) === cd ? forkNotFinding(other, { state, cd, moved }) : undefined;
      if (found === undefined) continue;
      yield {
        at: mention.at,
        state: from,
        mention,
        message: `${to.specifier} works in ${displayDirectory(cd)}, but ${state.file} forks agents without cd: they start in the directory of the run, where ${found.taker} does not find ${found.path}`,
        fix: `write cd="." in the <fork> of ${state.file}`,
      };
      return;
    }
  }
}

function displayDirectory(cd: string): string {
  return cd === COMPUTED ? 'the directory in cd' : displayText(cd);
}

interface Mover {
  readonly state: StateNode;
  readonly cd: string;
  readonly moved: ReadonlyMap<string, string>;
}

/** The first fork of a state whose agent does not find a path, because it starts in another directory than the state. */
function forkNotFinding(
  analysis: Analysis,
  { state, cd, moved }: Mover,
): { readonly fork: Edge; readonly taker: string; readonly path: string } | undefined {
  const text = plainText(state);
  if (OTHER_DIRECTORY.test(text) || /^\s*cd\s/m.test(text) || !forksPlainly(state)) return undefined;
  for (const fork of state.edges) {
    if (fork.tag !== 'fork' || fork.role !== 'target' || fork.to.kind !== 'state') continue;
    const { file } = fork.to;
    const others = edgesInto(analysis.graph, file);
    const taker = analysis.graph.states.get(file);
    if (taker === undefined || fork.mention.malformed !== undefined || !others.every(isPlainFork)) continue;
    const shared = state.kind === 'script' ? sharedPath(fork, { text, taker }) : undefined;
    const path = shared ?? pathOfMoved(analysis, { fork, state, taker, cd, moved });
    if (path !== undefined) return { fork, taker: file, path };
  }
  return undefined;
}

/** True for a script, and for a prompt that does not speak of directories: a policy does not compare cd. */
function forksPlainly({ kind, source }: StateNode): boolean {
  if (kind === 'script') return true;
  return source.kind === 'prompt' && !/\bcd\b|\bdirector(?:y|ies)\b/.test(source.prompt.body.text);
}

/** A state that names the directory in which it already works: each is below the one before. */
function* growingDirectories(analysis: Analysis): Generator<FindingDetails> {
  const directories = directoriesOf(analysis);
  for (const state of statesOf(analysis))
    for (const edge of state.edges) {
      const { tag, role, to, mention } = edge;
      const cd = directoryIn(state, edge);
      if (cd === undefined || role !== 'target') continue;
      if (growsInLoop(analysis, edge, cd.value)) {
        yield deeperInLoop(edge, cd);
        continue;
      }
      if (!mention.attributes.has('cd') || !/^\w[\w./-]*$/.test(cd.value)) continue;
      const path = cd.value.replace(/\/$/, '');
      const isSelf = state.kind === 'script' && tag === 'reset' && to.kind === 'state' && to.file === state.file;
      const [directory = '', ...others] = directories.get(state.file) ?? [];
      const isThere =
        others.length === 0 && (directory === path || (directory !== '' && path.startsWith(`${directory}/`)));
      if (!isSelf && (!isThere || makesTwice(analysis, path))) continue;
      yield {
        at: cd.at,
        state: state.file,
        message: `this state already works in ${isSelf ? path : directory}${isSelf ? ' after the first round' : ''}, so ${isSelf ? 'the next round' : 'the tag'} looks for ${path} in ${isSelf ? path : directory}`,
        fix: 'leave cd out here, or pass an absolute path',
      };
    }
}

/** The `cd` of a tag; if the policy of a prompt leaves it out, as the text of the prompt shows the tag. */
function directoryIn(state: StateNode, { mention }: Edge): SourceAttribute | undefined {
  const shown = state.mentions.find(
    ({ source, tag, body }) => source === 'text' && tag === mention.tag && body?.value === mention.body?.value,
  );
  return mention.attributes.get('cd') ?? (mention.source === 'policy' ? shown?.attributes.get('cd') : undefined);
}

/** A path whose first part is a fixed name, so that it is below the directory of the agent. */
const BELOW = /^(?:\.\/)*[A-Za-z][\w.-]*(?:\/(?!\.\.)[^/]*)*$/;

/** True for a tag of a loop on which no other tag leads out of the directory again. */
function growsInLoop(analysis: Analysis, edge: Edge, cd: string): boolean {
  const { from, to, tag, mention } = edge;
  if (tag !== 'reset' || to.kind !== 'state' || mention.malformed !== undefined || !BELOW.test(cd.trim())) return false;
  const name = cd.replace(/^(?:\.\/)+|\/+$/g, '');
  if (statesOf(analysis).some((state) => searchableText(state).includes(`${name}/${name}`))) return false;
  const accepts = (one: Edge): boolean => staysBelow(analysis, one);
  return reachableFrom(analysis.graph, { from: [to.file], accepts }).has(from);
}

/** True for a transition after which the agent is in the same directory, or in one below it. */
function staysBelow({ graph }: Analysis, edge: Edge): boolean {
  const { tag, role, mention, from } = edge;
  if (!isOwnTransition(edge) || (role === 'target' && /^(?:call|function)/.test(tag))) return false;
  if (role !== 'target' || tag !== 'reset') return true;
  if (mention.malformed !== undefined || mention.stray !== undefined) return false;
  const state = graph.states.get(from);
  const cd = state === undefined ? '' : (directoryIn(state, edge)?.value.trim() ?? '');
  const source = state?.source;
  const mayAdd = source?.kind === 'prompt' && /\bcd\b|\bdirector(?:y|ies)\b/.test(source.prompt.body.text);
  return cd === '' ? !mayAdd : BELOW.test(cd);
}

function deeperInLoop({ from, mention }: Edge, cd: SourceAttribute): FindingDetails {
  const path = displayText(cd.value);
  return {
    at: cd.at,
    state: from,
    mention,
    message: `every round of this loop goes into ${path} and none leaves it, so the next round looks for ${path} in ${path}`,
    fix: 'write an absolute path in cd, or let the loop come back with <reset cd="..">',
  };
}

/** True if a state may make the directory a second time, below itself. */
function makesTwice(analysis: Analysis, path: string): boolean {
  const name = literalPattern(path.split('/')[0] ?? path);
  const made = new RegExp(`\\b(?:mkdir|makedirs|clone|creat\\w*|make)\\b[^\\n]*(?<![\\w./-])${name}(?![\\w-])`, 'gi');
  if (statesOf(analysis).some((state) => searchableText(state).includes(`${path}/${path}`))) return true;
  const counts = statesOf(analysis).map((state) => plainText(state).match(made)?.length ?? 0);
  return counts.reduce((sum, count) => sum + count, 0) > 1;
}

function isPlainFork({ tag, role, mention }: Edge): boolean {
  return tag === 'fork' && role === 'target' && !mention.attributes.has('cd');
}

/** The directory of a state that is only reached by a `<reset>` with a fixed relative `cd`. */
function directoryOf({ graph, entriesFromOutside = [] }: Analysis, { file }: StateNode): string | undefined {
  const incoming = edgesInto(graph, file);
  const isEntry = entriesFromOutside.includes(file) || (graph.entry.kind === 'state' && graph.entry.file === file);
  if (isEntry || incoming.length === 0) return undefined;
  const all = incoming.map(({ tag, role, mention }) =>
    tag === 'reset' && role === 'target' ? mention.attributes.get('cd')?.value : undefined,
  );
  const [cd] = all;
  return cd !== undefined && /^\w[\w./-]*$/.test(cd) && all.every((one) => one === cd) ? cd : undefined;
}

/** A path that the agent does not find, if neither state may have given the path of its directory. */
function pathOfMoved(analysis: Analysis, fork: Parameters<typeof pathNotFound>[1]): string | undefined {
  const isOther = OTHER_DIRECTORY.test(plainText(fork.taker));
  if (isOther || !fork.moved.has(fork.state.file)) return undefined;
  const known = fork.state.kind === 'script' ? pathNotFound(analysis, fork) : undefined;
  return known ?? relativePathNotFound(analysis, fork);
}

/** A relative path that the forking script uses and passes on or that both name, and that the forked state looks for. */
function sharedPath(
  { mention }: Edge,
  { text, taker }: { readonly text: string; readonly taker: StateNode },
): string | undefined {
  const used = taker.source.kind === 'prompt' ? '' : plainText(taker);
  if (used === '' || OTHER_DIRECTORY.test(used)) return undefined;
  const passed = [...mention.attributes].filter(([, { value }]) => value === COMPUTED).map(([name]) => name);
  const name = passed.find((one) => isWrittenOrListed(text, one) && opens(used, one));
  if (name !== undefined) return `the path in ${name}`;
  const relative = [...mention.attributes].find(
    ([one, { value }]) => /^\w[^\s/]*\.\w+$/.test(value) && opens(used, one),
  );
  if (relative !== undefined) return `the path in ${relative[0]}`;
  const folders = new Set(foldersWritten(text));
  const read = new Set(filesRead(text));
  return [...folders].find((folder) => opensIn(used, folder)) ?? filesRead(used).find((file) => read.has(file));
}

/** The files in the working directory that a script reads and does not write. */
function filesRead(text: string): readonly string[] {
  const name = String.raw`([A-Za-z][\w-]*\.[a-z]\w*)`;
  const patterns = [
    String.raw`(?<!<)<\s*"?${name}"?(?=[\s;)|&]|$)`,
    String.raw`\b(?:cat|wc|head|tail|grep|sort|sed|awk|jq|cut)\b[^\n|;&<>]*?\s"?${name}"?(?=[\s;)|&]|$)`,
    String.raw`\bopen\(\s*["']${name}["']\s*(?:\)|,\s*(?:encoding|["']r))|\breadFileSync\(\s*["']${name}["']`,
  ];
  const found = patterns.flatMap((pattern) => [...text.matchAll(new RegExp(pattern, 'gm'))]);
  const names = found.map(([, one, two]) => one ?? two ?? '');
  return names.filter(
    (file) => !new RegExp(`(?:>\\s*|\\b(?:tee|cp|mv|touch)\\b[^\\n]*)"?${literalPattern(file)}`).test(text),
  );
}

/** True if bash writes below the path in a variable, or tests that it is there. */
function isWrittenOrListed(text: string, name: string): boolean {
  return new RegExp(`>\\s*"?\\$\\{?${name}\\}?"?/|\\[\\[?\\s+-[defs]\\s+"?\\$\\{?${name}\\}?"?\\s`).test(text);
}

/** True for a bash script that changes to the path in a variable, or reads a file at or below it. */
function opens(text: string, name: string): boolean {
  if (new RegExp(`(?<![\\w.])${name}=`).test(text)) return false;
  const variable = `"?\\$\\{?${name}\\}?"?`;
  return new RegExp(
    `^[ \\t]*cd\\s+${variable}\\s*$|<\\s*${variable}(?:[\\s/)]|$)|\\b(?:cat|wc|head|tail|find|ls|grep|sort)\\s(?:-\\w+\\s+)*${variable}(?:[\\s/)]|$)`,
    'm',
  ).test(text);
}

/** The folders in the working directory into which bash writes files. */
function foldersWritten(text: string): readonly string[] {
  return [...text.matchAll(/(?<![>\d&=-])>\s*"?([A-Za-z][\w-]*)\/[^\s";|&]*/g)].map(([, folder = '']) => folder);
}

/** True for a script that reads a file in a folder of its working directory. */
function opensIn(text: string, folder: string): boolean {
  const quoted = folder.replace(/-/g, '\\-');
  return new RegExp(
    `\\bopen\\(\\s*f?["'\`]${quoted}/[^"'\`\\n]*["'\`]\\s*(?:\\)|,\\s*(?:encoding|["']r))|\\bPath\\(\\s*f?["']${quoted}/[^"'\\n]*["']\\)\\.read|\\breadFileSync\\(\\s*["'\`]${quoted}/|(?:<|\\b(?:cat|wc|head|tail|grep|sort))\\s*(?:-\\w+\\s+)*"?${quoted}/`,
  ).test(text);
}

/** Rules about the directories of agents. */
export const DIRECTORY_RULES: readonly Rule[] = [
  {
    id: 'fork-without-cd',
    severity: 'warning',
    summary:
      'After a tag with cd, a <fork> has no cd. The new agent starts where main, the first agent, started, so it does not find the files in the working directory of the agent that forked it.',
    why: 'A forked agent starts in the cd of its <fork>. Without cd, it starts in the directory in which main started, not where the agent that forks it works.',
    check: forksWithoutDirectory,
  },
  {
    id: 'growing-directory',
    severity: 'warning',
    summary:
      'A tag has a relative cd such as src, but the state already works in src, for example in a loop, so the tag looks for src/src, which usually does not exist.',
    why: 'A relative cd begins in the directory of the agent. After the first <reset>, the agent works in that directory, so the second one names a directory below it, which usually does not exist.',
    check: growingDirectories,
  },
];
