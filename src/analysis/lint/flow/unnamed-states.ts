// Finds the states that no other file names, also programs that look like states: they are in capitals and print a tag. Pure.
import { stem } from '../../../protocol/ids.js';
import { isModule } from '../../../protocol/language/resolve.js';
import { literalPattern } from '../../../protocol/text.js';
import type { SourceFile } from '../../source.js';
import { searchableText, statesOf, TAG, wholeName, withoutLongLines } from '../helpers.js';
import type { Analysis } from '../rule.js';

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

/** A script that runs or imports files of the package by computed names. */
const RUNS_ANY =
  /STATE_DIR[^\n]{0,60}(?:\*|[${][\w}]+\.(?:py|js|ts)\b)|\b(?:importlib|import_module|runpy|require\.context)\b|\bimport\([^"'\n]/i;

/** True for a name that another file contains: a state, a list, or a text for people. */
function isNamed(
  { source }: Analysis['graph'],
  { name, file }: { readonly name: string; readonly file: string },
): boolean {
  const word = wholeName(name);
  return [...source.files.values()].some((other) => {
    if (other.file === file || !('raw' in other)) return false;
    // The comments of scripts do not run.
    const text = withoutLongLines(other.kind === 'script' ? searchableText({ source: other }) : other.raw.text);
    return word.test(text) || RUNS_ANY.test(text);
  });
}

/** Markdown for people and for other programs. */
export const KNOWN_DOCUMENT =
  /^(?:agents|claude|gemini|changelog|contributing|skill|readme|license|notice|todo|notes|security|architecture)\.md$/i;

/** The states that people, or a schedule, start by name, as documents, the manifest or comments of scripts say. */
export function documentedEntries(analysis: Analysis): readonly string[] {
  const all = [...analysis.graph.source.files.values()];
  const textOf = (file: SourceFile): string => ('raw' in file ? file.raw.text : '');
  const documents = all.filter(({ file }) => KNOWN_DOCUMENT.test(file)).map(textOf);
  const comments = all.flatMap((file) =>
    file.kind === 'script' ? (textOf(file).match(/^[ \t]*(?:#|\/\/).*/gm) ?? []) : [],
  );
  const manifest = analysis.graph.source.parsedManifest?.description ?? '';
  const text = [...documents, ...comments, manifest].join('\n');
  return statesOf(analysis).flatMap(({ file, name }) => {
    const word = `${literalPattern(name)}(?![\\w-])`;
    const isStarted = new RegExp(`\\w/${word}`).test(text) || new RegExp(`\\b${word}`).test(manifest);
    return isStarted ? [file] : [];
  });
}
