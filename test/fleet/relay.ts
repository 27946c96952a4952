// The way of all hosts to a service: a TCP relay that can delay, lose and reset what passes. This kernel can do none of it by itself (`tc netem`).
// It has a thread of its own: in that of a trial, which calls commands, hosts on a loaded machine would wait for seconds for each answer.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** How rough a way is. */
export interface Roughness {
  /** Milliseconds that every piece takes, at least and at most. */
  readonly delays: readonly [number, number];
  /** The share of pieces that are lost once; a share of those is lost again. */
  readonly loss: number;
  /** The share of pieces with which their connection is reset. */
  readonly resets: number;
}

/** Pieces that were lost, and connections that were reset, since the relay began. */
interface Counts {
  readonly lost: number;
  readonly resets: number;
}

const THREAD = fileURLToPath(new URL('relay-thread.mjs', import.meta.url));

/** A relay; it passes everything on at once until it is told to be rough. */
export class Relay {
  private constructor(
    private readonly thread: Worker,
    private known: Counts,
  ) {
    thread.on('message', (counts: Counts) => (this.known = counts));
  }

  /** A relay at `listen` to `to`, each `host:port`. */
  static async open(listen: string, to: string): Promise<Relay> {
    const thread = new Worker(THREAD, { workerData: { listen: placeOf(listen), to: placeOf(to) } });
    const counts = await new Promise<Counts>((resolve, reject) =>
      thread.once('message', resolve).once('error', reject),
    );
    return new Relay(thread, counts);
  }

  /** What it has done so far. */
  get counts(): Counts {
    return this.known;
  }

  /** Makes the way rough, also for connections that exist. */
  roughen(roughness: Roughness): void {
    this.thread.postMessage({ roughness });
  }

  /** Makes it smooth again. */
  smooth(): void {
    this.thread.postMessage({});
  }

  /** Ends all connections and listens no more. */
  async close(): Promise<void> {
    await this.thread.terminate();
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
