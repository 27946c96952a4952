// Events on their way to whoever listens: numbered, kept for a while for those who come back, and never waiting for a reader. One who reads
// too slowly is told that there is a gap, and dropped.
import type { ServeEvent } from '../types.js';

/** So much is kept for those who come back. */
const KEPT_EVENTS = 10_000;
const KEPT_BYTES = 8 * 2 ** 20;

/** So much may wait for one reader. */
const WAITING_BYTES = 2 ** 20;

const COMMENT_MS = 15_000;

interface Kept {
  readonly number: number;
  readonly runId: string | undefined;
  readonly frame: string;
}

/** Whom to tell, and of what. `runs` absent = of all. */
export interface Listening {
  readonly runs?: ReadonlySet<string> | undefined;
  /** The last event that the reader has, by its id. */
  readonly lastId?: string | undefined;
  /** The reader does not keep up: whatever waits for it is thrown away. */
  readonly dropped: () => void;
}

/** Hands out events. */
export class EventHub {
  /** Ids of another process mean nothing here. */
  private readonly epoch = Date.now().toString(36);
  private kept: Kept[] = [];
  private bytes = 0;
  private last = 0;
  private changing = 0;
  private readonly readers = new Set<Reader>();
  private readonly beat = setInterval(() => this.tellAll(': \n\n'), COMMENT_MS).unref();

  /** How many listen. */
  get listeners(): number {
    return this.readers.size;
  }

  /** How many events there were of which an answer of the API may be another one. */
  get changes(): number {
    return this.changing;
  }

  /** The runs that somebody has named. */
  get named(): ReadonlySet<string> {
    return new Set([...this.readers].flatMap(({ listening: { runs = [] } }) => [...runs]));
  }

  /** Tells everybody whom it concerns. */
  publish(event: ServeEvent): void {
    const number = ++this.last;
    if (event.type !== 'said' && event.type !== 'printed') this.changing += 1;
    const runId = 'runId' in event ? event.runId : undefined;
    const frame = frameOf(event, `${this.epoch}-${number}`);
    this.kept.push({ number, runId, frame });
    this.bytes += frame.length;
    if (this.kept.length > 2 * KEPT_EVENTS || this.bytes > 2 * KEPT_BYTES) this.forget();
    for (const reader of this.readers) if (concerns(reader.listening, runId)) reader.take(frame);
  }

  /** A stream of events as bytes, from where the reader has left off. */
  listen(listening: Listening): ReadableStream<Uint8Array> {
    const reader = new Reader(listening, () => this.readers.delete(reader));
    this.readers.add(reader);
    reader.take('retry: 1000\n\n');
    for (const frame of this.missed(listening)) reader.take(frame);
    return reader.stream;
  }

  /** Ends all streams for now: who may listen comes back, and has missed nothing. */
  dismiss(): void {
    for (const reader of [...this.readers]) reader.end();
  }

  /** Ends all streams. */
  close(): void {
    clearInterval(this.beat);
    this.dismiss();
  }

  private missed({ lastId, runs }: Listening): readonly string[] {
    if (lastId === undefined) return [];
    const [, epoch, number] = /^(.+)-(\d+)$/.exec(lastId) ?? [];
    const first = (this.kept[0]?.number ?? this.last + 1) - 1;
    const from = Number(number);
    if (epoch !== this.epoch || from < first || from > this.last) return [this.gap()];
    return this.kept.filter((one) => one.number > from && concerns({ runs }, one.runId)).map(({ frame }) => frame);
  }

  private gap(): string {
    return frameOf({ type: 'gap' }, `${this.epoch}-${this.last}`);
  }

  private forget(): void {
    let dropped = 0;
    while (this.kept.length - dropped > KEPT_EVENTS || this.bytes > KEPT_BYTES) {
      this.bytes -= this.kept[dropped]?.frame.length ?? 0;
      dropped += 1;
    }
    this.kept = this.kept.slice(dropped);
  }

  private tellAll(frame: string): void {
    for (const reader of this.readers) reader.take(frame);
  }
}

function frameOf(event: ServeEvent, id: string): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function concerns({ runs }: Pick<Listening, 'runs'>, runId: string | undefined): boolean {
  return runs === undefined || runId === undefined || runs.has(runId);
}

const encoder = new TextEncoder();

/** One stream. What the network does not take waits, up to a limit. */
class Reader {
  readonly stream: ReadableStream<Uint8Array>;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private waiting: string[] = [];
  private bytes = 0;

  constructor(
    readonly listening: Listening,
    private readonly left: () => void,
  ) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.controller = controller),
        pull: () => this.flush(),
        cancel: () => this.leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
    );
  }

  take(frame: string): void {
    if (this.controller === undefined) return;
    this.waiting.push(frame);
    this.bytes += frame.length;
    if ((this.controller.desiredSize ?? 0) > 0) this.flush();
    else if (this.bytes > WAITING_BYTES) this.drop();
  }

  end(): void {
    this.flush();
    this.controller?.close();
    this.leave();
  }

  private flush(): void {
    if (this.waiting.length === 0) return;
    const text = this.waiting.join('');
    this.waiting = [];
    this.bytes = 0;
    // Last: a stream that is being read asks for more before this returns.
    this.controller?.enqueue(encoder.encode(text));
  }

  /** It comes back with the id of the last event that it has read, and is told then what it has missed, or that there is a gap. */
  private drop(): void {
    this.controller?.enqueue(encoder.encode('event: gap\ndata: {"type":"gap"}\n\n'));
    this.controller?.close();
    this.leave();
    this.listening.dropped();
  }

  private leave(): void {
    this.controller = undefined;
    this.waiting = [];
    this.left();
  }
}
