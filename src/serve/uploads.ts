// Uploaded files for the answers to questions: their bytes are in the artifact store, their names on disk, so that they
// survive a restart.
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { randomUUID } from 'node:crypto';
import { typeOf, type StoredFile } from '../client/steer/answer.js';
import { errorCode, makePrivateFolder, writeFileAtomic } from '../host/files.js';
import { MAX_BYTES, readPlainText } from '../host/plain-file.js';
import { fileNameOfRun } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import type { Upload } from '../protocol/language/ask-files.js';
import type { ArtifactStore } from '../store/store.js';
import { Refusal } from './problems.js';

/** A question of a run. */
interface AskName {
  readonly runId: string;
  readonly askId: string;
}

/** An uploaded file. */
interface Arriving extends AskName {
  readonly name: string;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The content type that the sender named. */
  readonly contentType: string | null;
  readonly maxBytes: number;
}

/** The limits of the config, which apply to every question; absent = none. */
export interface UploadCaps {
  readonly fileBytes?: number;
  readonly totalBytes?: number;
  readonly count?: number;
}

/** Keeps them below `folder`. */
export class Uploads {
  /** One change of a question's files after the other. */
  private changing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly artifacts: ArtifactStore,
    private readonly caps: UploadCaps = {},
  ) {}

  /** The files of a question, in order of arrival. */
  async of(ask: AskName): Promise<readonly StoredFile[]> {
    try {
      return JSON.parse(await readPlainText(this.fileOf(ask), MAX_BYTES.settings)) as readonly StoredFile[];
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Adds a file; it replaces one with the same name. Throws `TooLarge`. */
  async add({ name, body, contentType, maxBytes, ...ask }: Arriving): Promise<StoredFile> {
    await makePrivateFolder(this.folder);
    const { totalBytes = Infinity, count = Infinity } = this.caps;
    const others = (await this.of(ask)).filter((one) => one.name !== name);
    if (others.length >= count) throw new Refusal('TooLarge', `an answer may have at most ${count} files`);
    const used = others.reduce((sum, other) => sum + other.bytes, 0);
    const most = Math.min(this.mostBytes(maxBytes), Math.max(0, totalBytes - used));
    const path = join(this.folder, `${randomUUID()}.part`);
    try {
      const bytes = await received(body, { path, maxBytes: most });
      const [sent] = contentType?.toLowerCase().match(/^[^\s;,]+/) ?? [];
      const type = await typeOf(path, { name, ...defined({ sent }) });
      const { sha256 } = await this.artifacts.putFile(path);
      const file = { name, bytes, type, sha256 };
      await this.change(ask, (files) => [...files.filter((one) => one.name !== name), file]);
      return file;
    } finally {
      await rm(path, { force: true });
    }
  }

  /** The limits of a bucket, lowered to those of the config. */
  limited(upload: Upload): Upload {
    if (upload.kind !== 'bucket') return upload;
    const { totalBytes = Infinity, count = Infinity } = this.caps;
    return {
      ...upload,
      maxBytes: this.mostBytes(upload.maxBytes),
      maxTotalBytes: Math.min(upload.maxTotalBytes, totalBytes),
      maxCount: Math.min(upload.maxCount, count),
    };
  }

  private mostBytes(maxBytes: number): number {
    return Math.min(maxBytes, this.caps.fileBytes ?? maxBytes);
  }

  /** Removes one of them, or all. */
  async remove(ask: AskName, name?: string): Promise<void> {
    await this.change(ask, (files) => (name === undefined ? [] : files.filter((file) => file.name !== name)));
  }

  private async change(ask: AskName, edit: (files: readonly StoredFile[]) => readonly StoredFile[]): Promise<void> {
    const work = this.changing.then(async () => {
      const files = edit(await this.of(ask));
      if (files.length === 0) return await rm(this.fileOf(ask), { force: true });
      await mkdir(join(this.folder, fileNameOfRun(ask.runId)), { recursive: true, mode: 0o700 });
      await writeFileAtomic(this.fileOf(ask), JSON.stringify(files));
    });
    this.changing = work.catch(() => undefined); // The caller gets the error.
    await work;
  }

  private fileOf({ runId, askId }: AskName): string {
    return join(this.folder, fileNameOfRun(runId), `${encodeURIComponent(askId)}.json`);
  }
}

const DISCARD_BYTES = 64 * 2 ** 20;

/** Writes the data into a file; returns its size. */
async function received(
  body: ReadableStream<Uint8Array> | null,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): Promise<number> {
  let bytes = 0;
  // The client reads the error only after sending everything: a little more is read and dropped for that.
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes + DISCARD_BYTES) break;
      if (bytes <= maxBytes) yield chunk;
    }
    if (bytes > maxBytes)
      throw new Refusal('TooLarge', `the file has more than ${maxBytes} bytes, the most that the question still takes`);
  };
  const source = body === null ? Readable.from([]) : Readable.fromWeb(body);
  await pipeline(source, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return bytes;
}
