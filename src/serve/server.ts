// `raymond serve` as a whole: runs are served, looked at and told of, and the API answers, until it is closed.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import type { WorkbenchSettings } from '../activities/settings.js';
import type { Link } from '../client/connect.js';
import { ClientError } from '../client/error.js';
import type { Raymond } from '../client/open.js';
import type { RunView } from '../client/look/runs.js';
import { errorCode, makePrivateFolder } from '../host/files.js';
import { acquireLock } from '../host/lock.js';
import { isLoopback, placesOf } from './access.js';
import { createApp } from './app.js';
import { Catalogue } from './catalogue.js';
import { EventHub } from './events/hub.js';
import { LiveOutput } from './events/live-output.js';
import { Observer } from './events/observer.js';
import { readPage } from './page.js';
import { ServedRuns } from './served-runs.js';
import { followTokens, ownToken, readTokens, Tokens } from './tokens.js';
import { Uploads } from './uploads.js';

/** What is served, and where. */
export interface ServeOptions {
  readonly raymond: Raymond & { readonly link: Link };
  readonly settings: WorkbenchSettings;
  readonly host: string;
  /** Absent = the usual one, or the next that is free; 0 = any. */
  readonly port?: number | undefined;
  /** Addresses under which browsers reach it besides its own. */
  readonly origins: readonly string[];
  readonly tokenFile?: string | undefined;
  readonly version: string;
  readonly report: (line: string) => void;
  /** Hears of every change of a run that is served here. */
  readonly onView?: ((view: RunView) => void) | undefined;
}

/** A server that answers. */
export interface OpenServer {
  /** `http://127.0.0.1:8234` */
  readonly origin: string;
  /** The token of this project's user; absent = tokens are in a file. */
  readonly token?: string;
  /** Rejects when runs can be served no more. */
  readonly broken: Promise<never>;
  /** Ends it: turns may go on for so many seconds; what has not ended goes on at the next start. */
  close(seconds: number): Promise<void>;
}

/** The port when nobody says. */
export const USUAL_PORT = 8234;
const PORTS_TRIED = 10;

/** Begins to serve. Throws `InvalidUsage`, `RunServed` when another process serves this project. */
export async function openServer(options: ServeOptions): Promise<OpenServer> {
  const { raymond, host, tokenFile } = options;
  if (!isLoopback(host) && tokenFile === undefined)
    throw new ClientError(
      'InvalidUsage',
      `--host ${host}: others can reach that; give --token-file with a token for each of them, and put TLS in front`,
    );
  const folder = join(raymond.project.raymondDir, 'serve');
  await makePrivateFolder(folder);
  const own = tokenFile === undefined ? await ownToken(folder) : undefined;
  const tokens = new Tokens(own === undefined ? await readTokens(tokenFile ?? '') : [own]);
  const lock = raymond.mode.kind === 'local' ? await claimed(folder) : undefined;
  try {
    const room = await openRoom(options, folder);
    const server = await listening(options, { room, tokens }).catch(async (error: unknown) => {
      await room.close(0);
      throw error;
    });
    const { hub } = room.serving;
    const following = { tokens, report: options.report, changed: () => hub.dismiss() };
    const forget = tokenFile === undefined ? undefined : followTokens(tokenFile, following);
    const close = async (seconds: number): Promise<void> => {
      forget?.();
      try {
        await server.close();
        await room.close(seconds);
      } finally {
        await lock?.release();
      }
    };
    return { origin: server.origin, broken: room.broken, close, ...(own === undefined ? {} : { token: own.token }) };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

async function claimed(folder: string): Promise<{ release(): Promise<void> }> {
  const lock = await acquireLock(join(folder, 'lock'));
  if (lock.kind === 'acquired') return lock;
  throw new ClientError(
    'RunServed',
    `process ${lock.owner.pid} serves this project already; stop it first: kill ${lock.owner.pid}`,
  );
}

interface Room {
  readonly serving: Parameters<typeof createApp>[0]['serving'];
  readonly broken: Promise<never>;
  close(seconds: number): Promise<void>;
}

async function openRoom(
  { raymond: given, settings, version, report, onView }: ServeOptions,
  folder: string,
): Promise<Room> {
  const hub = new EventHub();
  const output = new LiveOutput(hub);
  const progress = output.take;
  const isLocal = given.mode.kind === 'local';
  const served = isLocal ? await ServedRuns.start({ raymond: given, settings, folder, progress, report }) : undefined;
  const raymond: Raymond = { ...given, ...(served === undefined ? {} : { keeper: served }) };
  const observer = new Observer({ raymond, hub, served, progress, onView, report });
  const uploads = new Uploads(join(folder, 'uploads'), raymond.artifacts);
  const serving = { raymond, catalogue: new Catalogue(raymond.project), hub, output, uploads, version };
  const close = async (seconds: number): Promise<void> => {
    await served?.close(seconds);
    await observer.close();
    hub.close();
  };
  return { serving, close, broken: served?.broken ?? new Promise<never>(() => undefined) };
}

async function listening(
  options: ServeOptions,
  { room, tokens }: { readonly room: Room; readonly tokens: Tokens },
): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const { host, origins: named, report } = options;
  const page = await readPage(fileURLToPath(new URL('../page/', import.meta.url)));
  // The names that it answers to have the port in them, which is known when it listens.
  const parts = { app: undefined as ReturnType<typeof createApp> | undefined };
  const server = createAdaptorServer({
    fetch: (request, env) => parts.app?.fetch(request, env) ?? new Response(null, { status: 503 }),
    hostname: host,
  }) as Server;
  server.maxConnections = 1024;
  const port = await bound(server, options);
  const places = placesOf({ host, port, named });
  parts.app = createApp({ serving: room.serving, tokens, places, page, report });
  const close = async (): Promise<void> => {
    room.serving.hub.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 1000).unref();
    await closed;
  };
  return { origin: places.origins[0] ?? '', close };
}

/** Listens; where the usual port is taken, on the next one that is free. Throws `InvalidUsage` for a port that somebody named. */
async function bound(server: Server, { host, port, report }: ServeOptions): Promise<number> {
  const tried = port === undefined ? Array.from({ length: PORTS_TRIED }, (_one, index) => USUAL_PORT + index) : [port];
  for (const one of tried) {
    const code = await listen(server, { host, port: one });
    if (code === undefined) {
      if (port === undefined && one !== USUAL_PORT) report(`port ${USUAL_PORT} is taken; serving at ${one}`);
      return (server.address() as AddressInfo).port;
    }
    if (code !== 'EADDRINUSE')
      throw new ClientError('InvalidUsage', `cannot listen on ${host}:${one}: ${code}; name another --host or --port`);
  }
  const what = tried.length === 1 ? `port ${tried[0]} is taken` : `the ports ${tried[0]} to ${tried.at(-1)} are taken`;
  throw new ClientError('InvalidUsage', `${what}; name another one: --port N, or --port 0 for any`);
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
