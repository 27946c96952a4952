// Finds files that a state looks for where no state puts them: in the working directory, although they are in the task folder, or under
// another name.
import { literalPattern, nearest } from '../../../protocol/text.js';
import { allEdges, edgesInto, reachableFrom, type Graph, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { hasUnknownTargets, lineAround, mentionsOf, plainText, statesOf, wholeName } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { extensionOf, fileNameOf, inTaskFolder, mayBeSamePath, NAMED_FILE, type PathUse, UNKNOWN } from './path.js';
import { fillsTaskFolder, pathUses } from './path-uses.js';

interface Use extends PathUse {
  readonly state: StateNode;
  /** The path below the task folder; undefined if it is not there. */
  readonly rest: string | undefined;
}

/** The files that a state does not find; each is reported once. */
export function* unwrittenFiles(analysis: Analysis): Generator<FindingDetails> {
  if (hasUnknownTargets(analysis) || (analysis.entriesFromOutside ?? []).length > 0) return;
  const states = statesOf(analysis).filter(({ file }) => analysis.reached.has(file));
  const uses = states.flatMap((state) =>
    pathUses(state).map((use): Use => ({ ...use, state, rest: inTaskFolder(use.path) })),
  );
  const isApart = !mayWorkInTaskFolder(analysis);
  if (isApart) yield* onlyInTaskFolder(uses);
  if (states.some((state) => fillsTaskFolder(state))) return;
  if (allEdges(analysis.graph).some(({ tag }) => tag.endsWith('-workflow'))) return;
  if (isApart) yield* onlyInDirectory(uses);
  yield* underOtherName(analysis, uses);
}

/** True if an agent may work in its task folder, so that relative paths lead there. */
function mayWorkInTaskFolder(analysis: Analysis): boolean {
  return [...mentionsOf(analysis)].some(({ state, mention }) => {
    const cd = mention.attributes.get('cd')?.value ?? '';
    if (!/^[^\w.]/.test(cd)) return false;
    return /task_folder/i.test(plainText(state) + cd) || attributesPassed(analysis, state.file).size > 0;
  });
}

const CHANGES_DIRECTORY = /chdir|\bcwd\b|\bpushd\b/;

/** Files that states read in the working directory, although they are only written to the task folder, where no state uses them. */
function* onlyInTaskFolder(uses: readonly Use[]): Generator<FindingDetails> {
  const reads = uses.filter((use) => use.kind === 'read' && NAMED_FILE.test(use.path) && looksHere(use, uses));
  for (const path of new Set(reads.map((use) => use.path))) {
    const writer = uses.find(({ kind, rest }) => kind === 'write' && rest === path);
    if (writer === undefined || uses.some((use) => isOtherUse(use, { path, writer }))) continue;
    const readers = uses.filter((use) => use.kind === 'read' && fileNameOf(use.path) === fileNameOf(path));
    if (statesIn(uses).some((state) => isNamedMore(state, path))) continue;
    const [first] = reads.filter((use) => use.path === path);
    const isWriterWrong = new Set(readers.map(({ state }) => state)).size > 1;
    if (first === undefined || first.state === writer.state) continue;
    yield finding(isWriterWrong ? writer : first, {
      message: `${first.state.file} looks for ${path} in the working directory, but ${writer.state.file} writes it to the task folder`,
      fix: 'use the same folder in both states',
    });
  }
}

/** True for a use of a script that stays in its directory, or of a prompt from which the model does not know the task folder. */
function looksHere({ state, path }: Use, uses: readonly Use[]): boolean {
  const text = plainText(state);
  if (state.source.kind === 'script') return !CHANGES_DIRECTORY.test(text);
  const isKnown = uses.some(({ state: other, rest }) => other.source.kind === 'prompt' && rest === path);
  return !isKnown && !/task[_ ]folder/i.test(text);
}

/** True if the file in the task folder may be used there, or may be in the working directory as well. */
function isOtherUse({ kind, rest, path: other, state }: Use, { path, writer }: { path: string; writer: Use }): boolean {
  if (rest !== undefined) return kind !== 'write' && (rest === '' || rest === '**' || mayBeSamePath(rest, path));
  if (state === writer.state && other === path) return true;
  return (kind === 'write' || kind === 'unknown') && (other.startsWith(UNKNOWN) || mayBeSamePath(other, path));
}

/** Files that scripts read in the task folder, although they are only written to the working directory. */
function* onlyInDirectory(uses: readonly Use[]): Generator<FindingDetails> {
  const reads = uses.filter((use) => use.kind === 'read' && NAMED_FILE.test(use.rest ?? '') && needs(use, uses));
  for (const path of new Set(reads.map(({ rest = '' }) => rest))) {
    const here = reads.filter(({ rest }) => rest === path);
    const writer = uses.find((use) => use.kind === 'write' && use.path === path);
    const [read] = here;
    if (read === undefined || writer === undefined || writer.state === read.state) continue;
    if (uses.some((use) => mayWrite(use, read) || (use.kind !== 'read' && use.rest === path))) continue;
    const others = statesIn(uses).filter((state) => !here.some((one) => one.state === state));
    if (others.some((state) => names(state, path) && /task_folder/i.test(plainText(state)))) continue;
    yield finding(new Set(here.map(({ state }) => state)).size > 1 ? writer : read, {
      message: `${read.state.file} looks for ${path} in the task folder, but ${writer.state.file} writes it to the working directory`,
      fix: 'use the same folder in both states',
    });
  }
}

/** What states do in the task folder. */
interface Folder {
  readonly graph: Graph;
  readonly uses: readonly Use[];
  /** The files there that only the state that writes them names. */
  readonly unused: readonly Use[];
  /** The states of calls and of forked agents. */
  readonly called: ReadonlySet<string>;
}

/** Files of the task folder that a script reads behind a state that writes another file there, which no state uses. */
function* underOtherName({ graph }: Analysis, all: readonly Use[]): Generator<FindingDetails> {
  const uses = all.filter(({ rest }) => rest !== undefined);
  if (uses.some(({ kind, rest = '' }) => kind === 'list' && !rest.includes('/'))) return;
  const unused = uses.filter(
    ({ kind, rest = '', state }) => kind === 'write' && NAMED_FILE.test(rest) && !isNamedByOthers(all, { rest, state }),
  );
  const targets = allEdges(graph).filter(({ tag, role }) => role === 'target' && /^(?:call|function|fork)/.test(tag));
  const called = reachableFrom(graph, { from: targets.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : [])) });
  for (const read of unused.length === 0 ? [] : uses) {
    const { rest = '', state, kind } = read;
    const near = nearlyWritten(all, { read, unused });
    if (near !== undefined)
      yield finding(read, {
        message: `${state.file} reads ${rest}, which no state writes; ${near.state.file} writes ${near.rest ?? ''}`,
        fix: 'use the same name in both states',
      });
    if (
      near !== undefined ||
      kind !== 'read' ||
      !NAMED_FILE.test(rest) ||
      !needs(read, all) ||
      all.some((use) => mayWrite(use, read))
    )
      continue;
    const writers = uses.filter((use) => use.kind === 'write' && use.rest === rest).map((use) => use.state.file);
    const other = writtenInstead({ graph, uses: all, unused, called }, { read, writers });
    if (other === undefined) continue;
    yield finding(writers.length > 0 ? other : read, {
      message: `${state.file} reads ${rest}, but ${other.state.file} writes ${other.rest ?? ''}, which no state reads`,
      fix: 'use the same name in both states',
    });
  }
}

/** A file that no other state uses, and whose name is nearly that of one that a prompt reads and that no state writes. */
function nearlyWritten(
  uses: readonly Use[],
  { read, unused }: { readonly read: Use; readonly unused: readonly Use[] },
): Use | undefined {
  const { rest = '', kind, state } = read;
  if (kind !== 'read' || state.source.kind !== 'prompt' || !NAMED_FILE.test(rest)) return undefined;
  if (statesIn(uses).some((other) => other !== state && names(other, rest)) || timesNamed(state, rest) > 1)
    return undefined;
  const meant = nearest(rest, [...new Set(unused.flatMap((use) => use.rest ?? []))]);
  return meant === undefined ? undefined : unused.find((use) => use.rest === meant);
}

/** The only file that a state right before a read writes instead of the file that is read, if nothing else may have written this one. */
function writtenInstead(
  { graph, uses, unused, called }: Folder,
  { read, writers }: { readonly read: Use; readonly writers: readonly string[] },
): Use | undefined {
  const { rest = '', state } = read;
  const before = new Set(edgesInto(graph, state.file).flatMap((edge) => (isOwnTransition(edge) ? [edge.from] : [])));
  const [other, ...more] = unused.filter(
    (one) => extensionOf(one.rest ?? '') === extensionOf(rest) && before.has(one.state.file),
  );
  if (other === undefined || more.length > 0) return undefined;
  // What a call or a forked agent writes is there behind the return or the <await>.
  if (writers.some((file) => called.has(file))) return undefined;
  if (writers.length > 0 && CHOOSES.test(plainText(state).slice(0, read.at))) return undefined;
  if (![...before].every((from) => from === other.state.file || writers.includes(from))) return undefined;
  const isNamedApart = statesIn(uses).some(
    (one) => one !== state && names(one, rest) && !writers.includes(one.file) && !removes(one, rest),
  );
  const keeps = reachableFrom(graph, {
    from: writers,
    accepts: (edge) => isOwnTransition(edge) && !removes(graph.states.get(edge.from), rest),
  });
  return isNamedApart || keeps.has(other.state.file) ? undefined : other;
}

/** What makes a script read a file only in some cases. */
const CHOOSES = /\b(?:if|case|match|switch|while|for)\b|&&|\?/;

/** True for a script that fails without the file. */
function needs({ state, rest, at }: Use, uses: readonly Use[]): boolean {
  if (state.source.kind !== 'script') return false;
  if (uses.some((use) => use.state === state && use.rest === rest && use.kind !== 'read')) return false;
  const code = plainText(state);
  const line = lineAround(code, at);
  return !/\|\||2>\s*\/dev\/null/.test(line) && !/\b(?:except|catch|suppress)\b/.test(code);
}

/** True if another state names a file, or the same state uses it again. */
function isNamedByOthers(uses: readonly Use[], { rest, state }: { rest: string; state: StateNode }): boolean {
  const again = uses.some((use) => use.state === state && use.rest === rest && use.kind !== 'write');
  return again || statesIn(uses).some((other) => other !== state && names(other, rest));
}

function statesIn(uses: readonly Use[]): readonly StateNode[] {
  return [...new Set(uses.map(({ state }) => state))];
}

function names(state: StateNode, path: string): boolean {
  return timesNamed(state, path) > 0;
}

function timesNamed(state: StateNode, path: string): number {
  const name = wholeName(fileNameOf(path), 'g');
  return plainText(state).match(name)?.length ?? 0;
}

/** True if a state names a file in more places than those where it reads or writes it: a program may make the file there. */
function isNamedMore(state: StateNode, path: string): boolean {
  return timesNamed(state, path) > pathUses(state).filter((use) => fileNameOf(use.path) === fileNameOf(path)).length;
}

/** True for a file whose name is not known, written by another state, and for one that a program makes. */
function mayWrite({ kind, path, rest, state }: Use, read: Use): boolean {
  if ((kind !== 'write' && kind !== 'unknown') || state === read.state) return false;
  const isOpen = path.startsWith(UNKNOWN) && /task_folder/i.test(plainText(state));
  return isOpen || (rest !== undefined && rest !== read.rest && mayBeSamePath(rest, read.rest ?? ''));
}

function removes(state: StateNode | undefined, rest: string): boolean {
  if (state === undefined) return false;
  const name = literalPattern(fileNameOf(rest));
  return new RegExp(`\\b(?:rm|unlink\\w*|remove|rmSync)\\b[^\\n]*(?<![\\w-])${name}(?![\\w-])`).test(plainText(state));
}

function finding({ state, at, madeAt = at }: Use, text: { message: string; fix: string }): FindingDetails {
  const { source } = state;
  const { body } = source.kind === 'prompt' ? source.prompt : { body: undefined };
  const place = body ?? (source.kind === 'script' ? source.raw : undefined);
  return { at: place?.at(madeAt) ?? source.at, state: state.file, ...text };
}

/** Tags with a relative `cd` whose directory the package makes only in the task folder. */
export function* directoriesInTaskFolder(analysis: Analysis): Generator<FindingDetails> {
  const edges = allEdges(analysis.graph).filter(({ from, role }) => analysis.reached.has(from) && role === 'target');
  if (mayWorkInTaskFolder(analysis) || (analysis.entriesFromOutside ?? []).length > 0) return;
  const states = statesOf(analysis);
  const uses = states.flatMap(pathUses);
  for (const { mention, from } of edges) {
    const cd = mention.attributes.get('cd');
    const folder = /^(?:\.\/)?([A-Za-z][\w-]*)(?:\/|$)/.exec(cd?.value ?? '')?.[1];
    if (cd === undefined || folder === undefined || mention.source !== 'script') continue;
    const isIn = (path: string | undefined): boolean => path === folder || path?.startsWith(`${folder}/`) === true;
    const isMade = uses.some(({ kind, path }) => /^(?:write|unknown)$/.test(kind) && isIn(inTaskFolder(path)));
    if (!isMade || uses.some(({ path }) => isIn(path)) || states.some((state) => namesFolder(state, folder))) continue;
    yield {
      at: cd.at,
      state: from,
      mention,
      message: `cd begins in the working directory of the agent, but the folder ${folder} is made in the task folder`,
      fix: `write the path of the task folder before ${folder}`,
    };
  }
}

/** True if a text names a folder of the working directory, except in `cd`. */
function namesFolder(state: StateNode, folder: string): boolean {
  const text = plainText(state).replace(/\bcd=\\?["'][^"'\n]*/g, '');
  const name = state.source.kind === 'prompt' ? `\\b${folder}\\b` : `(?<![\\w/.$}{-])${folder}/|["'\`]\\./${folder}\\b`;
  return new RegExp(name).test(text);
}
