// What a supervisor of processes asks a worker over HTTP: /healthz, whether it lives, and /readyz, whether it takes turns.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { HostPort } from './address.js';

/** How a worker stands to its task queue: only one that is ready takes turns. */
export type Readiness = 'starting' | 'ready' | 'draining' | 'disconnected';

/** Answers there until it is closed. Rejects with the error of the system when somebody else does. */
export async function serveHealth(
  { host, port }: HostPort,
  readiness: () => Readiness,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer(({ url = '' }, response) => {
    const [path] = url.split('?');
    if (path === '/healthz') answer(response, { code: 200, status: 'alive' });
    else if (path === '/readyz') answer(response, { code: readiness() === 'ready' ? 200 : 503, status: readiness() });
    else answer(response, { code: 404, status: 'ask for /healthz or /readyz' });
  });
  await listening(server, { host, port });
  // A worker that has nothing else to do any more is over.
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
