// The artifact store in a folder: files named by their SHA-256, on this host or shared between hosts. An existing file
// is complete: it is written under a temporary name, flushed to disk and renamed. A reader gets the bytes of the hash,
// or an error.
import { randomUUID } from 'node:crypto';
import { chmod, copyFile, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256IfThere, sha256Of, sha256OfFile } from '../host/sha256.js';
import { point } from '../host/faults.js';
import { errorCode, makeDurableFolder, makePrivateFolder, renameDurable, whyUnwritable } from '../host/files.js';
import { isArtifact, MAX_INLINE_BYTES, type ArtifactRef, type Value } from '../protocol/text.js';
import { ArtifactMissing, StoreDamaged, StoreUnwritable, type ExaminedArtifact, type ProbedStore } from './store.js';
import { WholeFiles } from './whole.js';

/** After this time a temporary file is abandoned: its writer was killed. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** A file up to this size is read once and held in memory; a larger one is copied and read again. */
const READ_AT_ONCE_BYTES = 4 << 20;

/** Files under `dir`, in sub-folders by the first two digits of their hash; mode 0600. */
export class FolderStore implements ProbedStore {
  private prepared: Promise<void> | undefined;
  private readonly whole = new WholeFiles();

  constructor(private readonly dir: string) {}

  get location(): string {
    return this.dir;
  }

  async value(text: string, limit = MAX_INLINE_BYTES): Promise<Value> {
    return Buffer.byteLength(text) <= limit ? text : await this.put(Buffer.from(text));
  }

  async text(value: Value): Promise<string> {
    if (!isArtifact(value)) return value;
    const { sha256 } = value;
    const path = this.pathOf(sha256);
    const bytes = await readFile(path).catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR' ? new ArtifactMissing(sha256, path) : error;
    });
    if (sha256Of(bytes) === sha256) return bytes.toString('utf8');
    this.whole.forget(path);
    throw damaged(path, sha256);
  }

  async put(bytes: Uint8Array): Promise<ArtifactRef> {
    const sha256 = sha256Of(bytes);
    await this.keep(sha256, (temporary) => writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' }));
    return { sha256, bytes: bytes.length };
  }

  async putFile(path: string): Promise<ArtifactRef> {
    if ((await stat(path)).size <= READ_AT_ONCE_BYTES) return await this.put(await readFile(path));
    const sha256 = await sha256OfFile(path);
    await this.keep(sha256, async (temporary) => {
      await copyFile(path, temporary);
      await chmod(temporary, 0o600);
      if ((await sha256OfFile(temporary)) !== sha256)
        throw new Error(`${path} was changed while it was copied to the store`);
    });
    return { sha256, bytes: (await stat(path)).size };
  }

  async materialise(sha256: string, path: string): Promise<void> {
    await linkOrCopy(await this.locate(sha256), path);
  }

  async locate(sha256: string): Promise<string> {
    const path = this.pathOf(sha256);
    const found = await this.whole.check(path, sha256);
    if (found === 'absent') throw new ArtifactMissing(sha256, path);
    if (found === 'damaged') throw damaged(path, sha256);
    return path;
  }

  /** The file of an artifact, marked as used now; undefined when it is missing or damaged. */
  async find(sha256: string): Promise<string | undefined> {
    const path = this.pathOf(sha256);
    return (await this.whole.touch(path, sha256)) === 'whole' ? path : undefined;
  }

  /** Stores data from another source; `chunks` throws at its end when they do not match the hash. */
  async receive(sha256: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await this.keep(sha256, (temporary) => writeFile(temporary, chunks, { mode: 0o600, flag: 'wx' }));
  }

  async write(name: string, text: string): Promise<void> {
    await this.place(join(this.dir, name), (temporary) => writeFile(temporary, text, { mode: 0o600, flag: 'wx' }));
  }

  async read(name: string): Promise<string | undefined> {
    return await readFile(join(this.dir, name), 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
  }

  async list(folder: string): Promise<readonly string[]> {
    const names = await readdir(join(this.dir, folder)).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => !name.endsWith('.tmp')).sort();
  }

  /** Writes a file, reads it and removes it. Throws `StoreUnwritable`, or the error of reading it. */
  async probe(): Promise<void> {
    const path = join(this.incoming, `probe.${randomUUID()}`);
    await this.writing(async () => {
      try {
        await makePrivateFolder(this.incoming);
        await writeFile(path, path, { mode: 0o600, flag: 'wx' });
        if ((await readFile(path, 'utf8')) !== path)
          throw new Error(`${path} does not contain what was written into it`);
      } finally {
        await rm(path, { force: true }).catch(() => undefined); // No store: nothing in it.
      }
    });
  }

  async *examine(): AsyncGenerator<ExaminedArtifact> {
    for (const prefix of (await this.list('.')).filter((name) => /^[0-9a-f]{2}$/.test(name)))
      for (const sha256 of await this.list(prefix)) {
        const path = join(this.dir, prefix, sha256);
        const found = await sha256IfThere(path);
        if (found !== undefined) yield { sha256, path, bytes: (await stat(path)).size, isWhole: found === sha256 };
      }
  }

  private pathOf(sha256: string): string {
    return join(this.dir, sha256.slice(0, 2), sha256);
  }

  /** The folder of incomplete files; on the same file system, so that they can be renamed. */
  private get incoming(): string {
    return join(this.dir, 'incoming');
  }

  /** Makes the folder of incomplete files, once per process, and removes those of killed processes. */
  private async prepare(): Promise<void> {
    try {
      await makePrivateFolder(this.incoming);
    } catch (error) {
      this.prepared = undefined; // The next write tries again.
      throw error;
    }
    await this.tidy().catch(() => undefined); // A file that cannot be removed may stay.
  }

  private async tidy(): Promise<void> {
    for (const name of await readdir(this.incoming)) {
      const path = join(this.incoming, name);
      const left = await stat(path).catch(() => undefined); // Its writer has just finished it.
      if (left !== undefined && left.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
    }
  }

  private async keep(sha256: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const path = this.pathOf(sha256);
    if ((await this.whole.touch(path, sha256)) === 'whole') return;
    await this.place(path, write);
    await this.whole.add(path);
    point('after-artifact');
  }

  /** Writes a file that is there as a whole or not at all, on disk when it resolves. */
  private async place(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = join(this.incoming, `${basename(path)}.${randomUUID()}`);
    await this.writing(async () => {
      try {
        await makeDurableFolder(dirname(path));
        await (this.prepared ??= this.prepare());
        point('before-artifact');
        await write(temporary).catch(async (error: unknown) => {
          if (errorCode(error) !== 'ENOENT') throw error;
          await makePrivateFolder(this.incoming); // Another program has removed it.
          await write(temporary);
        });
        point('artifact-written');
        await renameDurable(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined); // No store: nothing in it.
        throw error;
      }
    });
  }

  private async writing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const why = whyUnwritable(error);
      if (why === undefined) throw error;
      const message = `${this.dir} cannot be written: ${why}; fix the cause, then resume the run`;
      throw new StoreUnwritable(message, { cause: error });
    }
  }
}

function damaged(path: string, sha256: string): StoreDamaged {
  const next = 'restore it from a backup, then resume the run; to list all damaged files: raymond doctor --deep';
  return new StoreDamaged({ path, why: `its SHA-256 is not ${sha256}`, next });
}

/** Makes an artifact's file readable at another path. */
export async function linkOrCopy(source: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // An existing path may be a link to another artifact, which a copy would overwrite.
  await rm(path, { force: true });
  // A hard link costs nothing; across file systems a copy is needed.
  await link(source, path).catch(() => copyFile(source, path));
}
