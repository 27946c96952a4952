// Finds the states that no other file names, also programs that look like states: they are in capitals and print a tag. Pure.
import { stem } from '../../protocol/ids.js';
import { isModule } from '../../protocol/language/resolve.js';
import { literalPattern } from '../../protocol/text.js';
import type { SourceFile } from '../source.js';
import { searchableText, TAG, withoutLongLines } from './helpers.js';
import type { Analysis } from './rule.js';

/** A file that is, or looks like, a state to which nothing leads. */
type Unnamed = Extract<SourceFile, { readonly kind: 'script' | 'prompt' }>;

/** The programs that print a tag, but are no states, because no other file of the package contains their names. */
export function unnamedPrograms({
  graph,
  entriesFromOutside = [],
}: Pick<Analysis, 'graph' | 'entriesFromOutside'>): readonly Unnamed[] {
  const { source, states } = graph;
  const names = [...source.files.keys()].map(stem);
  return [...source.files.values()].filter((file): file is Unnamed => {
    if (file.kind !== 'script' || states.has(file.file) || !isModule(file.file)) return false;
    if (entriesFromOutside.includes(file.file)) return false;
    const name = stem(file.file);
    const isLikeState = /^[A-Z][A-Z0-9_]*$/.test(name) && names.filter((one) => one === name).length === 1;
    const prints = file.script.printed.some(({ text }) => TAG.test(text));
    return isLikeState && prints && !isNamed(graph, { name, file: file.file });
  });
}

/** The states that nothing reaches, and whose names no other file of the package contains. */
export function unnamedStates({ graph, reached, entriesFromOutside = [] }: Analysis): readonly Unnamed[] {
  const states = [...graph.states.values()].flatMap(({ source, file, name }): readonly Unnamed[] => {
    if (source.kind !== 'prompt' && source.kind !== 'script') return [];
    const isUsed = reached.has(file) || entriesFromOutside.includes(file) || isNamed(graph, { name, file });
    return isUsed || !/^[A-Z]/.test(file) ? [] : [source];
  });
  return [...states, ...unnamedPrograms({ graph, entriesFromOutside })];
}

function isNamed(
  { source }: Analysis['graph'],
  { name, file }: { readonly name: string; readonly file: string },
): boolean {
  const word = new RegExp(`(?<![\\w-])${literalPattern(name)}(?![\\w-])`);
  return [...source.files.values()].some(
    (other) =>
      other.file !== file &&
      (other.kind === 'prompt' || other.kind === 'script') &&
      (word.test(withoutLongLines(searchableText({ source: other }))) ||
        (other.kind === 'prompt' && namesInEntries(other, word))),
  );
}

function namesInEntries({ raw }: Extract<SourceFile, { readonly kind: 'prompt' }>, word: RegExp): boolean {
  return word.test(withoutLongLines(raw.text));
}
