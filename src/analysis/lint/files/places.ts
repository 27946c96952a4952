// Finds in which directory each state works, relative to the directory where the run starts, and the files that it names there. Pure.
import { allEdges, type Edge, type StateNode } from '../../graph.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText, withoutLongLines } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { relativeFiles } from './relative-files.js';
import type { TaskFile } from './task-files.js';

/** A directory that is not known. */
const UNKNOWN = '?';

/** With more directories, a state is taken for one whose directory is not known. */
const MAX_DIRECTORIES = 6;

/** The directories in which each state may work; a state for which they are not known is missing. */
export function directoriesOf(analysis: Analysis): ReadonlyMap<string, ReadonlySet<string>> {
  const { graph, reached, entriesFromOutside = [] } = analysis;
  const places = new Map<string, Set<string>>();
  if (graph.entry.kind === 'state') places.set(graph.entry.file, new Set(['']));
  for (const file of entriesFromOutside) places.set(file, new Set([UNKNOWN]));
  const edges = allEdges(graph).filter(({ from }) => reached.has(from));
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const edge of edges) {
      if (edge.to.kind !== 'state') continue;
      const known = places.get(edge.to.file) ?? new Set<string>();
      const before = known.size;
      for (const from of places.get(edge.from) ?? [])
        known.add(known.size > MAX_DIRECTORIES ? UNKNOWN : directoryBehind(analysis, { edge, from }));
      if (known.size > before) isChanged = true;
      if (known.size > 0) places.set(edge.to.file, known);
    }
  }
  return new Map([...places].filter(([, some]) => !some.has(UNKNOWN)));
}

/** The directory in which the state behind an edge works. */
function directoryBehind(analysis: Analysis, { edge, from }: { readonly edge: Edge; readonly from: string }): string {
  const { tag, role, mention } = edge;
  if (role !== 'target' || (tag !== 'reset' && tag !== 'fork')) return from;
  const cd = mention.attributes.get('cd')?.value.trim();
  if (mention.malformed !== undefined || mention.stray !== undefined) return UNKNOWN;
  if (cd === undefined || cd === '') {
    if (mention.source !== 'script' && mayAddDirectory(analysis, edge)) return UNKNOWN;
    return tag === 'fork' ? '' : from;
  }
  return from === UNKNOWN ? UNKNOWN : joined(from, cd);
}

/** A policy does not compare `cd`, so a reply may have one if its text speaks of it. */
function mayAddDirectory({ graph }: Analysis, { from }: Edge): boolean {
  const source = graph.states.get(from)?.source;
  return source?.kind === 'prompt' && /\bcd\b|\bdirector(?:y|ies)\b/.test(source.prompt.body.text);
}

/** A path below a directory, without `..`; unknown if it is not surely below the start. */
export function joined(directory: string, path: string): string {
  if (!/^(?:[\w*.-]|\uE000|\{\{\w+\}\})/.test(path)) return UNKNOWN;
  const parts: string[] = directory === '' ? [] : directory.split('/');
  // A variable alone may have an absolute path.
  if (path.startsWith(COMPUTED) || path.startsWith('{{')) return UNKNOWN;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part.replaceAll(COMPUTED, '*').replace(/\{\{\w+\}\}/g, '*'));
    else if (parts.pop() === undefined) return UNKNOWN;
  }
  return parts.join('/');
}

const PROMPT_FILE = /(?<![\w./@~}\\-])((?:[A-Za-z][\w-]*\/)*(?:[\w*-]|\{\{\w+\}\})+\.[a-z]\w{0,4})(?![\w/{(])/g;
const WRITES = /\b(?:writ\w*|wrote|creat\w*|sav\w*|stor\w*|put|record\w*|append\w*|add)\b/gi;
const READS =
  /\b(?:read|open|load|merge|combine|collect|review|use|take|follow|summari[sz]e|compare|translate|proofread|look\s+at|join)\b/gi;

/** The files that a state names by relative paths, and whether it writes or reads them. */
export function namedFiles(state: StateNode): readonly TaskFile[] {
  if (state.source.kind !== 'prompt') return relativeFiles(state);
  const text = withoutLongLines(state.source.prompt.body.text).replaceAll('\n', ' ');
  return [...text.matchAll(PROMPT_FILE)].flatMap(({ index, 1: name = '' }) => {
    const pattern = name.replace(/\{\{\w+\}\}/g, '*').replace(/\*{2,}/g, '*');
    if (/^(?:[a-z]\.|(?:Node|Vue|Next|React)\.js$)/.test(name)) return [];
    return [{ name: pattern, at: index, use: useIn(text.slice(Math.max(0, index - 160), index)) }];
  });
}

const PLAIN_NAME = String.raw`((?:[A-Za-z][\w-]*/)*[A-Za-z][\w-]{2,})`;

/** The files whose names have no extension, such as VERSION: only those that a script writes by a redirection or as a text. */
export function filesWithoutExtension(states: readonly StateNode[]): ReadonlyMap<StateNode, readonly TaskFile[]> {
  const quoted = `["'\`]${PLAIN_NAME}["'\`]`;
  const writes = new RegExp(
    `(?<![>\\d&=<-])>\\|?[ \\t]*["']?${PLAIN_NAME}["']?(?=[\\s;)&|]|$)|\\bopen\\(\\s*${quoted}\\s*,\\s*["'][wx]|\\bPath\\(\\s*${quoted}\\s*\\)\\.write|\\bwriteFile(?:Sync)?\\(\\s*${quoted}`,
    'gm',
  );
  const reads = new RegExp(
    `(?<!<)<[ \\t]*["']?${PLAIN_NAME}["']?(?=[\\s;)&|]|$)|\\b(?:cat|head|tail|wc|jq|sort|cut|sed|grep)[ \\t](?:[^\\n|;&<>()]*[ \\t])?["']?${PLAIN_NAME}["']?(?=[\\s;)&|]|$)|\\bopen\\(\\s*${quoted}\\s*(?:\\)|,\\s*(?:encoding|["']r))|\\bPath\\(\\s*${quoted}\\s*\\)\\.read|\\breadFile(?:Sync)?\\(\\s*${quoted}`,
    'gm',
  );
  const found = new Map<StateNode, readonly TaskFile[]>();
  for (const state of states)
    if (state.source.kind === 'script')
      found.set(state, [
        ...usesIn(state, { pattern: writes, use: 'write' }),
        ...usesIn(state, { pattern: reads, use: 'read' }),
      ]);
  const written = new Set([...found.values()].flat().flatMap(({ use, name }) => (use === 'write' ? [name] : [])));
  return new Map([...found].map(([state, files]) => [state, files.filter(({ name }) => written.has(name))]));
}

function usesIn(
  state: StateNode,
  { pattern, use }: { readonly pattern: RegExp; readonly use: 'write' | 'read' },
): readonly TaskFile[] {
  return [...plainText(state).matchAll(pattern)].flatMap((match) => {
    const name = match.slice(1).find(Boolean) ?? '';
    return /^(?:dev\/|null$)/.test(name) ? [] : [{ name, at: match.index + match[0].lastIndexOf(name), use }];
  });
}

/** An imperative that collects in a file: "List the rules in rules.txt". */
const LISTS =
  /^(?:\W*(?:then|now|also|and|first)\s+)?(?:list|note|collect|keep|name|count|describe|explain|summari[sz]e)\b.*\b(?:in|into|to)\s+`?$/i;

/** The last verb of the sentence before a file says what a prompt does with it. */
export function useIn(before: string): TaskFile['use'] {
  const sentence = before.split(/[.!?;:]\s/).at(-1) ?? '';
  if (/\bif\b|\bexists?\b|\bunless\b|\bwhether\b/i.test(sentence)) return 'test';
  if (LISTS.test(sentence.trimStart())) return 'write';
  const last = (pattern: RegExp): number => [...sentence.matchAll(pattern)].at(-1)?.index ?? -1;
  const [written, read] = [last(WRITES), last(READS)];
  if (written < 0 && read < 0) return 'test';
  return written > read ? 'write' : 'read';
}
