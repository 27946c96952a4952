// What the relay of a model and the proxy of a network have in common: a Unix socket in the turn's own folder, and a
// bounded list of what they refused.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';

/** One turn cannot open more connections at once. */
const MAX_CONNECTIONS = 64;

/** Listens at a socket; returns what stops that, and resolves when the last connection has closed. */
export async function listenAt(server: Server, { folder, name }: SocketPlace): Promise<() => Promise<void>> {
  server.maxConnections = MAX_CONNECTIONS;
  // The path of a socket may have 107 bytes at most, and that of the folder may be longer.
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(join('/proc/self/fd', String(handle.fd), name), resolve);
  });
  return async () => {
    await new Promise((resolve) => server.close(resolve));
    await handle.close();
  };
}

/** A socket in a folder that only this user may enter. */
interface SocketPlace {
  readonly folder: string;
  readonly name: string;
}

/** One turn cannot fill its record with refusals. */
const MAX_DENIED = 20;

/** What a turn asked for and did not get: each sentence once. */
export class Denials {
  private readonly sentences = new Set<string>();

  /** What a turn wrote must not control a terminal that shows it. */
  add(sentence: string): void {
    if (this.sentences.size < MAX_DENIED) this.sentences.add(sentence.replace(/\p{Cc}/gu, '?'));
  }

  get all(): readonly string[] {
    return [...this.sentences];
  }
}
