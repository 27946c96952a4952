// Checks whether a file's bytes match its name, their SHA-256. An intact file is not read again until its size, time or
// inode changes.
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { sha256IfThere } from '../host/sha256.js';
import { touch } from '../host/files.js';

/** The state of an artifact's file. */
type FileState = 'whole' | 'damaged' | 'absent';

/** How many files are remembered. */
const REMEMBERED = 10_000;

/** The files of one folder that this process has found intact. */
export class WholeFiles {
  private readonly known = new Map<string, string>();

  /** Reads the file, unless its state is known. */
  async check(path: string, sha256: string): Promise<FileState> {
    const before = await stat(path).catch(() => undefined);
    if (before === undefined) return 'absent';
    if (this.known.get(path) === identityOf(before)) return 'whole';
    const found = await sha256IfThere(path);
    if (found === undefined) return 'absent';
    if (found !== sha256) return 'damaged';
    this.remember(path, before);
    return 'whole';
  }

  /** The same; an intact file is marked as just written. */
  async touch(path: string, sha256: string): Promise<FileState> {
    const found = await this.check(path, sha256);
    if (found !== 'whole') return found;
    return (await touch(path)) && (await this.add(path)) ? 'whole' : 'absent';
  }

  /** Remembers a file whose bytes are known to match; false when it was removed. */
  async add(path: string): Promise<boolean> {
    const now = await stat(path).catch(() => undefined);
    if (now !== undefined) this.remember(path, now);
    return now !== undefined;
  }

  /** The file must be read again next time. */
  forget(path: string): void {
    this.known.delete(path);
  }

  private remember(path: string, stats: Stats): void {
    if (this.known.size >= REMEMBERED) this.known.clear();
    this.known.set(path, identityOf(stats));
  }
}

function identityOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}
