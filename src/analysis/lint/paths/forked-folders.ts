// Finds forked agents in folders that the package makes: tags whose cd names another folder than the one with the agent's file, and files
// that the agents write there under another name than a later state reads.
import { literalPattern } from '../../../protocol/text.js';
import { allEdges, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { COMPUTED } from '../../shell/words.js';
import { hasUnknownTargets, plainText, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { directoriesOf } from '../files/places.js';
import {
  extensionOf,
  fileNameOf,
  folderOf,
  isRelativePath,
  mayBeSamePath,
  type PathUse,
  patternOf,
  UNKNOWN,
} from './path.js';
import { pathUses } from './path-uses.js';

/** A name with an extension. */
const FILE = /^[\w-]+\.[a-z]\w*$/;

/** What may put other files into a folder than the ones that a text names. */
const FILLS =
  /\b(?:cp|mv|rsync|ln|tar|unzip|git|make|npm|npx|curl|wget|node|python3?|copy\w*|cpSync|move|rename\w*|extract\w*|unpack\w*|subprocess|exec\w*|spawn\w*|[Rr]un|build|test|install|generat\w+|render|compile|script)\b/;

interface Use extends PathUse {
  readonly state: StateNode;
}

interface Fork {
  readonly edge: Edge;
  /** The directory in cd, with wildcards. */
  readonly cd: string;
  readonly giver: StateNode;
  readonly taker: StateNode;
}

/** The forks of scripts whose cd is a fixed name, perhaps with computed parts below it. */
function forksWithFolder({ graph, reached }: Analysis): readonly Fork[] {
  return allEdges(graph).flatMap((edge): readonly Fork[] => {
    const { tag, role, from, to, mention } = edge;
    const cd = patternOf((mention.attributes.get('cd')?.value ?? '').replaceAll(COMPUTED, UNKNOWN));
    const [giver, taker] = [graph.states.get(from), to.kind === 'state' ? graph.states.get(to.file) : undefined];
    const isFork = tag === 'fork' && role === 'target' && mention.source === 'script' && reached.has(from);
    if (!isFork || giver === undefined || taker === undefined || !/^[A-Za-z][\w-]*(?:\/[\w.*-]+)*$/.test(cd)) return [];
    return [{ edge, cd, giver, taker }];
  });
}

function usesOf(states: readonly StateNode[]): readonly Use[] {
  return states.flatMap((state) => pathUses(state).map((use) => ({ ...use, state })));
}

/** Forks whose agent needs a file that the script has put into another folder than the one in cd. */
export function* foldersUnmade(analysis: Analysis): Generator<FindingDetails> {
  const states = statesOf(analysis);
  const uses = usesOf(states);
  for (const { edge, cd, giver, taker } of forksWithFolder(analysis)) {
    const written = uses.filter(({ kind, path, state }) => kind === 'write' && isRelativePath(path) && state === giver);
    const put = written.find(
      ({ path }) =>
        looksFor(taker, fileNameOf(path)) &&
        otherPart(cd, folderOf(path)) !== undefined &&
        makes(giver, patternOf(folderOf(path))),
    );
    const folder = put === undefined ? '' : folderOf(put.path);
    const [part] = otherPart(cd, folder) ?? [];
    const at = edge.mention.attributes.get('cd')?.at;
    if (put === undefined || part === undefined || at === undefined) continue;
    if (states.some((state) => namesFolder(state, part)) || uses.some(({ path }) => mayBeSamePath(path, cd))) continue;
    yield {
      at,
      state: giver.file,
      mention: edge.mention,
      message: `nothing makes this directory: ${giver.file} puts ${fileNameOf(put.path)}, which ${taker.file} needs, into ${folder}`,
      fix: 'write the same folder in cd',
    };
  }
}

/** Forks whose cd lacks the beginning of the path at which the package puts the files of the agent. */
export function* foldersCutOff(analysis: Analysis): Generator<FindingDetails> {
  const states = statesOf(analysis);
  const directories = directoriesOf(analysis);
  const isAtStart = ({ file }: StateNode): boolean => [...(directories.get(file) ?? ['?'])].join() === '';
  const uses = usesOf(states.filter((state) => state.kind === 'script' && isAtStart(state)));
  for (const { edge, cd, giver, taker } of forksWithFolder(analysis)) {
    const [head = ''] = cd.split('/');
    const whole = uses
      .flatMap(({ path }) => [path, folderOf(path)])
      .find((path) => isRelativePath(path) && patternOf(path).endsWith(`/${cd}`));
    const at = edge.mention.attributes.get('cd')?.at;
    if (whole === undefined || at === undefined || !isAtStart(giver) || !/^[\w-]+\//.test(cd)) continue;
    const needed = pathUses(taker).find(({ path }) => looksFor(taker, path) && isWritten(analysis, { path, taker }));
    if (needed === undefined || states.some((state) => beginsPath(state, head))) continue;
    yield {
      at,
      state: giver.file,
      mention: edge.mention,
      message: `nothing makes this directory: the package puts ${needed.path}, which ${taker.file} needs, into ${folderOf(whole)}, and cd begins in the working directory of the agent, too`,
      fix: `write the whole path in cd: ${folderOf(whole)}/…`,
    };
  }
}

/** True for a file that a script of the package, or a program beside the states, writes. */
function isWritten(
  { graph }: Analysis,
  { path, taker }: { readonly path: string; readonly taker: StateNode },
): boolean {
  return [...graph.source.files.values()].some(
    (source) =>
      source.kind === 'script' &&
      source.file !== taker.file &&
      pathUses({ source, file: source.file }).some(
        (use) =>
          use.kind === 'write' &&
          mayBeSamePath(fileNameOf(use.path), path) &&
          extensionOf(use.path) === extensionOf(path),
      ),
  );
}

/** True if a text has a path that begins with a folder, except in cd. */
function beginsPath(state: StateNode, folder: string): boolean {
  const text = plainText(state).replace(/\bcd=\\?["'][^"'\n]*/g, '');
  const name = literalPattern(folder);
  return new RegExp(
    `(?<![\\w./*})$-])${name}/|(?<![,/]\\s*)["'\`]${name}["'\`]|\\b(?:mkdir|cd|ls|in|-p|for) ${name}\\b`,
  ).test(text);
}

/** True for a script that makes a directory. */
function makes(state: StateNode, directory: string): boolean {
  return pathUses(state).some(({ kind, path }) => kind === 'write' && patternOf(path) === directory);
}

/** True for a state that looks for a file in its working directory. */
function looksFor(state: StateNode, name: string): boolean {
  const own = pathUses(state).filter(({ path }) => path === name);
  if (!FILE.test(name) || own.some(({ kind }) => kind !== 'read')) return false;
  if (state.kind !== 'script') return own.length > 0;
  return new RegExp(`(?<![\\w./}*-])${literalPattern(name)}(?![\\w-])`).test(plainText(state));
}

/** The only part in which one path differs from another, if no other part does. */
function otherPart(cd: string, folder: string): readonly string[] | undefined {
  const [parts, others] = [cd.split('/'), patternOf(folder).split('/')];
  const different = parts.filter((part, index) => part !== others[index]);
  const isFixed = different.every((part) => !part.includes('*') && !others[parts.indexOf(part)]?.includes('*'));
  return parts.length === others.length && different.length === 1 && isFixed ? different : undefined;
}

/** True if a text names a folder, except in cd. */
function namesFolder(state: StateNode, folder: string): boolean {
  const text = plainText(state).replace(/\bcd=\\?["'][^"'\n]*/g, '');
  const name = literalPattern(folder);
  return new RegExp(
    `(?<![\\w$-])${name}/|/${name}(?![\\w-])|["'\`]${name}["'\`]|\\b(?:mkdir|cd|ls|in|-p) ${name}\\b`,
  ).test(text);
}

/** Files in the folders of forked agents that a later state needs, although the agents write them under another name. */
export function* filesOfForksUnderOtherName(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis)) return;
  const { graph } = analysis;
  const states = statesOf(analysis);
  for (const { cd, giver, taker } of forksWithFolder(analysis)) {
    const group = reachableFrom(graph, { from: [taker.file], accepts: isOwnTransition });
    const [own, others] = [states.filter(({ file }) => group.has(file)), states.filter(({ file }) => !group.has(file))];
    if (!makes(giver, cd) || [giver, ...own].some((state) => FILLS.test(plainText(state)))) continue;
    const uses = usesOf(others);
    if (uses.some(({ kind, path }) => /^(?:list|unknown)$/.test(kind) && path.startsWith(cd.split('/', 1)[0] ?? cd)))
      continue;
    const read = uses.find(
      ({ kind, path, state }) =>
        (kind === 'read' || kind === 'test') &&
        FILE.test(fileNameOf(path)) &&
        patternOf(folderOf(path)) === cd &&
        states.every((one) => one === state || !plainText(one).includes(fileNameOf(path))),
    );
    const written = usesOf(own).filter(({ kind, path }) => kind === 'write' && FILE.test(path));
    const [other, ...more] = written.filter(({ path }) => extensionOf(path) === extensionOf(read?.path ?? ''));
    if (read === undefined || other === undefined || more.some(({ path }) => path !== other.path)) continue;
    if (
      other.state.kind === 'script' ||
      states.some((state) => state !== other.state && plainText(state).includes(other.path))
    )
      continue;
    const { source, file } = other.state;
    const text = source.kind === 'prompt' ? source.prompt.body : source.kind === 'script' ? source.raw : undefined;
    if (text === undefined) continue;
    yield {
      at: text.at(other.madeAt ?? other.at),
      state: file,
      message: `${read.state.file} looks for ${fileNameOf(read.path)} in the folder of this agent, but the agent writes ${other.path}, which no state reads`,
      fix: 'use the same name in both states',
    };
  }
}
