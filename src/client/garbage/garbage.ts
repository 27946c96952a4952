// Finds and removes files on disk that no run needs. It considers only names that Raymond gives, and nothing changed
// recently; each file is checked again before removal, because a process may need it by now.
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, explainingWrites, isDirectory, temporaryName } from '../../host/files.js';
import { readLockOwner } from '../../host/lock.js';
import { fileNameOfRun } from '../../protocol/ids.js';

/** The kinds of files that may be removed. */
export const GARBAGE_KINDS = [
  'chapters',
  'places',
  'artifacts',
  'cache',
  'packages',
  'unpacked',
  'workspaces',
  'tasks',
  'debug',
  'runs',
] as const;

/** One of them. */
export type GarbageKind = (typeof GARBAGE_KINDS)[number];

/** How much was removed, or would be. */
export interface Tally {
  readonly files: number;
  readonly bytes: number;
}

/** Where to search, what to keep, and whether to remove. */
export interface GarbageRequest {
  /** The folder of each kind; a kind without one is skipped. */
  readonly folders: Readonly<Partial<Record<GarbageKind, string>>>;
  /** Every SHA-256 that a kept run refers to. */
  readonly references: ReadonlySet<string>;
  readonly runs: readonly string[];
  /** Newer files stay. */
  readonly since: Date;
  readonly dryRun: boolean;
}

/** Removes it, or with `dryRun` only counts it. Throws `UnwritableError`. */
export async function removeGarbage(request: GarbageRequest): Promise<Readonly<Record<GarbageKind, Tally>>> {
  const tallies: [GarbageKind, Tally][] = [];
  for (const kind of GARBAGE_KINDS) {
    let sum = { files: 0, bytes: 0 };
    const folder = request.folders[kind];
    if (folder === undefined) {
      tallies.push([kind, sum]);
      continue;
    }
    for await (const path of candidates(kind, folder, request)) {
      const { files, bytes } = await removed(path, request);
      sum = { files: sum.files + files, bytes: sum.bytes + bytes };
    }
    tallies.push([kind, sum]);
  }
  return Object.fromEntries(tallies) as Record<GarbageKind, Tally>;
}

async function* candidates(kind: GarbageKind, folder: string, request: GarbageRequest): AsyncGenerator<string> {
  const isKept = keeper(kind, request);
  for (const name of await namesOf(folder)) {
    const path = join(folder, name);
    if (kind === 'artifacts' || kind === 'cache') {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for (const file of await namesOf(path)) if (file.startsWith(name) && !isKept(file)) yield join(path, file);
    } else if (!isKept(name) && (await isOurs(kind, path))) yield path;
  }
}

const FOLDERS: ReadonlySet<GarbageKind> = new Set(['chapters', 'places', 'workspaces', 'tasks', 'debug']);

/** Folders of a kind must be folders; a lock that a process holds is in use. */
async function isOurs(kind: GarbageKind, path: string): Promise<boolean> {
  if (kind === 'runs') return !path.endsWith('lock') || readLockOwner(path) === undefined;
  return !FOLDERS.has(kind) || (await isDirectory(path));
}

/** The debug folder of a run, and its files in the folder `runs`: the beginning is the run's name as a file. */
export const DEBUG_FOLDER = /^(.+)_\d{8}_\d{6}$/;
export const RUN_FILE = /^(.+)\.(?:env|log|lock|archived|hooks\.json|hooks-lock)$/;

/** Whether a name must stay; names that are not Raymond's always stay. */
function keeper(kind: GarbageKind, { references, runs }: GarbageRequest): (name: string) => boolean {
  const stems = runs.map(fileNameOfRun);
  const known = new Set(stems);
  const keptUnless = (pattern: RegExp, isNeeded: (part: string) => boolean) => (name: string) => {
    const part = pattern.exec(name)?.[1];
    return part === undefined || isNeeded(part);
  };
  switch (kind) {
    case 'artifacts':
    case 'cache':
      return keptUnless(/^([0-9a-f]{64})$/, (sha256) => references.has(sha256));
    case 'packages':
      return keptUnless(/^([0-9a-f]{64})(?:\.zip|\.yaml)?$/, (sha256) => references.has(sha256));
    case 'unpacked': {
      const beginnings = new Set([...references].map((sha256) => sha256.slice(0, 32)));
      return keptUnless(/-([0-9a-f]{32})$/, (beginning) => beginnings.has(beginning));
    }
    case 'chapters':
    case 'places':
    case 'workspaces':
    case 'tasks':
      return keptUnless(/^([A-Za-z0-9][A-Za-z0-9._%-]*)$/, (stem) => known.has(stem));
    case 'debug':
      return keptUnless(DEBUG_FOLDER, (stem) => known.has(stem));
    case 'runs':
      // A run may have the name of another one's file.
      return keptUnless(RUN_FILE, (name) => stems.some((stem) => `${name}.`.startsWith(`${stem}.`)));
  }
}

const NOTHING: Tally & { readonly newest: number } = { files: 0, bytes: 0, newest: 0 };

/** Removes a file or folder unless it changed recently; returns what was removed. */
async function removed(path: string, { since, dryRun }: GarbageRequest): Promise<Tally> {
  const before = await sizeOf(path);
  if (before.newest >= since.getTime()) return NOTHING;
  if (dryRun) return before;
  const aside = temporaryName(path);
  return await explainingWrites(path, async () => {
    try {
      await rename(path, aside);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return NOTHING;
      throw error;
    }
    const { newest } = await sizeOf(aside);
    if (newest >= since.getTime()) {
      await rename(aside, path);
      return NOTHING;
    }
    await rm(aside, { recursive: true, force: true });
    return before;
  });
}

/** When the file, or anything in a folder, last changed (epoch milliseconds); 0 when there is none. */
export async function newestIn(path: string): Promise<number> {
  return (await sizeOf(path)).newest;
}

/** The files in it, their bytes, and when anything of it changed last. */
async function sizeOf(path: string): Promise<typeof NOTHING> {
  const found = await lstat(path).catch(() => undefined); // Another process has removed it.
  if (found === undefined) return NOTHING;
  if (!found.isDirectory()) return { files: 1, bytes: found.size, newest: found.mtimeMs };
  let sum = { ...NOTHING, newest: found.mtimeMs };
  for (const name of await namesOf(path)) {
    const { files, bytes, newest } = await sizeOf(join(path, name));
    sum = { files: sum.files + files, bytes: sum.bytes + bytes, newest: Math.max(sum.newest, newest) };
  }
  return sum;
}

/** The names in a folder; none when it is not there. */
export async function namesOf(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  });
}
