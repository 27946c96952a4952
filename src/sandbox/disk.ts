// The disk of a sandboxed turn: no turn takes more than half of what was free, or than the limit of its policy. Free space
// is looked at, which costs nothing; the files are read when as much is gone. With a limit they are also read now and
// then, and at the end, because others may have made room meanwhile.
import type { Stats } from 'node:fs';
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { membersOf, type Exceeded, type Look } from './limits.js';
import { isWithin, type Mount } from './mounts.js';

/** Where a turn writes, and what limits it. */
interface Written {
  readonly mounts: readonly Mount[];
  /** The limit of the policy. */
  readonly limit: number | undefined;
  /** The first process inside; its descendants hold files that have no name any more. */
  readonly firstInside?: () => Promise<number | undefined>;
}

/** The part of the free space that a turn may take. */
const PART = 1 / 2;
/** After a false alarm, the part of the limit that must be gone before the files are read again. */
const AGAIN = 1 / 8;
/** With a limit, the first reading of the files, and the greatest part of the time that readings may take. */
const READ_AFTER_MS = 2000;
const READING_PART = 1 / 20;
/** The process id of a turn that has ended: no process has it. */
const ENDED = 0;
/** A file system counts time more coarsely than the clock. */
const COARSE_MS = 1000;

/** Looks at the disk while a turn runs, and once more when it has ended. */
export interface DiskWatch {
  readonly look: Look;
  readonly last: () => Promise<Exceeded | undefined>;
}

/** Watches what a turn writes, from now on. */
export async function watchDisk({ mounts, limit, firstInside }: Written): Promise<DiskWatch> {
  const begin = Date.now() - COARSE_MS;
  const places = placesIn(mounts);
  const { folders } = places;
  const first = await Promise.all(folders.map(freeIn));
  const most = Math.floor(Math.min(limit ?? Infinity, ...first.map(({ bytes }) => bytes * PART)));
  const mostFiles = Math.min(...first.map(({ files }) => files * PART));
  let alarm = most;
  let readAt = limit === undefined ? Infinity : performance.now() + READ_AFTER_MS;
  const check = async (pid: number, isDue: boolean): Promise<Exceeded | undefined> => {
    const now = await Promise.all(folders.map(freeIn));
    const gone = Math.max(...now.map(({ bytes }, index) => (first[index]?.bytes ?? 0) - bytes));
    const goneFiles = Math.max(...now.map(({ files }, index) => (first[index]?.files ?? 0) - files));
    if (gone <= alarm && goneFiles <= mostFiles && !isDue) return undefined;
    const began = performance.now();
    const written = await writtenSince(begin, { ...places, pid: (await firstInside?.()) ?? pid });
    if (written.bytes > most || written.files > mostFiles) return { limit: 'disk', most };
    const ended = performance.now();
    if (limit !== undefined) readAt = ended + Math.max(READ_AFTER_MS, (ended - began) / READING_PART);
    if (gone > alarm) alarm = gone + most * AGAIN;
    return undefined;
  };
  return {
    look: (pid) => check(pid, performance.now() >= readAt),
    last: () => check(ENDED, limit !== undefined),
  };
}

/** The folders that it writes, and what in them it does not. */
interface Places {
  readonly folders: readonly string[];
  readonly others: ReadonlySet<string>;
}

function placesIn(mounts: readonly Mount[]): Places {
  const written = mounts.filter(({ access }) => access === 'write').map(({ path }) => path);
  const folders = written.filter((path) => !written.some((other) => other !== path && isWithin(path, other)));
  return { folders, others: new Set(mounts.flatMap(({ path, access }) => (access === 'write' ? [] : [path]))) };
}

interface Amount {
  readonly bytes: number;
  readonly files: number;
}

/** A file system without a fixed number of files says 0. */
async function freeIn(folder: string): Promise<Amount> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  return { bytes: bavail * bsize, files: files === 0 ? Number.MAX_SAFE_INTEGER : ffree };
}

const BLOCK_BYTES = 512;

/** The files that were changed since then: a program cannot set this time of a file. */
async function writtenSince(
  begin: number,
  { folders, others, pid }: Places & { readonly pid: number },
): Promise<Amount> {
  const seen = new Set<string>();
  const total = { bytes: 0, files: 0 };
  const add = (stats: Stats): void => {
    const key = `${stats.dev}:${stats.ino}`;
    if (stats.ctimeMs < begin || seen.has(key)) return;
    seen.add(key);
    total.bytes += stats.blocks * BLOCK_BYTES;
    total.files += 1;
  };
  const visit = async (path: string): Promise<void> => {
    const stats = others.has(path) ? undefined : await lstat(path).catch(() => undefined); // it is gone
    if (stats === undefined) return;
    add(stats);
    if (!stats.isDirectory()) return;
    for (const name of await readdir(path).catch(() => [])) await visit(join(path, name));
  };
  for (const folder of folders) await visit(folder);
  for (const stats of await filesWithoutName(pid)) add(stats);
  return total;
}

/** Files that were removed while the processes of the turn have them open. */
async function filesWithoutName(pid: number): Promise<readonly Stats[]> {
  const found: Stats[] = [];
  for (const member of await membersOf(pid)) {
    const folder = `/proc/${member}/fd`;
    for (const name of await readdir(folder).catch(() => [])) {
      const stats = await stat(join(folder, name)).catch(() => undefined); // it was closed
      if (stats?.isFile() === true && stats.nlink === 0) found.push(stats);
    }
  }
  return found;
}
