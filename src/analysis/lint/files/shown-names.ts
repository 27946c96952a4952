// Finds questions that show a file of the working directory which no state mentions, although a state writes a file of almost the same name,
// or of the same name in another folder, which no question shows.
import { literalPattern } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import { isComputed, type Mention, type SourceAttribute } from '../../mention.js';
import { isPrompt, mentionsOf, plainText, statesOf } from '../helpers.js';
import { movedStates } from './moved-states.js';
import { mayBeSamePath, NAMED_FILE } from '../paths/path.js';
import { pathUses } from '../paths/path-uses.js';
import type { Analysis, FindingDetails } from '../rule.js';

/** The shown files that have another name where they are written. */
export function* shownUnderOtherName(analysis: Analysis): Generator<FindingDetails> {
  const asks = asksWithFiles(analysis);
  // A file that is shown as well is not the one that is meant.
  if (asks.length === 0 || asks.some(({ shown }) => isComputed(shown.value))) return;
  const shownPaths = asks.flatMap(({ shown }) => pathsIn(shown));
  const uses = statesOf(analysis).flatMap((state) => pathUses(state).map((use) => ({ ...use, by: state.file })));
  const written = uses.filter(
    ({ kind, path }) => kind === 'write' && NAMED_FILE.test(path) && !shownPaths.includes(path),
  );
  const reported = new Set<string>();
  const moved = movedStates(analysis);
  for (const { state, mention, shown } of asks)
    for (const path of pathsIn(shown)) {
      if (!NAMED_FILE.test(path) || reported.has(path) || isMentioned(analysis, path, '(?<!\\w/)')) continue;
      if (uses.some((one) => /^(?:write|unknown)$/.test(one.kind) && mayBeSamePath(one.path, path))) continue;
      const inFolder = written.filter((one) => one.by === state.file && one.path.endsWith(`/${path}`));
      const writer = isMentioned(analysis, path)
        ? inFolder.find(() => !moved.has(state.file))
        : written.find((one) => isAlmostSame(one.path, path));
      if (writer === undefined) continue;
      reported.add(path);
      yield {
        at: shown.at,
        state: state.file,
        mention,
        message: `nothing writes ${path}, the file to show: ${writer.by} writes ${writer.path}`,
        fix: `write display_files="${writer.path}"`,
      };
    }
}

/** Shown files that nothing writes, although a prompt writes a file whose name is the label, and that no state uses. */
export function* shownUnderLabel(analysis: Analysis): Generator<FindingDetails> {
  const states = statesOf(analysis);
  const uses = states.flatMap((state) => pathUses(state).map((use) => ({ ...use, state })));
  for (const { state, shown } of asksWithFiles(analysis)) {
    for (const entry of isComputed(shown.value) ? [] : shown.value.split(',')) {
      const [path = '', label = ''] = entry.split(':').map((part) => part.trim());
      const named = label.toLowerCase().replaceAll(' ', '-') + (/\.\w+$/.exec(path)?.[0] ?? '');
      if (label === '' || !NAMED_FILE.test(path) || path === named) continue;
      // Only scripts that read the file may name it.
      if (uses.some((use) => use.kind !== 'read' && mayBeSamePath(use.path, path))) continue;
      const readers = states.filter((one) => one !== state && plainText(one).includes(path));
      const writer = uses.find(
        (use) => use.kind === 'write' && use.path === named && use.state.source.kind === 'prompt',
      );
      const others = states.filter((one) => one !== writer?.state && plainText(one).includes(named));
      if (writer?.state.source.kind !== 'prompt' || others.length > 0 || readers.some(isPrompt)) continue;
      const isRead = readers.length > 0;
      if (!isRead && isAlmostSame(named, path)) continue;
      yield {
        at: isRead ? writer.state.source.prompt.body.at(writer.at) : shown.at,
        state: isRead ? writer.state.file : state.file,
        message: `${state.file} shows ${path} as ${label}, but ${writer.state.file} writes ${named}, which no state uses`,
        fix: 'use the same name in both states',
      };
    }
  }
}

/** A question that shows files. */
interface AskWithFiles {
  readonly state: StateNode;
  readonly mention: Mention;
  readonly shown: SourceAttribute;
}

function asksWithFiles(analysis: Analysis): readonly AskWithFiles[] {
  return [...mentionsOf(analysis)].flatMap(({ state, mention }) => {
    const shown = mention.tag === 'ask' ? mention.attributes.get('display_files') : undefined;
    return shown === undefined ? [] : [{ state, mention, shown }];
  });
}

/** The paths of `display_files`, without their labels. */
function pathsIn({ value }: SourceAttribute): readonly string[] {
  return value.split(',').map((entry) => (entry.split(':', 1)[0] ?? '').trim().replace(/^\.\//, ''));
}

/** True if a text of the package names a file, except to show it; `before` is a pattern of what may be before the name. */
function isMentioned({ graph, otherPackages }: Analysis, path: string, before = ''): boolean {
  const packages = [graph, ...otherPackages.map((other) => other.graph)];
  const texts = packages.flatMap(({ source: { files, parsedManifest } }) => [
    JSON.stringify(parsedManifest ?? {}),
    ...[...files.values()].map((file) => (file.kind === 'unreadable' ? '' : (file.raw?.text ?? ''))),
  ]);
  const name = new RegExp(`(?<![\\w-])${before}${literalPattern(path.replace(/^.*\//, ''))}(?![\\w-])`);
  return texts.some((text) => name.test(text.replace(/\bdisplay_files\b\W{1,5}[^"'\n]*/g, '')));
}

/** True for two files with the same folder and extension if all words of one name are in the other, perhaps with another ending. */
function isAlmostSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => /^(.*\/)?([^/]*)(\.\w+)$/.exec(path) ?? []);
  if (first?.[1] !== second?.[1] || first?.[3] !== second?.[3]) return false;
  const [words = [], others = []] = [first, second].map((match) => (match?.[2] ?? '').toLowerCase().split(/[_.-]+/));
  return hasAll(words, others) || hasAll(others, words);
}

function hasAll(words: readonly string[], others: readonly string[]): boolean {
  return words.every((word) => others.some((other) => commonStart(word, other) >= 4));
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
