// The health endpoints of a worker for a process supervisor: /healthz (is it alive) and /readyz (does it accept turns).
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { HostPort } from './address.js';

/** The state of a worker: only a ready one accepts turns. */
export type Readiness = 'starting' | 'ready' | 'draining' | 'disconnected';

/** Serves them until it is closed. Rejects with the system's error when the address is in use. */
export async function serveHealth(
  { host, port }: HostPort,
  readiness: () => Readiness,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer(({ url = '' }, response) => {
    const [path] = url.split('?');
    if (path === '/healthz') answer(response, { code: 200, status: 'alive' });
    else if (path === '/readyz') answer(response, { code: readiness() === 'ready' ? 200 : 503, status: readiness() });
    else answer(response, { code: 404, status: 'use /healthz or /readyz' });
  });
  await listening(server, { host, port });
  // A worker with no other work may exit.
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listening(server: Server, { host, port }: HostPort): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function answer(response: ServerResponse, { code, status }: { readonly code: number; readonly status: string }): void {
  response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify({ status })}\n`);
}
