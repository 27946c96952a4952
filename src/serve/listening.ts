// Where the API and the page listen: tokens, the port, and the HTTP server until it is closed.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { ClientError } from '../client/error.js';
import { errorCode } from '../host/files.js';
import { isLoopback, allowedOrigins } from './people/access.js';
import { createApp } from './app.js';
import type { Serving } from './handlers.js';
import { readPage } from './page.js';
import { followTokens, ownToken, readTokens, Tokens } from './people/tokens.js';

/** The address, and the allowed users. */
export interface Listening {
  readonly host: string;
  /** Absent = the usual one, or the next free one; 0 = any free one. */
  readonly port?: number | undefined;
  /** Its public addresses for browsers, besides its own. */
  readonly origins: readonly string[];
  readonly tokenFile?: string | undefined;
  readonly report: (line: string) => void;
}

/** A server that answers. */
export interface OpenServer {
  /** `http://127.0.0.1:8234` */
  readonly origin: string;
  /** Absent = tokens are in a file. */
  readonly token?: string;
  close(): Promise<void>;
}

/** The application; `folder` contains the token of the project's user. */
interface ListeningParts {
  readonly folder: string;
  readonly serving: Serving;
  readonly limits?: Limits;
}

/** The default port. */
const USUAL_PORT = 8234;
const PORTS_TRIED = 10;

/**
 * How long a client may take, in milliseconds: for the headers, for a JSON body, for a whole request with its file; how
 * often that is checked; and how many connections there may be.
 */
interface Limits {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly requestMs: number;
  readonly lookEveryMs: number;
  readonly connections: number;
}

/**
 * How long a connection stays open between two requests. With Node's 5 seconds, a client's next request and the end of its
 * connection often cross on a busy host.
 */
const KEEP_ALIVE_MS = 65_000;

const LIMITS: Limits = {
  headersMs: 10_000,
  bodyMs: 20_000,
  requestMs: 300_000,
  lookEveryMs: 5000,
  connections: 1024,
};

/** Starts listening. Throws `InvalidUsage`. */
export async function listening(
  options: Listening,
  { folder, serving, limits = LIMITS }: ListeningParts,
): Promise<OpenServer> {
  const { host, origins: named, tokenFile, report } = options;
  if (!isLoopback(host) && tokenFile === undefined)
    throw new ClientError(
      'InvalidUsage',
      `--host ${host}: other hosts can reach it; give --token-file with a token for each user, and use a TLS proxy`,
    );
  const own = tokenFile === undefined ? await ownToken(folder) : undefined;
  const tokens = new Tokens(own === undefined ? await readTokens(tokenFile ?? '') : [own], serving.links);
  const page = await readPage(fileURLToPath(new URL('../page/', import.meta.url)));
  // The accepted host names contain the port, which is known only when it listens.
  const parts = { app: undefined as ReturnType<typeof createApp> | undefined };
  const server = createAdaptorServer({
    fetch: (request, env) => parts.app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    hostname: host,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.lookEveryMs,
    },
  }) as Server;
  server.maxConnections = limits.connections;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const port = await bound(server, options);
  const allowed = allowedOrigins({ host, port, named });
  parts.app = createApp({ serving, tokens, origins: allowed, page, report, bodyMs: limits.bodyMs });
  const changed = (): void => serving.hub.dismiss();
  const forget = tokenFile === undefined ? undefined : followTokens(tokenFile, { tokens, report, changed });
  const close = async (): Promise<void> => {
    forget?.();
    serving.hub.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 1000).unref();
    await closed;
  };
  return { origin: allowed.origins[0] ?? '', close, ...(own === undefined ? {} : { token: own.token }) };
}

/** Listens; when the usual port is taken, on the next free one. Throws `InvalidUsage` for a port that the user gave. */
async function bound(server: Server, { host, port, report }: Listening): Promise<number> {
  const usual = Array.from({ length: PORTS_TRIED }, (_one, index) => USUAL_PORT + index);
  // The address of an engine's page is read from its record: any port will do.
  for (const one of port === undefined ? [...usual, 0] : [port]) {
    const code = await listen(server, { host, port: one });
    if (code === undefined) {
      const at = (server.address() as AddressInfo).port;
      if (port === undefined && one !== USUAL_PORT) report(`port ${USUAL_PORT} is taken; serving at ${at}`);
      return at;
    }
    if (code !== 'EADDRINUSE')
      throw new ClientError(
        'InvalidUsage',
        `cannot listen on ${host}:${one}: ${code}; choose another --host or --port`,
      );
  }
  throw new ClientError(
    'InvalidUsage',
    `port ${port ?? ''} is taken; choose another one with --port N, or any free one with --port 0`,
  );
}

/** Returns the code of the error, if it cannot listen. */
function listen(server: Server, at: { readonly host: string; readonly port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const refused = (error: Error): void => resolve(errorCode(error) ?? error.message);
    server.once('error', refused);
    server.listen(at, () => {
      server.off('error', refused);
      resolve(undefined);
    });
  });
}
