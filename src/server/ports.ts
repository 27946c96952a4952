// The ports of the server. A project keeps its ports, so that workers find a restarted server and
// bookmarks of the UI stay valid; ports in use are replaced by free ones.
import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** The one interface the server listens on. */
export const HOST = '127.0.0.1';

/** The four ports of a server, all on 127.0.0.1. */
export interface Ports {
  readonly grpc: number;
  readonly ui: number;
  readonly http: number;
  readonly metrics: number;
}

// Below the range for outgoing connections, above the ports of well-known services.
const FIRST_PORT = 20_000;
const BLOCKS = 2_500;
const BLOCK = 4;

/** The default ports of a project: always the same for the same folder and choice (0, 1, …). */
export function usualPorts(dir: string, choice = 0): Ports {
  const block = createHash('sha256').update(`${dir}\n${choice}`).digest().readUInt32BE(0) % BLOCKS;
  const grpc = FIRST_PORT + block * BLOCK;
  return { grpc, ui: grpc + 1, http: grpc + 2, metrics: grpc + 3 };
}

/** Four different free ports, chosen by the system. */
export async function anyPorts(): Promise<Ports> {
  const probes: Server[] = [];
  const next = async (): Promise<number> => {
    const probe = await listen(0);
    probes.push(probe); // held until all four are known, so that they differ
    return (probe.address() as AddressInfo).port;
  };
  const ports = { grpc: await next(), ui: await next(), http: await next(), metrics: await next() };
  await Promise.all(probes.map(close));
  return ports;
}

/** Those of the ports on which another program listens now. */
export async function takenPorts(ports: Ports): Promise<readonly number[]> {
  const numbers = Object.values(ports) as number[];
  const free = await Promise.all(numbers.map(isFree));
  return numbers.filter((_, index) => !free[index]);
}

async function isFree(port: number): Promise<boolean> {
  try {
    await close(await listen(port));
    return true;
  } catch {
    return false; // in use, or not ours to use: either way the server cannot have it
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: HOST, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
