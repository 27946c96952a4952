// Finds the packages of a project, and shows their paths. Imports little: an error about a missing argument lists them.
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isUrl, packageKind } from '../protocol/scope.js';
import { readWhole } from './error.js';
import { MAX_YAML_BYTES } from './limits.js';

const SKIPPED = /^(?:\.|node_modules$|dist$|coverage$)/;
const MAX_FOLDER_DEPTH = 8;

/** The folders with an entry point or a manifest, and the YAML files with states, below a folder. */
export async function packagesBelow(folder: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // An unreadable folder contains no package for us.
  const names = entries.map(({ name }) => name);
  const isPackage = names.some((name) => /^(?:(?:1_)?START\.(?:md|sh|bat|ps1|py|js|ts)|workflow\.yaml)$/.test(name));
  const inner = entries.filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name));
  const below = depth === MAX_FOLDER_DEPTH ? [] : inner.map(({ name }) => packagesBelow(join(folder, name), depth + 1));
  const yamls = entries.filter((entry) => entry.isFile() && packageKind(entry.name) === 'yaml');
  const files = await Promise.all(
    yamls.map(async ({ name }) => ((await isYamlPackage(join(folder, name))) ? [join(folder, name)] : [])),
  );
  return [...(isPackage ? [folder] : []), ...files.flat(), ...(await Promise.all(below)).flat()];
}

/** At most this many packages beside another one are looked at. */
const MAX_BESIDE = 50;

/** The packages in the folder that a package is in, and that folder itself if it is one. */
export async function packagesBeside(path: string): Promise<readonly string[]> {
  const found = await packagesBelow(dirname(path), MAX_FOLDER_DEPTH - 1);
  return found.filter((other) => other !== path).slice(0, MAX_BESIDE);
}

async function isYamlPackage(path: string): Promise<boolean> {
  if ((await stat(path)).size > MAX_YAML_BYTES) return false;
  return /^states:/m.test((await readWhole(path, MAX_YAML_BYTES)).toString());
}

/** A path relative to `cwd`, as people write it. */
export function shownPath(path: string, cwd: string): string {
  if (isUrl(path)) return path;
  const inner = relative(cwd, path);
  return inner === '' || inner.startsWith('..') || resolve(inner) === inner ? path : inner;
}
