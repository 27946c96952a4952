// Finds the states whose agent works in another directory than the one where the run was started, because a <reset cd> led there. Pure.
import { allEdges, type Edge } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import { COMPUTED } from '../../shell/words.js';
import { plainText } from '../helpers.js';
import type { Analysis } from '../rule.js';

/** The states that only an agent in another directory reaches, each with the `cd` that led there. */
export function movedStates(analysis: Analysis): ReadonlyMap<string, string> {
  const { graph, reached, entriesFromOutside = [] } = analysis;
  const entry = graph.entry.kind === 'state' ? [graph.entry.file] : [];
  const fixed = new Set([...entriesFromOutside, ...entry]);
  const edges = allEdges(graph).filter(({ from, to }) => reached.has(from) && to.kind === 'state');
  const moved = new Map([...reached].filter((file) => !fixed.has(file)).map((file) => [file, '']));
  for (let before = -1; before !== moved.size;) {
    before = moved.size;
    for (const { to, ...edge } of edges)
      if (
        to.kind === 'state' &&
        !(isOwnTransition({ to, ...edge }) && (changes(analysis, edge) || moved.has(edge.from)))
      )
        moved.delete(to.file);
  }
  return named(analysis, { moved, edges });
}

/** Gives each state the directory of the nearest reset that leads to it. */
function named(
  analysis: Analysis,
  { moved, edges }: { readonly moved: Map<string, string>; readonly edges: readonly Edge[] },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
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

/** True for a reset into a directory below the one before, or into one that its script creates. */
function changes({ graph }: Analysis, { tag, role, mention, from }: Omit<Edge, 'to'>): boolean {
  const cd = mention.attributes.get('cd')?.value.trim();
  const state = graph.states.get(from);
  if (tag !== 'reset' || role !== 'target' || cd === undefined || state === undefined) return false;
  const text = plainText(state);
  if (cd === '' || cd === '.' || cd.includes('..') || SAME_FILES.test(text)) return false;
  const isCreated = /\bmkdir|makedirs|mktemp|mkdtemp|\bclone\b|\bunzip\b|\btar\b|extractall|unpack_archive/.test(text);
  return cd.replaceAll(COMPUTED, '') !== '' ? /^[\w\uE000]/.test(cd) : isCreated && /^[^/~]/.test(cd);
}
