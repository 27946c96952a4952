// Finds the states whose agent works in another directory than the one where the run was started, because a tag with cd
// led there. Pure.
import { allEdges, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText } from '../helpers.js';
import type { Analysis } from '../rule.js';

/**
 * The states that only an agent in another directory reaches, each with the `cd` that led there. If `start` is given, the first state of the
 * package is one of them.
 */
export function movedStates(analysis: Analysis, start?: string): ReadonlyMap<string, string> {
  const { graph, reached, entriesFromOutside = [] } = analysis;
  const entry = graph.entry.kind === 'state' ? graph.entry.file : '';
  const fixed = new Set([...entriesFromOutside, ...(start === undefined ? [entry] : [])]);
  const edges = allEdges(graph).filter(({ from, to }) => reached.has(from) && to.kind === 'state');
  const moved = new Map([...reached].filter((file) => !fixed.has(file)).map((file) => [file, '']));
  for (let before = -1; before !== moved.size;) {
    before = moved.size;
    for (const { to, ...edge } of edges)
      if (
        to.kind === 'state' &&
        !changes(analysis, edge) &&
        !(isOwnTransition({ to, ...edge }) && moved.has(edge.from))
      )
        moved.delete(to.file);
  }
  return named(analysis, { moved, edges, known: new Map(start === undefined ? [] : [[entry, start]]) });
}

/** Gives each state the directory of the nearest tag with `cd` that leads to it. */
function named(
  analysis: Analysis,
  {
    moved,
    edges,
    known,
  }: {
    readonly moved: Map<string, string>;
    readonly edges: readonly Edge[];
    readonly known: ReadonlyMap<string, string>;
  },
): ReadonlyMap<string, string> {
  const found = new Map(known);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { to, ...edge } of edges) {
      if (to.kind !== 'state' || !moved.has(to.file) || found.has(to.file)) continue;
      const cd = changes(analysis, edge) ? edge.mention.attributes.get('cd')?.value : found.get(edge.from);
      if (cd !== undefined) found.set(to.file, cd);
    }
  }
  return found;
}

/** What gives the other directory the same files as the one before. */
const SAME_FILES =
  /\bpwd\b|\$\{?(?:PWD|OLDPWD)\b|getcwd|\bcwd\b|worktree|\bclone\b[^\n]*\s["']?\.["']?\s|\bcp\s+-\w*[aArR]\w*\s+(?:--\s+)?["']?\.(?:\/\.?)?["']?\s|\brsync\b[^\n]*\s\.\/?\s|copytree\(\s*["']\.["']/;

/** True for a tag into a directory below the one before, or into one that its script creates. */
function changes({ graph }: Analysis, { tag, role, mention, from }: Omit<Edge, 'to'>): boolean {
  const cd = mention.attributes.get('cd')?.value.trim();
  const state = graph.states.get(from);
  if ((tag !== 'reset' && tag !== 'fork') || role !== 'target' || cd === undefined || state === undefined) return false;
  const text = plainText(state);
  if (cd === '' || cd === '.' || cd.includes('..') || SAME_FILES.test(text)) return false;
  if ((cd === COMPUTED || cd === '%s') && beginsWithName(text)) return true;
  const isCreated = /\bmkdir|makedirs|mktemp|mkdtemp|\bclone\b|\bunzip\b|\btar\b|extractall|unpack_archive/.test(text);
  return cd.replaceAll(COMPUTED, '') !== '' ? /^[\w\uE000]/.test(cd) : isCreated && /^[^/~]/.test(cd);
}

/** A path in a variable that begins with a fixed name, such as `path.join('shops', name)`. */
const RELATIVE_VALUE =
  /^(?:(?:os\.path\.|path\.)?join\(\s*["'`][A-Za-z][^"'`]*["'`]\s*,|(?:pathlib\.)?Path\(\s*f?["'][A-Za-z][\w.-]*["'/]|f?["'`][A-Za-z][\w.-]*\/)/;

/** True if the variable in the `cd` of a tag has one value, and this begins with a fixed name. */
function beginsWithName(text: string): boolean {
  const names = [...text.matchAll(/\bcd=\\?["'](?:["']\s*\+\s*|%s[^\n]*?%\s*\(?\s*|\$?\{)?\s*(\w+)/g)].map(
    ([, name = '']) => name,
  );
  const [name = ''] = names;
  if (names.length !== 1) return false;
  const values = [
    ...text.matchAll(
      new RegExp(
        `^[ \\t]*(?:(?:const|let|var)[ \\t]+)?${name}(?:[ \\t]*:[ \\t]*\\w+)?[ \\t]*=(?!=)[ \\t]*(\\S[^\\n]*)`,
        'gm',
      ),
    ),
  ].map(([, value = '']) => value);
  return values.length === 1 && RELATIVE_VALUE.test(values[0] ?? '');
}
