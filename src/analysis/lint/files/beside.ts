// Finds the files beside the states, also those in subfolders, that a run would not find in the directory in which it starts.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { exists } from '../../../host/files.js';
import { MANIFEST_FILE } from '../../../packages/manifest.js';
import { originOf } from '../../../protocol/scope.js';
import type { Graph } from '../../graph.js';
import type { Source } from '../../source.js';
import type { ReadBeside } from '../rule.js';
import { filesReadBeside } from './read-beside.js';

/** With more files, a folder is a project that also contains the package. */
const MAX_FILES = 300;
const MAX_DEPTH = 4;

/** Folders that are no part of a package. */
const IGNORED = /^(?:\.|node_modules$|__pycache__$)/;

/** A folder with one of these files is a package of its own, or a repository. */
const OTHER_ROOT = /^(?:(?:1_)?START\.\w+|workflow\.yaml|\.git)$/;

/** The files of a package, and as `lib/` its subfolders, that are not in the directory `cwd`. */
export async function onlyBesideIn({ source }: { readonly source: Source }, cwd: string): Promise<ReadonlySet<string>> {
  const files = [...source.files.values()].filter(
    ({ kind, file }) => (kind === 'other' || kind === 'script') && file !== MANIFEST_FILE,
  );
  const folder = originOf(source.scope);
  if (!(await exists(cwd)) || resolve(folder) === resolve(cwd)) return new Set();
  const nested = source.scope.kind === 'directory' ? await nestedFiles(folder) : [];
  const names = [...files.map(({ file }) => file), ...nested];
  const found = await Promise.all(names.map(async (name) => ((await exists(join(cwd, name))) ? [] : [name])));
  return new Set(found.flat());
}

/** The files that scripts of a folder read beside them, by paths without variables, and that do not exist. */
export async function missingBesideIn({ source, states }: Graph): Promise<readonly ReadBeside[]> {
  if (source.scope.kind !== 'directory') return [];
  const folder = originOf(source.scope);
  const reads = filesReadBeside([...states.values()]).filter(
    ({ state, path }) => states.get(state)?.kind === 'script' && !/\*|^\.\.\//.test(path),
  );
  const missing = await Promise.all(
    reads.map(async (read) => ((await isThere(join(folder, read.path))) ? [] : [read])),
  );
  return missing.flat();
}

/** A module may be named without its extension. */
async function isThere(path: string): Promise<boolean> {
  const paths = ['', '.js', '.ts', '.cjs', '.mjs', '.json', '.node'].map((extension) => path + extension);
  return (await Promise.all(paths.map(exists))).includes(true);
}

/** The files in the subfolders of a package; none if there are too many. */
async function nestedFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const pending = [''];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []); // It cannot be read.
    if (below === '' ? entries.some(isProjectRoot) : entries.some(({ name }) => OTHER_ROOT.test(name))) continue;
    if (below !== '') found.push(below);
    for (const entry of entries) {
      if (IGNORED.test(entry.name)) continue;
      if (entry.isDirectory() && below.split('/').length <= MAX_DEPTH) pending.push(`${below}${entry.name}/`);
      else if (entry.isFile() && below !== '') found.push(below + entry.name);
    }
    if (found.length > MAX_FILES) return [];
  }
  return found;
}

function isProjectRoot({ name }: { readonly name: string }): boolean {
  return name === '.git';
}
