// The way of a sandboxed prompt to its model: a Unix socket, whose requests this relay sends to the API with the
// credential added. The process tree of the turn never holds the credential, and reaches nothing else.
import { createServer, request as overHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as overHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { Denials, listenAt } from './sockets.js';

/** A model's API, as a turn may use it. */
export interface ModelAccess {
  /** The base URL of the API. */
  readonly url: string;
  /** What the relay adds to each request: the credential, and what the user sets for a gateway. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers that a turn may not set itself, in lower case. */
  readonly ownHeaders: readonly string[];
  /** The requests that pass, each a method and a path. */
  readonly allowed: readonly string[];
}

/** A relay that listens. */
export interface Relay {
  /** Closes it; returns what was denied, each a sentence. */
  close(): Promise<readonly string[]>;
}

/** The name of the socket in its folder. */
export const SOCKET = 'model.sock';

const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'upgrade', 'host'];

/** Listens in a folder that only this user may enter. */
export async function startRelay(folder: string, access: ModelAccess): Promise<Relay> {
  const denials = new Denials();
  const server = createServer((request, response) => void forward(access, { request, response, denials }));
  server.on('clientError', (_error, socket) => {
    denials.add('network: a request to the model that is not plain HTTP; remove ANTHROPIC_BASE_URL from the settings');
    socket.destroy();
  });
  const stop = await listenAt(server, { folder, name: SOCKET });
  return {
    close: async () => {
      server.closeAllConnections();
      await stop();
      return denials.all;
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly denials: Denials;
}

async function forward(access: ModelAccess, { request, response, denials }: Exchange): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const path = url.replace(/\?.*$/s, '');
  if (!access.allowed.includes(`${method} ${path}`)) {
    denials.add(`network: ${method} ${path.slice(0, 200)} of the model's API`);
    return refuse(response, { status: 403, why: `${method} ${path} does not pass the sandbox` });
  }
  const target = new URL(`${access.url.replace(/\/+$/, '')}${url}`);
  const send = target.protocol === 'https:' ? overHttps : overHttp;
  const upstream = send(target, { method, headers: headersOf(access, request) });
  response.once('close', () => upstream.destroy());
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Whichever side breaks off, the other one sees it.
    pipeline(answer, response).catch(() => response.destroy());
  });
  upstream.once('error', (error) => refuse(response, { status: 502, why: `the model's API: ${error.message}` }));
  await pipeline(request, upstream).catch(() => undefined);
}

function headersOf({ headers, ownHeaders }: ModelAccess, request: IncomingMessage): Record<string, string | string[]> {
  const given = Object.entries(request.headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !HOP_BY_HOP.includes(entry[0]) && !ownHeaders.includes(entry[0]),
  );
  const all = Object.fromEntries(given);
  for (const [name, value] of Object.entries(headers)) {
    const before = all[name];
    // A list of features, to which the credential adds its own.
    all[name] = name === 'anthropic-beta' && typeof before === 'string' ? `${before},${value}` : value;
  }
  return all;
}

function refuse(response: ServerResponse, { status, why }: { readonly status: number; readonly why: string }): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message: `raymond: ${why}` } }));
}
