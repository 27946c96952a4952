// The way of all hosts to a service: a TCP relay that can delay, lose and reset what passes. This kernel can do none of it by itself (`tc netem`).
// What is lost arrives late, as TCP repeats it, and holds up what follows on its connection.
import { createServer, connect, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How rough a way is. */
export interface Roughness {
  /** Milliseconds that every piece takes, at least and at most. */
  readonly delays: readonly [number, number];
  /** The share of pieces that are lost once; a share of those is lost again. */
  readonly loss: number;
  /** The share of pieces with which their connection is reset. */
  readonly resets: number;
}

/** Until TCP repeats a piece for the first time; each further time takes twice as long. */
const REPEAT_MS = 200;
const MOST_REPEATS = 5;

/** A relay; it passes everything on at once until it is told to be rough. */
export class Relay {
  /** Pieces that were lost, and connections that were reset, since the relay began. */
  readonly counts = { lost: 0, resets: 0 };
  private roughness: Roughness | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly random: () => number,
  ) {}

  /** A relay at `listen` to `to`, each `host:port`. */
  static async open(listen: string, to: string, random: () => number = Math.random): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true });
    const relay = new Relay(server, random);
    server.on('connection', (near) => relay.join(near, connect({ ...placeOf(to), allowHalfOpen: true })));
    const { host, port } = placeOf(listen);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return relay;
  }

  /** Makes the way rough, also for connections that exist. */
  roughen(roughness: Roughness): void {
    this.roughness = roughness;
  }

  /** Makes it smooth again. */
  smooth(): void {
    this.roughness = undefined;
  }

  /** Ends all connections and listens no more. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      void this.carry(one, other);
    }
  }

  private async carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        if (this.roughness !== undefined && !(await this.survives(this.roughness))) {
          from.resetAndDestroy();
          to.resetAndDestroy();
          return;
        }
        if (!to.write(piece)) await new Promise((resolve) => to.once('drain', resolve).once('close', resolve));
      }
      to.end();
    } catch {
      to.destroy(); // the other side has gone
    }
  }

  /** Waits as long as a piece takes; false when its connection is reset. */
  private async survives({ delays: [least, most], loss, resets }: Roughness): Promise<boolean> {
    await delay(least + this.random() * (most - least));
    for (let tries = 0; tries < MOST_REPEATS && this.random() < loss; tries += 1) {
      this.counts.lost += 1;
      await delay(REPEAT_MS * 2 ** tries);
    }
    if (this.random() >= resets) return true;
    this.counts.resets += 1;
    return false;
  }
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
