// Limits the size of a bucket's cache folder: the least recently used files are removed. Several processes may share
// it.
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../host/files.js';

/** A file used this recently may be in use: a caller has its path. */
const IN_USE_MS = 10 * 60_000;

/** The folder is checked again when this share of the limit was added, or after this time. */
const SHARE = 1 / 20;
const LOOK_EVERY_MS = 60 * 60_000;

/** How much of the limit is kept, so that not every new artifact removes others. */
const STAYS = 0.9;

const MARK = 'looked-at';

interface CachedFile {
  readonly path: string;
  readonly bytes: number;
  readonly used: number;
}

/** The limit of one folder, in bytes. */
export class CacheLimit {
  private added = 0;
  private looked = false;

  constructor(
    private readonly dir: string,
    private readonly limit: number,
    private readonly inUseMs = IN_USE_MS,
  ) {}

  /** Counts new bytes in the folder; resolves when the excess is removed. */
  async add(bytes: number): Promise<void> {
    this.added += bytes;
    const first = !this.looked;
    this.looked = true;
    if (this.added < this.limit * SHARE && !(first && (await this.isDue()))) return;
    this.added = 0;
    // A cache that cannot be cleaned only costs space.
    await this.trim().catch(() => undefined);
  }

  private async isDue(): Promise<boolean> {
    const last = await stat(join(this.dir, MARK)).catch(() => undefined);
    return last === undefined || last.mtimeMs < Date.now() - LOOK_EVERY_MS;
  }

  private async trim(): Promise<void> {
    await this.mark();
    const files = await this.files();
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= this.limit) return;
    const inUseSince = Date.now() - this.inUseMs;
    for (const { path, bytes, used } of files.sort((one, other) => one.used - other.used)) {
      if (total <= this.limit * STAYS || used > inUseSince) return;
      await rm(path, { force: true });
      total -= bytes;
    }
  }

  private async mark(): Promise<void> {
    const now = new Date();
    const path = join(this.dir, MARK);
    await utimes(path, now, now).catch(async (error: unknown) => {
      if (errorCode(error) === 'ENOENT') await writeFile(path, '', { mode: 0o600 });
    });
  }

  private async files(): Promise<CachedFile[]> {
    const found: CachedFile[] = [];
    for (const folder of await readdir(this.dir)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      for (const name of await readdir(join(this.dir, folder))) {
        const path = join(this.dir, folder, name);
        const file = await stat(path).catch(() => undefined); // Another process has removed it.
        if (file !== undefined) found.push({ path, bytes: file.size, used: file.mtimeMs });
      }
    }
    return found;
  }
}
