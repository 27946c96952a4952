// Connects to Temporal, and turns its errors (an unknown namespace, a missing permission, a server that is gone) into
// client errors. Loads the SDK, which takes longer than most commands, so it is imported only when a command needs it.
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  QueryRejectedError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { ConnectionOptions, WorkflowClientInterceptor } from '@temporalio/client';
import { IllegalStateError, type DataConverter } from '@temporalio/common';
import type { LogEntry, MetricsExporterConfig, NativeConnection } from '@temporalio/worker';
import { converterOf, type ConverterOptions } from '../codec/converter.js';
import { operator } from '../host/process.js';
import { ClientError, type ClientErrorCode } from './error.js';
import type { ClusterTarget } from './target.js';

const CONNECT_MS = 8000;

/** An open connection to a server. */
export interface ClientLink {
  readonly client: Client;
  readonly namespace: string;
  readonly address: string;
  /** How values are encoded for Temporal; a worker of this link needs the same. */
  readonly dataConverter: DataConverter;
  /** Closes it. */
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
 * Sends the native core's log to `log`, too, until the returned function is called; needed before the first connection
 * of a worker. With `metrics` the core serves its metrics.
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
      // The command line handles Ctrl-C.
      shutdownSignals: [],
    });
  } catch (error) {
    // Another caller in this process has installed it, and still uses it.
    if (!(error instanceof IllegalStateError) || metrics !== undefined) throw error;
  }
  return () => void listeners.delete(log);
}

/** Connects; `values` encodes and decodes values. Throws `Unreachable` naming the address. */
export async function connect(target: ClusterTarget, values: ConverterOptions): Promise<Link> {
  const { NativeConnection } = await import('@temporalio/worker');
  const connection = await connected(target, NativeConnection.connect(target.options));
  return { connection, ...linkOver(connection, { target, values }) };
}

/**
 * Connects to the embedded server for a command that executes no runs: without the native core, which takes as long to
 * load as such a command runs. Only the native core connects to a cluster: it has the system's certificates, and uses
 * no proxy.
 */
export async function connectClient(
  target: ClusterTarget,
  values: ConverterOptions,
  answerMs = ANSWER_MS,
): Promise<ClientLink> {
  const { address } = target;
  const interceptors = [untilDeadline(answerMs)];
  // The embedded server is on this host, whatever proxy the environment names.
  const connecting = Connection.connect({ address, interceptors, channelArgs: { 'grpc.enable_http_proxy': 0 } });
  return linkOver(await connected(target, connecting), { target, values });
}

/** The longest wait for an answer, with all tries, as in the native core; the server holds a long poll for less. */
const ANSWER_MS = 70_000;

/** Tries again as the SDK does, up to a deadline: without one, a call to a server that is stopped would wait forever. */
function untilDeadline(answerMs: number): NonNullable<ConnectionOptions['interceptors']>[number] {
  const tryAgain = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  return ({ deadline = Date.now() + answerMs, ...options }, nextCall) => tryAgain({ ...options, deadline }, nextCall);
}

function linkOver(
  connection: Connection | NativeConnection,
  { target: { namespace, address }, values }: { readonly target: ClusterTarget; readonly values: ConverterOptions },
): ClientLink {
  const dataConverter = converterOf(values);
  const interceptors = { workflow: [NEVER_EMPTY] };
  // Histories record the caller of every request.
  const client = new Client({ connection, namespace, dataConverter, interceptors, identity: operator() });
  return { client, namespace, address, dataConverter, close: () => connection.close() };
}

/** The same connection for another user: what is sent through it is recorded as theirs. */
export function linkAs<L extends ClientLink>(link: L, identity: string): L {
  const { client, namespace, dataConverter } = link;
  const { connection } = client;
  const interceptors = { workflow: [NEVER_EMPTY] };
  return { ...link, client: new Client({ connection, namespace, dataConverter, interceptors, identity }) };
}

/** A signal without a payload cannot be signed (codec/mac.ts). */
const NEVER_EMPTY: WorkflowClientInterceptor = {
  signal: (input, next) => next(input.args.length === 0 ? { ...input, args: [{}] } : input),
};

/** A host that accepts the connection and never answers must not block a command forever. */
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

/** The native layer nests causes in its own text; people understand the innermost one. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return [...text.matchAll(/\b(?:message|error): "([^"]+)"/g)].at(-1)?.[1] ?? text;
}

/** gRPC's status codes, the same in every version of the protocol. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/** What the server finds wrong with a call; undefined for other errors. */
export function invalidArgument(error: unknown): string | undefined {
  return detailsWith(error, INVALID_ARGUMENT);
}

/** Why the server cannot do something yet: a precondition is missing. */
export function refusedForNow(error: unknown): string | undefined {
  return detailsWith(error, NOT_FOUND) ?? detailsWith(error, FAILED_PRECONDITION);
}

/** The server's message for a code; undefined for another code, or none. */
function detailsWith(error: unknown, wanted: number): string | undefined {
  const grpcError = grpcErrorOf(error);
  const code: number | undefined = grpcError?.code;
  return grpcError !== undefined && code === wanted ? detailsOf(grpcError) : undefined;
}

/** The client wraps the connection's errors; calls on the connection itself are not wrapped. */
function grpcErrorOf(error: unknown): (Error & { readonly code: number; readonly details: string }) | undefined {
  return [error, error instanceof ServiceError ? error.cause : undefined].find(isGrpcServiceError);
}

/** True when the server does not know the object of a call on the connection itself. */
export function isNotFound(error: unknown): boolean {
  return detailsWith(error, NOT_FOUND) !== undefined;
}

/** Temporal's error in one sentence; undefined when the error comes from another source. */
export function temporalError(error: unknown): ClientError | undefined {
  const [code, message] = refusalOf(error) ?? [];
  return code === undefined || message === undefined ? undefined : new ClientError(code, message, { cause: error });
}

/** gRPC's codes of a server that does not answer, or not in time, and of its limits. */
const UNANSWERED: ReadonlySet<number> = new Set([4, 14]);
const RESOURCE_EXHAUSTED = 8;

function refusalOf(error: unknown): readonly [ClientErrorCode, string] | undefined {
  if (error instanceof NamespaceNotFoundError)
    return [
      'Unreachable',
      `Temporal has no namespace "${error.namespace}"; create it, or choose another one with --namespace`,
    ];
  // The workflow was there when the command looked: another command, or its own end, came first.
  if (error instanceof WorkflowNotFoundError)
    return [
      'RunClosed',
      `${named(error.workflowId)} has just ended, so nothing was changed; ${seeOf(error.workflowId)}`,
    ];
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return ['RunOpen', `another command has just started ${named(error.workflowId)}; ${seeOf(error.workflowId)}`];
  if (error instanceof QueryNotRegisteredError || error instanceof QueryRejectedError)
    return ['Unreachable', 'a worker of another version of Raymond executes this run; update it, then try again'];
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
    return ['Unreachable', 'no worker accepted the message in time; start one, then try again'];
  const grpcError = grpcErrorOf(error);
  if (grpcError === undefined) return undefined;
  const details = detailsOf(grpcError);
  if (UNANSWERED.has(grpcError.code))
    return ['Unreachable', `Temporal does not answer: ${details}; check that its server is running, then try again`];
  if (grpcError.code === RESOURCE_EXHAUSTED)
    return [
      'Unreachable',
      `Temporal rejected the call, it exceeds a limit of the server: ${details}; wait, or send less, then try again`,
    ];
  const next = 'check that its server is running and that you have access';
  return ['Unreachable', `Temporal rejected the call: ${details}; ${next}`];
}

/** `RUN`, or `RUN/AGENT`, for people. */
function named(workflowId: string): string {
  const [runId, agentId] = workflowId.split('/');
  return agentId === undefined ? `the run ${runId}` : `${agentId} of the run ${runId}`;
}

function seeOf(workflowId: string): string {
  return `see: raymond status ${workflowId.split('/')[0]}`;
}

function detailsOf({ details, message }: { readonly details: string; readonly message: string }): string {
  return details === '' ? message : details;
}
