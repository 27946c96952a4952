// A slow way to a server of a test: a TCP proxy that lets so many bytes a second through to it, and perhaps at some point none any more.
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeRemoval } from './folder.js';

const PIECE = 16 << 10;

/** What the link lets through, towards the server. */
interface LinkOptions {
  readonly bytesPerSecond: number;
  /** Nothing passes after so many bytes. */
  readonly stallAfter?: number;
}

/** A link; closed with its test file. */
export class SlowLink {
  /** Bytes that have passed towards the server. */
  passed = 0;
  private mostBytes: number;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly options: LinkOptions,
  ) {
    this.mostBytes = options.stallAfter ?? Infinity;
    beforeRemoval(() => this.close());
  }

  /** A link to `http://host:port`. */
  static async to(endpoint: string, options: LinkOptions): Promise<SlowLink> {
    const { hostname, port } = new URL(endpoint);
    const server = createServer({ allowHalfOpen: true });
    const link = new SlowLink(server, options);
    server.on('connection', (near) => {
      const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        link.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
      far.pipe(near);
      void link.carry(near, far);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  /** Where clients connect. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Nothing passes from now on, and no connection ends. */
  stall(): void {
    this.mostBytes = 0;
  }

  private async carry(near: Socket, far: Socket): Promise<void> {
    const { bytesPerSecond } = this.options;
    try {
      for await (const chunk of near as AsyncIterable<Buffer>)
        for (let at = 0; at < chunk.length; at += PIECE) {
          const piece = chunk.subarray(at, at + PIECE);
          if (this.passed >= this.mostBytes) await new Promise(() => undefined);
          await delay((piece.length / bytesPerSecond) * 1000);
          this.passed += piece.length;
          far.write(piece);
        }
      far.end();
    } catch {
      far.destroy(); // the client has gone
    }
  }

  private async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
