// The way of all hosts to a service: a TCP relay that can delay, lose and reset what passes. This kernel can do none of it by itself (`tc netem`).
// It has a process of its own: in that of a trial, which calls commands, hosts on a loaded machine would wait for seconds for each answer.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

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

const PROGRAM = fileURLToPath(new URL('relay-process.mjs', import.meta.url));

/** A relay; it passes everything on at once until it is told to be rough. */
export class Relay {
  private constructor(
    private readonly program: ChildProcess,
    private known: Counts,
  ) {
    program.on('message', (counts) => (this.known = counts as Counts));
  }

  /** A relay at `listen` to `to`, each `host:port`. */
  static async open(listen: string, to: string): Promise<Relay> {
    const program = fork(
      PROGRAM,
      [placeOf(listen), placeOf(to)].map((place) => JSON.stringify(place)),
    );
    const counts = await new Promise<Counts>((resolve, reject) => {
      program.once('message', (first) => resolve(first as Counts)).once('error', reject);
      program.once('exit', (code) => reject(new Error(`the relay ended with exit code ${code}`)));
    });
    return new Relay(program, counts);
  }

  /** What it has done so far. */
  get counts(): Counts {
    return this.known;
  }

  /** Makes the way rough, also for connections that exist. */
  roughen(roughness: Roughness): void {
    this.program.send({ roughness });
  }

  /** Makes it smooth again. */
  smooth(): void {
    this.program.send({});
  }

  /** Ends all connections and listens no more. */
  async close(): Promise<void> {
    const ended = once(this.program, 'exit');
    this.program.kill('SIGKILL');
    await ended;
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
