// A file that grows while a process runs: chunks are accepted at once and written in the
// background, and the file is valid after every write. It never uses more memory or waits for the
// disk: what a slow disk cannot write is dropped, with a note in the file.
import type { FileHandle } from 'node:fs/promises';

/** The text around the chunks; `tail` follows the last one at every moment. `gap` reports dropped bytes. */
interface Framing {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  readonly gap: (bytes: number) => string;
}

/** A JSON array, one value per line. */
export const JSON_ARRAY: Framing = {
  head: '[\n',
  separator: ',\n',
  tail: '\n]\n',
  gap: (bytes) => JSON.stringify({ dropped_bytes: bytes }),
};

/** The output of a process as it is. */
export const PLAIN: Framing = {
  head: '',
  separator: '',
  tail: '',
  gap: (bytes) => `\n[${bytes} bytes were dropped here]\n`,
};

/** The largest file, and how much of it may wait in memory. */
interface Limits {
  readonly fileBytes: number;
  readonly waitingBytes: number;
}

const LIMITS: Limits = { fileBytes: 256 * 1024 ** 2, waitingBytes: 8 * 1024 ** 2 };

/** The target of a writer, and the receiver of errors. */
export interface WriterParts {
  readonly open: () => Promise<FileHandle>;
  readonly framing: Framing;
  readonly onFailure: (error: unknown) => void;
  readonly limits?: Limits;
}

/** Writes chunks in their order. */
export class Writer {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private taken = 0;
  private dropped = 0;
  private file: FileHandle | undefined;
  /** Where the tail starts. */
  private end = 0;
  private first = true;
  private full = false;
  private closed = false;
  private writing = false;
  private written: Promise<void>;

  constructor(private readonly parts: WriterParts) {
    this.written = this.write();
  }

  /** Accepts a chunk, or drops it. */
  add(piece: string | Buffer): void {
    if (this.closed) return;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (!this.hasRoomFor(bytes.length)) {
      this.dropped += bytes.length;
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.taken += bytes.length;
    if (!this.writing) this.written = this.write();
  }

  /** Resolves when everything is written and the file is closed. */
  async close(): Promise<void> {
    await this.written;
    if (this.dropped > 0) await this.write(true);
    this.closed = true;
    await this.file?.close().catch(this.parts.onFailure);
  }

  private hasRoomFor(bytes: number): boolean {
    const { fileBytes, waitingBytes } = this.parts.limits ?? LIMITS;
    this.full ||= this.taken + bytes > fileBytes;
    // After a gap, chunks are dropped until its note is written, so that the note is at the gap.
    if (this.full || this.dropped > 0) return false;
    // A single chunk may be larger than the limit.
    return this.waiting.length === 0 || this.waitingBytes + bytes <= waitingBytes;
  }

  /** Writes all waiting chunks. A full file gets one note at its end. */
  private async write(last = false): Promise<void> {
    if (this.closed) return;
    this.writing = true;
    try {
      this.file ??= await this.begin();
      while (this.waiting.length > 0 || (this.dropped > 0 && (last || !this.full)))
        await this.append(this.file, this.take(last));
    } catch (error) {
      this.closed = true;
      this.waiting = [];
      this.parts.onFailure(error);
      await this.repair();
    } finally {
      this.writing = false;
    }
  }

  private async begin(): Promise<FileHandle> {
    const { open, framing } = this.parts;
    const file = await open();
    await writeAll(file, Buffer.from(framing.head + framing.tail), 0);
    this.end = Buffer.byteLength(framing.head);
    return file;
  }

  private take(last: boolean): readonly Buffer[] {
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    const dropped = this.full && !last ? 0 : this.dropped;
    this.dropped -= dropped;
    return dropped === 0 ? waiting : [...waiting, Buffer.from(this.parts.framing.gap(dropped))];
  }

  /** Overwrites the tail, and appends it again. */
  private async append(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
    const { separator, tail } = this.parts.framing;
    const separated = pieces.flatMap((piece, n) =>
      separator === '' || (this.first && n === 0) ? [piece] : [Buffer.from(separator), piece],
    );
    const bytes = Buffer.concat([...separated, Buffer.from(tail)]);
    await writeAll(file, bytes, this.end);
    this.end += bytes.length - Buffer.byteLength(tail);
    this.first = false;
  }

  /** A failed write on a full disk may have damaged the tail. */
  private async repair(): Promise<void> {
    const { file, end } = this;
    await file
      ?.truncate(end)
      .then(() => writeAll(file, Buffer.from(this.parts.framing.tail), end))
      .catch(() => undefined); // Already reported.
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}
