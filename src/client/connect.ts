// Connecting to Temporal, and what Temporal itself says no to (an unknown namespace, a missing right, a server that went away), as an error
// to branch on. Loads the SDK, which takes longer than most commands: imported when a command is sure to need it.
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, NamespaceNotFoundError, ServiceError, isGrpcServiceError } from '@temporalio/client';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { IllegalStateError, type DataConverter } from '@temporalio/common';
import type { LogEntry, MetricsExporterConfig, NativeConnection } from '@temporalio/worker';
import { converterOf, type ConverterOptions } from '../codec/converter.js';
import { operator } from '../host/process.js';
import { ClientError } from './error.js';
import type { ClusterTarget } from './target.js';

const CONNECT_MS = 8000;

/** An open way to a server. */
export interface ClientLink {
  readonly client: Client;
  readonly namespace: string;
  readonly address: string;
  /** How values go to Temporal and come back; a worker of this link needs the same. */
  readonly dataConverter: DataConverter;
  /** Ends it. */
  close(): Promise<void>;
}

/** One on which a worker can poll, too. */
export interface Link extends ClientLink {
  readonly connection: NativeConnection;
}

type LogListener = (entry: LogEntry) => void;

/** The SDK has one runtime and one log for the whole process. */
const listeners = new Set<LogListener>();

/**
 * Routes the native core's log to `log`, too, until the returned function is called; needed before the first connection of a worker. With
 * `metrics` the core serves its figures.
 */
export async function installRuntime(log: LogListener, metrics?: MetricsExporterConfig): Promise<() => void> {
  const { DefaultLogger, makeTelemetryFilterString, Runtime } = await import('@temporalio/worker');
  listeners.add(log);
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN', (entry) => listeners.forEach((listen) => listen(entry))),
      telemetryOptions: {
        logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR' }) },
        ...(metrics === undefined ? {} : { metrics }),
      },
      // The command line decides what Ctrl-C means.
      shutdownSignals: [],
    });
  } catch (error) {
    // Somebody else in this process has installed it, and uses it still.
    if (!(error instanceof IllegalStateError) || metrics !== undefined) throw error;
  }
  return () => void listeners.delete(log);
}

/** Connects; values are sent and read as `values` says. Throws `Unreachable` naming the address. */
export async function connect(target: ClusterTarget, values: ConverterOptions): Promise<Link> {
  const { NativeConnection } = await import('@temporalio/worker');
  const connection = await connected(target, NativeConnection.connect(target.options));
  return { connection, ...linkOver(connection, { target, values }) };
}

/**
 * Connects to the embedded server for a command that serves nothing: without the native core, which takes as long to load as such a command
 * has to do. To a cluster only the native core connects: it has the certificates of the system, and knows no proxy.
 */
export async function connectClient(target: ClusterTarget, values: ConverterOptions): Promise<ClientLink> {
  const { address } = target;
  // The embedded server is on this host, whatever proxy the environment names.
  const connecting = Connection.connect({ address, channelArgs: { 'grpc.enable_http_proxy': 0 } });
  return linkOver(await connected(target, connecting), { target, values });
}

function linkOver(
  connection: Connection | NativeConnection,
  { target: { namespace, address }, values }: { readonly target: ClusterTarget; readonly values: ConverterOptions },
): ClientLink {
  const dataConverter = converterOf(values);
  const interceptors = { workflow: [NEVER_EMPTY] };
  // Histories keep with every request who made it.
  const client = new Client({ connection, namespace, dataConverter, interceptors, identity: operator() });
  return { client, namespace, address, dataConverter, close: () => connection.close() };
}

/** The same connection for somebody else: what is asked by it is recorded as theirs. */
export function linkAs<L extends ClientLink>(link: L, identity: string): L {
  const { client, namespace, dataConverter } = link;
  const { connection } = client;
  const interceptors = { workflow: [NEVER_EMPTY] };
  return { ...link, client: new Client({ connection, namespace, dataConverter, interceptors, identity }) };
}

/** A signal without a payload could carry no mark (codec/mac.ts). */
const NEVER_EMPTY: WorkflowClientInterceptor = {
  signal: (input, next) => next(input.args.length === 0 ? { ...input, args: [{}] } : input),
};

/** A host that takes the connection and never answers must not hold a command for ever. */
async function connected<T>({ address }: ClusterTarget, connecting: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = delay(CONNECT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no answer within ${CONNECT_MS / 1000} seconds`);
  });
  try {
    return await Promise.race([connecting, late]);
  } catch (error) {
    const next = 'check the address, or leave --address out to use the embedded server';
    const message = `Temporal cannot be reached at ${address}: ${reasonOf(error)}; ${next}`;
    throw new ClientError('Unreachable', message, { cause: error });
  } finally {
    timer.abort();
  }
}

/** The native layer nests causes in a text of its own; the innermost one is what people understand. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return [...text.matchAll(/\b(?:message|error): "([^"]+)"/g)].at(-1)?.[1] ?? text;
}

/** gRPC's codes for them, numbers of every version of that protocol. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/** What the server finds wrong with a call; undefined when that is not what an error is about. */
export function invalidArgument(error: unknown): string | undefined {
  return saidWith(error, INVALID_ARGUMENT);
}

/** Why the server does not do now what it may do later: something is not there yet, or not as it must be. */
export function refusedForNow(error: unknown): string | undefined {
  return saidWith(error, NOT_FOUND) ?? saidWith(error, FAILED_PRECONDITION);
}

/** What the server says with a code; undefined when it said something else, or nothing. */
function saidWith(error: unknown, wanted: number): string | undefined {
  const told = toldBy(error);
  const code: number | undefined = told?.code;
  return told !== undefined && code === wanted ? saidBy(told) : undefined;
}

/** The client wraps what the connection throws; calls on the connection itself are not wrapped. */
function toldBy(error: unknown): (Error & { readonly code: number; readonly details: string }) | undefined {
  return [error, error instanceof ServiceError ? error.cause : undefined].find(isGrpcServiceError);
}

/** True when the server knows nothing of what a call on the connection itself was about. */
export function isNotFound(error: unknown): boolean {
  return saidWith(error, NOT_FOUND) !== undefined;
}

/** Temporal's refusal in one sentence; undefined when the error comes from elsewhere. */
export function temporalError(error: unknown): ClientError | undefined {
  if (error instanceof NamespaceNotFoundError) {
    const message = `Temporal has no namespace "${error.namespace}"; create it, or name another one by --namespace`;
    return new ClientError('Unreachable', message, { cause: error });
  }
  const told = toldBy(error);
  if (told === undefined) return undefined;
  const said = saidBy(told);
  return new ClientError(
    'Unreachable',
    `Temporal refused the call: ${said}; see that its server is up and lets you in`,
    {
      cause: error,
    },
  );
}

function saidBy({ details, message }: { readonly details: string; readonly message: string }): string {
  return details === '' ? message : details;
}
