// The telemetry settings of a command that executes runs: flags over config, checked before anything starts.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { ClientError } from '../client/error.js';
import { errorCode } from '../host/files.js';
import type { Project } from '../client/project/project.js';
import { hostPortText, parseHostPort, type HostPort } from '../telemetry/address.js';
import type { TelemetryOptions } from '../telemetry/observe.js';
import type { TraceOptions } from '../telemetry/traces.js';
import type { ConnectionFlags, TelemetryFlags } from './flags.js';
import type { Io } from './io.js';

/** The requested telemetry. */
export interface Telemetry {
  /** The IP and the port where this process serves its metrics. */
  readonly metrics?: string;
  readonly traces?: TraceOptions['protocol'];
}

interface Asking {
  readonly io: Io;
  readonly flags: ConnectionFlags & TelemetryFlags;
  readonly report: (line: string) => void;
}

/** The settings from flags and config, where this process executes runs. Throws `InvalidUsage`, `Unreachable`. */
export async function telemetryOf(project: Project, { io, flags, report }: Asking): Promise<Telemetry> {
  const { config } = project;
  const traces = tracesOf(flags.traces ?? config.traces, io.env);
  if (flags.metrics !== undefined) return { ...traces, metrics: await freeAddress(flags.metrics) };
  if (config.metrics === undefined) return traces;
  try {
    return { ...traces, metrics: await freeAddress(config.metrics) };
  } catch (error) {
    // Another project's engine may use the address.
    if (!(error instanceof ClientError && error.code === 'Unreachable')) throw error;
    report(`metrics are not served: ${error.message}`);
    return traces;
  }
}

/** Throws `InvalidUsage` for telemetry flags where another process executes the turns. */
export function refuseTelemetry(flags: TelemetryFlags): void {
  const [word] = telemetryWords(flags);
  if (word === undefined) return;
  const message = `another process executes the turns: give ${word} to "raymond fleet worker" or "raymond serve", set it in the config, or add --foreground`;
  throw new ClientError('InvalidUsage', message);
}

/** The same for a worker. Throws `InvalidUsage`, `Unreachable`. */
export async function workerTelemetry(
  { config }: Project,
  { io, flags }: Pick<Asking, 'io' | 'flags'>,
): Promise<Telemetry> {
  const address = flags.metrics ?? config.metrics;
  const traces = tracesOf(flags.traces ?? config.traces, io.env);
  return address === undefined ? traces : { ...traces, metrics: await freeAddress(address) };
}

/** The flags as they were written. */
function telemetryWords({ metrics, traces }: TelemetryFlags): readonly string[] {
  return [...(metrics === undefined ? [] : ['--metrics', metrics]), ...(traces === true ? ['--traces'] : [])];
}

function tracesOf(enabled: boolean | undefined, env: Io['env']): Pick<Telemetry, 'traces'> {
  return enabled === true && env['OTEL_SDK_DISABLED'] !== 'true' ? { traces: protocolOf(env) } : {};
}

/** The same for the worker that this process starts; `report` receives errors. */
export function servedTelemetry({ metrics, traces }: Telemetry, report: (line: string) => void): TelemetryOptions {
  return {
    metrics: metrics !== undefined,
    ...(traces === undefined ? {} : { traces: { protocol: traces, report } }),
  };
}

/** By OpenTelemetry's specification an empty variable counts as not set. */
function protocolOf(env: Io['env']): TraceOptions['protocol'] {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  const name = names.find((one) => (env[one] ?? '') !== '');
  const protocol = name === undefined ? 'http/protobuf' : env[name];
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  throw new ClientError(
    'InvalidUsage',
    `${name} is ${protocol}, but Raymond sends traces by http/protobuf or http/json; set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to one of ` +
      'them, and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to the address of your collector, usually http://HOST:4318/v1/traces',
  );
}

/**
 * The address as an IP and a free port. `what` is served there; it is also the flag's name. Throws `InvalidUsage`,
 * `Unreachable`.
 */
export async function freeHostPort(what: 'metrics' | 'health', text: string): Promise<HostPort> {
  const address = parseHostPort(text);
  if (address === undefined) throw new ClientError('InvalidUsage', `${what}: "${text}" is not an address`);
  const found = await lookup(address.host).catch(() => undefined);
  if (found === undefined) {
    throw new ClientError('InvalidUsage', `${what} cannot be served at ${text}: there is no host ${address.host}`);
  }
  const bound = { host: found.address, port: address.port };
  const code = await whyTaken(bound);
  if (code === undefined) return bound;
  const why = REASONS[code] ?? code;
  throw new ClientError(
    'Unreachable',
    `${what} cannot be served at ${text}: ${why}; choose another address with --${what}`,
  );
}

async function freeAddress(text: string): Promise<string> {
  return hostPortText(await freeHostPort('metrics', text));
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'you may not use this port',
};

/** The system's error for listening there; undefined = none. */
async function whyTaken({ host, port }: HostPort): Promise<string | undefined> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
  await new Promise((resolve) => probe.close(resolve));
  return undefined;
}
