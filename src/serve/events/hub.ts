// Distributes events to clients: numbered, kept for a while for clients that reconnect, and never waiting for a reader.
// A client that reads too slowly gets a `gap` event and is disconnected.
import type { ServeEvent } from '../types.js';

/** How much is kept for clients that reconnect. */
const KEPT_EVENTS = 10_000;
const KEPT_BYTES = 8 * 2 ** 20;

/** How much may be queued for one reader. */
const WAITING_BYTES = 2 ** 20;

const COMMENT_MS = 15_000;

interface KeptEvent {
  readonly number: number;
  readonly runId: string | undefined;
  readonly frame: string;
}

/** A reader, and its runs. `runs` absent = all. */
export interface Listening {
  readonly runs?: ReadonlySet<string> | undefined;
  /** The id of the last event that the reader has. */
  readonly lastId?: string | undefined;
  /** The reader is too slow: its queue is dropped. */
  readonly dropped: () => void;
}

/** Distributes events. */
export class EventHub {
  /** Distinguishes ids of another process, which are meaningless here. */
  private readonly epoch = Date.now().toString(36);
  private kept: KeptEvent[] = [];
  private bytes = 0;
  private last = 0;
  private changing = 0;
  private readonly readers = new Set<Reader>();
  private readonly beat = setInterval(() => this.broadcast(': \n\n'), COMMENT_MS).unref();

  /** The number of readers. */
  get listeners(): number {
    return this.readers.size;
  }

  /** The number of events after which an API answer may be outdated. */
  get changes(): number {
    return this.changing;
  }

  /** The runs that readers have named. */
  get named(): ReadonlySet<string> {
    return new Set([...this.readers].flatMap(({ listening: { runs = [] } }) => [...runs]));
  }

  /** Sends an event to every reader that it concerns. */
  publish(event: ServeEvent): void {
    const number = ++this.last;
    if (event.type !== 'said' && event.type !== 'printed') this.changing += 1;
    const runId = 'runId' in event ? event.runId : undefined;
    const frame = frameOf(event, `${this.epoch}-${number}`);
    this.kept.push({ number, runId, frame });
    this.bytes += frame.length;
    if (this.kept.length > 2 * KEPT_EVENTS || this.bytes > 2 * KEPT_BYTES) this.forget();
    for (const reader of this.readers) if (concerns(reader.listening, runId)) reader.push(frame);
  }

  /** A stream of events as bytes, from where the reader stopped. */
  listen(listening: Listening): ReadableStream<Uint8Array> {
    const reader = new Reader(listening, () => this.readers.delete(reader));
    this.readers.add(reader);
    reader.push('retry: 1000\n\n');
    for (const frame of this.missed(listening)) reader.push(frame);
    return reader.stream;
  }

  /** Ends all streams for now: clients with access reconnect without missing an event. */
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

  private broadcast(frame: string): void {
    for (const reader of this.readers) reader.push(frame);
  }
}

function frameOf(event: ServeEvent, id: string): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function concerns({ runs }: Pick<Listening, 'runs'>, runId: string | undefined): boolean {
  return runs === undefined || runId === undefined || runs.has(runId);
}

const encoder = new TextEncoder();

/** One stream. What the network does not accept is queued, up to a limit. */
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

  push(frame: string): void {
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

  /** The client reconnects with the id of its last event, and gets the missed events, or a gap. */
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
