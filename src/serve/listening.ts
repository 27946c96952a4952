// Where the API and the page answer: tokens, the port, and the HTTP server until it is closed.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { ClientError } from '../client/error.js';
import { errorCode } from '../host/files.js';
import { isLoopback, placesOf } from './people/access.js';
import { createApp } from './app.js';
import type { Serving } from './handlers.js';
import { readPage } from './page.js';
import { followTokens, ownToken, readTokens, Tokens } from './people/tokens.js';

/** Where to listen, and who may call. */
export interface Listening {
  readonly host: string;
  /** Absent = the usual one, or the next that is free; 0 = any. */
  readonly port?: number | undefined;
  /** Addresses under which browsers reach it besides its own. */
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

/** What it answers from; `folder` keeps the token of the project's user. */
interface ListeningParts {
  readonly folder: string;
  readonly serving: Serving;
  readonly limits?: TimeLimits;
}

/** The port when nobody says. */
export const USUAL_PORT = 8234;
const PORTS_TRIED = 10;

/** How long a client may take, in milliseconds: for the headers, for a JSON body, for a whole request with its file; and how often that is looked at. */
export interface TimeLimits {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly requestMs: number;
  readonly lookEveryMs: number;
}

const TIME_LIMITS: TimeLimits = { headersMs: 10_000, bodyMs: 20_000, requestMs: 300_000, lookEveryMs: 5000 };

const MOST_CONNECTIONS = 1024;

/** Begins to answer. Throws `InvalidUsage`. */
export async function listening(
  options: Listening,
  { folder, serving, limits = TIME_LIMITS }: ListeningParts,
): Promise<OpenServer> {
  const { host, origins: named, tokenFile, report } = options;
  if (!isLoopback(host) && tokenFile === undefined)
    throw new ClientError(
      'InvalidUsage',
      `--host ${host}: others can reach that; give --token-file with a token for each of them, and put TLS in front`,
    );
  const own = tokenFile === undefined ? await ownToken(folder) : undefined;
  const tokens = new Tokens(own === undefined ? await readTokens(tokenFile ?? '') : [own]);
  const page = await readPage(fileURLToPath(new URL('../page/', import.meta.url)));
  // The names that it answers to have the port in them, which is known when it listens.
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
  server.maxConnections = MOST_CONNECTIONS;
  const port = await bound(server, options);
  const places = placesOf({ host, port, named });
  parts.app = createApp({ serving, tokens, places, page, report, bodyMs: limits.bodyMs });
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
  return { origin: places.origins[0] ?? '', close, ...(own === undefined ? {} : { token: own.token }) };
}

/** Listens; where the usual port is taken, on the next one that is free. Throws `InvalidUsage` for a port that somebody named. */
async function bound(server: Server, { host, port, report }: Listening): Promise<number> {
  const usual = Array.from({ length: PORTS_TRIED }, (_one, index) => USUAL_PORT + index);
  // Nobody is told where the page of an engine is before it is asked for: then any port will do.
  for (const one of port === undefined ? [...usual, 0] : [port]) {
    const code = await listen(server, { host, port: one });
    if (code === undefined) {
      const at = (server.address() as AddressInfo).port;
      if (port === undefined && one !== USUAL_PORT) report(`port ${USUAL_PORT} is taken; serving at ${at}`);
      return at;
    }
    if (code !== 'EADDRINUSE')
      throw new ClientError('InvalidUsage', `cannot listen on ${host}:${one}: ${code}; name another --host or --port`);
  }
  throw new ClientError('InvalidUsage', `port ${port ?? ''} is taken; name another one: --port N, or --port 0 for any`);
}

/** Gives the code of what keeps it from that. */
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
