// The state of the project's server: whether its process lives, its frontend answers, and its
// database is set up. It asks the frontend's HTTP port, because node:http loads at once and a gRPC
// client takes 0.3 s. An open TCP connection is no answer: the port may belong to another program.
import { request } from 'node:http';
import { exists } from '../host/files.js';
import { isAlive } from '../host/process.js';
import { isUnfinished } from './database.js';
import { jsonOf } from '../protocol/text.js';
import { explainingFolderErrors } from './error.js';
import { HOST } from './ports.js';
import { readRecord, serverFolder, type ServerFolder, type ServerInfo, type ServerRecord } from './record.js';

const QUICK_ANSWER_MS = 1_000;

/**
 * The state of the project's server: `running` answers; `unresponsive` lives without an answer
 * (starting, stopped by a signal, overloaded); `gone` was never stopped, but its process has ended
 * (killed, crashed, a reboot).
 */
export type ServerStatus =
  | { readonly kind: 'running'; readonly server: ServerInfo }
  | { readonly kind: 'unresponsive'; readonly server: ServerInfo }
  | { readonly kind: 'gone'; readonly server: ServerInfo }
  | { readonly kind: 'stopped' };

/** Reads the state of the project's server; starts, stops and writes nothing. */
export async function serverStatus({
  raymondDir,
  answerMs,
}: {
  readonly raymondDir: string;
  /** How long the server may take to answer (default 1 s). */
  readonly answerMs?: number;
}): Promise<ServerStatus> {
  const folder = serverFolder(raymondDir);
  return explainingFolderErrors(folder.dir, async () => {
    const living = await livingServer(folder);
    if (living !== undefined)
      return { kind: (await isReady(living, answerMs)) ? 'running' : 'unresponsive', server: living.info };
    const server = readRecord(folder)?.info;
    return server === undefined ? { kind: 'stopped' } : { kind: 'gone', server };
  });
}

/** The record of a server whose process lives. */
export function livingRecord(folder: ServerFolder): ServerRecord | undefined {
  const record = readRecord(folder);
  return record !== undefined && isAlive(record.info) ? record : undefined;
}

/** The same; a server whose record was removed or damaged is found by its process. */
export async function livingServer(folder: ServerFolder): Promise<ServerRecord | undefined> {
  const record = livingRecord(folder);
  if (record !== undefined || !(await exists(folder.dir))) return record;
  return await (await import('./processes.js')).recordOfProcess(folder);
}

/** True when a living server answers now and its database has been set up. */
export async function isReady({ info, ports }: ServerRecord, answerMs = QUICK_ANSWER_MS): Promise<boolean> {
  return !(await isUnfinished(info.database)) && (await answeringVersion(ports.http, answerMs)) !== undefined;
}

/** The version of the Temporal frontend that answers on this HTTP port, or undefined when none does in time. */
export async function answeringVersion(port: number, timeoutMs: number): Promise<string | undefined> {
  const text = await exchange({ port, path: '/api/v1/system-info', timeoutMs });
  const version = text === undefined ? undefined : (jsonOf(text) as { serverVersion?: unknown } | null)?.serverVersion;
  return typeof version === 'string' ? version : undefined;
}

/** Sets how long closed runs stay visible in the default namespace; false when the server refused. */
export async function setRetention(port: number, days: number): Promise<boolean> {
  const body = JSON.stringify({ config: { workflowExecutionRetentionTtl: `${days * 86_400}s` } });
  return (await exchange({ port, path: '/api/v1/namespaces/default/update', timeoutMs: 5_000, body })) !== undefined;
}

interface Exchange {
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number;
  /** Sent as a POST; without it the request is a GET. */
  readonly body?: string;
}

/** The body of a 200 answer; undefined for any other result, which callers all treat alike. */
function exchange({ port, path, timeoutMs, body }: Exchange): Promise<string | undefined> {
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    // No agent: a kept-alive socket would keep the process running.
    const signal = AbortSignal.timeout(timeoutMs);
    const call = request({ host: HOST, port, path, method, agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(response.statusCode === 200 ? text : undefined));
      response.on('error', () => resolve(undefined));
    });
    call.on('error', () => resolve(undefined));
    call.end(body);
  });
}
