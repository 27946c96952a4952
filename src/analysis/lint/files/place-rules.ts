// Rules about files and directories that are not where a state works: files of states in another directory, and a cd to a directory that only
// a later state makes.
import { literalPattern } from '../../../protocol/text.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { hasUnknownTargets, plainText, statesOf, textOf } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { CARRIES, filesOfWorkflows, OTHER_FILES } from './called-directory.js';
import { opensVariable } from '../agents/forked-directory.js';
import { filesOfForksUnderOtherName, foldersCutOff, foldersUnmade } from '../paths/forked-folders.js';
import { directoriesInTaskFolder, unwrittenFiles } from '../paths/unwritten-files.js';
import { nearDirectories } from './near-directories.js';
import { directoriesOf, filesWithoutExtension, joined, namedFiles } from './places.js';
import { mayBeSameFile, type TaskFile } from './task-files.js';

interface Placed extends TaskFile {
  readonly state: StateNode;
  /** Its possible paths from the directory where the run starts. */
  readonly paths: readonly string[];
}

/** The files of all states whose directory is known; undefined if files may get from one directory to another. */
function placedFiles(analysis: Analysis): readonly Placed[] | undefined {
  const directories = directoriesOf(analysis);
  const all = new Set([...directories.values()].flatMap((some) => [...some]));
  if (all.size < 2 || hasUnknownTargets(analysis)) return undefined;
  const states = statesOf(analysis).filter(({ file }) => analysis.reached.has(file));
  if (states.some((state) => state.kind === 'script' && OTHER_FILES.test(plainText(state)))) return undefined;
  if (states.some(({ file }) => !directories.has(file))) return undefined;
  const plain = filesWithoutExtension(states);
  return states.flatMap((state) =>
    [...namedFiles(state), ...(plain.get(state) ?? [])].map((file) => {
      const paths = [...(directories.get(state.file) ?? [])].map((directory) => joined(directory, file.name));
      return { ...file, state, paths };
    }),
  );
}

function mayBeSame(one: Placed, other: Placed): boolean {
  return one.paths.some((path) => other.paths.some((otherPath) => mayBeSameFile(path, otherPath)));
}

function* filesOfOthers(analysis: Analysis): Generator<FindingDetails> {
  const files = placedFiles(analysis) ?? [];
  const written = files.filter(({ use }) => use === 'write' || use === 'append');
  const reported = new Set<string>();
  for (const file of files) {
    const { state, name, paths, use, at } = file;
    const text = textOf(state);
    if (use !== 'read' || text === undefined || reported.has(state.file) || !isFixed(name)) continue;
    if (paths.includes('?') || files.some((one) => one.use !== 'read' && !isDemand(one) && mayBeSame(one, file)))
      continue;
    const writer = written.find(
      (one) =>
        isFixed(one.name) && !one.paths.includes('?') && (mayBeSameFile(one.name, name) || one.paths.includes(name)),
    );
    if (writer === undefined || writer.state === state || isCarried(analysis, { file, writer })) continue;
    reported.add(state.file);
    yield {
      at: text.at(at),
      state: state.file,
      message: `${name} is not in the directory in which ${state.file} works: ${writer.state.file} writes ${writer.paths.join(' and ')}, and this is ${paths.join(' and ')}`,
      fix: 'write the path from this directory, or pass an absolute path',
    };
  }
}

/** True for a test after which a script fails without the file. */
function isDemand({ state, use, at }: Placed): boolean {
  if (use !== 'test' || state.kind !== 'script') return false;
  const code = plainText(state);
  const [line = '', next = '', third = ''] = code.slice(code.lastIndexOf('\n', at - 1) + 1).split('\n', 3);
  return /\bexit [1-9]|\braise\b|\bsys\.exit\(|\bprocess\.exit\(1|\bthrow\b/.test(
    /\|\||\bexit\b/.test(line) ? line : `${next}\n${third}`,
  );
}

function isFixed(name: string): boolean {
  return (name.split('*')[0] ?? '').length > 2 || !name.includes('*');
}

/** True if a state may bring the file into the other directory, or if the file may come from the project. */
function isCarried(analysis: Analysis, { file, writer }: { readonly file: Placed; readonly writer: Placed }): boolean {
  const key = writer.name.split('*')[0] ?? writer.name;
  const base = /[^/]*\/?$/.exec(key)?.[0] ?? key;
  if (base === '') return true;
  const { graph } = analysis;
  const isBefore =
    reachableFrom(graph, { from: [file.state.file] }).has(writer.state.file) &&
    !reachableFrom(graph, { from: [writer.state.file] }).has(file.state.file);
  if (isBefore) return true;
  const mentions = new RegExp(`[/}]["']?${literalPattern(base)}`);
  return statesOf(analysis).some((state) => {
    const text = plainText(state);
    const isOther = state !== file.state && state !== writer.state;
    if (isOther && text.includes(base)) return state.kind === 'prompt' || namedFiles(state).length === 0;
    if (mentions.test(text) && !file.name.includes('/')) return true;
    const isReader = state === file.state;
    return text
      .split('\n')
      .some(
        (line) =>
          line.includes(isReader ? `/${base}` : base) && CARRIES.test(line) && !(isReader && file.name.includes('/')),
      );
  });
}

/** A path that a tag with `cd` passes on, though it begins in the directory of the state that writes the tag. */
function* pathsPassed(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  for (const { tag, role, to, from, mention } of allEdges(graph)) {
    const cd = mention.attributes.get('cd')?.value.replace(/\/$/, '');
    const taker = to.kind === 'state' ? graph.states.get(to.file) : undefined;
    const giver = graph.states.get(from);
    if (cd === undefined || cd === '.' || role !== 'target' || (tag !== 'fork' && tag !== 'reset')) continue;
    if (taker === undefined || giver === undefined || mention.malformed !== undefined || /^[/~]/.test(cd)) continue;
    if (OTHER_FILES.test(plainText(giver))) continue;
    const attribute = [...mention.attributes].find(([name, { value }]) => {
      if (/^(?:cd|next|task|context|input|delay)$/.test(name)) return false;
      const isBelow = value === cd && /^[\w-]+\/|^[\w-]+$/.test(cd);
      const isWritten =
        !isComputed(value) && namedFiles(giver).some((file) => file.name === value && file.use === 'write');
      return (isBelow || isWritten) && (isBelow ? opensFolder(taker, name) : opensVariable(taker, name, ''));
    });
    if (attribute === undefined) continue;
    const [name, { at }] = attribute;
    yield {
      at,
      state: from,
      mention,
      message: `${taker.file} works in the directory that cd names, and does not find there what ${name} names: the path begins in the directory of ${from}`,
      fix: 'pass a path that begins in the directory of cd, or an absolute path',
    };
  }
}

/** A path that a prompt in another directory passes to an agent which starts where the run was started. */
function* pathsOfPrompts(analysis: Analysis): Generator<FindingDetails> {
  const { graph } = analysis;
  const directories = directoriesOf(analysis);
  for (const { tag, role, to, from, mention } of allEdges(graph)) {
    const [directory = '', ...others] = directories.get(from) ?? [];
    const taker = to.kind === 'state' ? graph.states.get(to.file) : undefined;
    if (tag !== 'fork' || role !== 'target' || taker === undefined || directory === '' || others.length > 0) continue;
    if (mention.source !== 'text' || mention.attributes.has('cd') || graph.states.get(from)?.kind !== 'prompt')
      continue;
    const attribute = [...mention.attributes].find(
      ([name, { value }]) =>
        /^(?:\w[\w.-]*\/[\w./-]*|\w[\w-]*\.[a-z]\w*)$/.test(value) &&
        name !== 'next' &&
        (opensFolder(taker, name) || opensVariable(taker, name, directory)),
    );
    if (attribute === undefined) continue;
    yield {
      at: attribute[1].at,
      state: from,
      mention,
      message: `${from} works in ${directory}, but the forked agent starts in the directory of the run, where ${taker.file} does not find the path in ${attribute[0]}`,
      fix: 'write cd="." in the <fork>, or pass an absolute path',
    };
  }
}

/** True for a state that opens the folder in a variable. */
function opensFolder(taker: StateNode, name: string): boolean {
  if (taker.source.kind !== 'prompt')
    return (
      opensVariable(taker, name, '') ||
      new RegExp(`\\b(?:find|ls|du|tree)\\s+(?:-\\w+\\s+)*["']?\\$\\{?${name}\\}?["']?(?=[\\s/;|)&]|$)`, 'm').test(
        plainText(taker),
      )
    );
  return new RegExp(
    `\\b(?:in|of|under|below|inside)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+|package\\s+|service\\s+)?\`?\\{\\{${name}\\}\\}`,
  ).test(taker.source.prompt.body.text);
}

/** A tag into a directory that only the states behind it make. */
function* directoriesMadeLater(analysis: Analysis): Generator<FindingDetails> {
  const { graph, reached } = analysis;
  for (const edge of allEdges(graph)) {
    const cd = edge.mention.attributes.get('cd');
    const directory = cd?.value.replace(/^\.\/|\/$/g, '') ?? '';
    if (cd === undefined || edge.role !== 'target' || !reached.has(edge.from) || edge.tag === 'fork-workflow') continue;
    if (!/^[A-Za-z][\w-]*(?:\/[\w.-]+)*$/.test(directory) || /^new$/.test(directory)) continue;
    const makers = statesOf(analysis).filter((state) => makesDirectory(state, directory));
    const maker = makers.find((state) => state.file !== edge.from);
    if (maker === undefined || makers.some(({ file }) => mayComeBefore(analysis, { file, edge }))) continue;
    yield {
      at: cd.at,
      state: edge.from,
      mention: edge.mention,
      message: `the directory ${directory} must exist when ${edge.from} ends, but ${maker.file} makes it later`,
      fix: `make ${directory} before this tag, and leave cd out until then`,
    };
  }
}

function mayComeBefore({ graph }: Analysis, { file, edge }: { readonly file: string; readonly edge: Edge }): boolean {
  if (file === edge.from) return true;
  return reachableFrom(graph, { from: [file] }).has(edge.from);
}

/** True for a state that makes a directory of this relative path. */
function makesDirectory(state: StateNode, directory: string): boolean {
  const text = plainText(state);
  const name = `(?<![\\w./-])${literalPattern(directory)}/?(?![\\w./-])`;
  if (state.source.kind === 'prompt')
    return new RegExp(
      `\\b(?:creat|clon|mak|mkdir|check\\s+out|unpack|extract)\\w*\\b(?:[^.!?\\n]|\\.(?=\\S)){0,100}(?:\\b(?:folder|directory)\\s+(?:called\\s+|named\\s+)?\`?|\\b(?:into|in|as|to)\\s+(?:the\\s+(?:new\\s+)?(?:folder|directory)\\s+)?\`?)${name}`,
      'i',
    ).test(text);
  if (executorOf(state.file) === 'bash')
    return new RegExp(
      `\\bmkdir\\b[^\\n;|&]*\\s["']?${name}|\\bgit\\s[^\\n;|&]*\\b(?:clone|worktree\\s+add)\\b[^\\n;|&]*\\s["']?${name}|\\b(?:tar|unzip)\\b[^\\n;|&]*\\s-[dC]\\s+["']?${name}`,
    ).test(text);
  return new RegExp(
    `\\b(?:mkdir|makedirs|mkdirSync)\\(\\s*["'\`]${name}|\\bPath\\(\\s*["']${name}["']\\s*\\)\\.mkdir|["'](?:clone|add)["'][^\\n]*["']${name}["']`,
  ).test(text);
}

/** Rules about the directories in which states work. */
export const PLACE_RULES: readonly Rule[] = [
  {
    id: 'file-in-other-directory',
    severity: 'warning',
    summary:
      'A state looks for a file or a folder in its working directory, but a tag with cd has led to another directory than the one in which the file is.',
    why: 'A relative path begins in the working directory of the agent. After <reset cd="…">, or in an agent that <fork cd="…"> started, this is another directory than that of the states before. The files of the other directory are not there.',
    check: (analysis) => [
      ...filesOfOthers(analysis),
      ...filesOfWorkflows(analysis),
      ...pathsPassed(analysis),
      ...pathsOfPrompts(analysis),
    ],
  },
  {
    id: 'directory-made-later',
    severity: 'warning',
    summary:
      'The attribute cd of a tag names a directory that does not exist at that time: only a later state makes it, the package makes it only in the task folder, or nothing makes it.',
    why: 'The directory in cd must exist when the turn ends that writes the tag. Otherwise the tag is a mistake, and the agent fails before the state runs that makes the directory.',
    check: (analysis) => [
      ...directoriesMadeLater(analysis),
      ...directoriesInTaskFolder(analysis),
      ...foldersUnmade(analysis),
      ...foldersCutOff(analysis),
      ...nearDirectories(analysis),
    ],
  },
  {
    id: 'unwritten-file',
    severity: 'warning',
    summary:
      'A state looks for a file in the working directory, but another state writes it to the task folder, or the reverse. Or a state looks in a task folder for a file that is written under another name.',
    why: 'A relative path begins in the working directory of the agent, not in its task folder. A script that reads a file which does not exist usually fails, and then the agent fails.',
    check: (analysis) => [...unwrittenFiles(analysis), ...filesOfForksUnderOtherName(analysis)],
  },
];
