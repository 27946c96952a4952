// What a command that serves runs tells monitoring: flags over config, checked before anything is started.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { ClientError } from '../client/error.js';
import { errorCode } from '../host/files.js';
import type { Project } from '../project.js';
import { hostPortText, parseHostPort, type HostPort } from '../telemetry/address.js';
import type { TelemetryOptions } from '../telemetry/observe.js';
import type { TraceOptions } from '../telemetry/traces.js';
import type { ConnectionFlags, TelemetryFlags } from './flags.js';
import type { Io } from './io.js';

/** What was asked for. */
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

/** What flags and config ask for, where runs are executed by this process. Throws `InvalidUsage`, `Unreachable`. */
export async function telemetryOf(project: Project, { io, flags, report }: Asking): Promise<Telemetry> {
  const { config } = project;
  const traces = tracesOf(flags.traces ?? config.traces, io.env);
  if (flags.metrics !== undefined) return { ...traces, metrics: await freeAddress(flags.metrics) };
  if (config.metrics === undefined) return traces;
  try {
    return { ...traces, metrics: await freeAddress(config.metrics) };
  } catch (error) {
    // The address may be taken by another project's engine.
    if (!(error instanceof ClientError && error.code === 'Unreachable')) throw error;
    report(`there are no metrics: ${error.message}`);
    return traces;
  }
}

/** Throws `InvalidUsage` for flags of telemetry where another process does the turns. */
export function refuseTelemetry(flags: TelemetryFlags): void {
  const [word] = telemetryWords(flags);
  if (word === undefined) return;
  const message = `the turns are done by another process: give ${word} to "raymond fleet worker" or "raymond serve", set it in the config, or add --foreground`;
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

function tracesOf(asked: boolean | undefined, env: Io['env']): Pick<Telemetry, 'traces'> {
  return asked === true && env['OTEL_SDK_DISABLED'] !== 'true' ? { traces: protocolOf(env) } : {};
}

/** The same for the worker that this process starts; `report` hears of trouble. */
export function servedTelemetry({ metrics, traces }: Telemetry, report: (line: string) => void): TelemetryOptions {
  return {
    metrics: metrics !== undefined,
    ...(traces === undefined ? {} : { traces: { protocol: traces, report } }),
  };
}

/** As OpenTelemetry's specification says; an empty variable is one that is not set. */
function protocolOf(env: Io['env']): TraceOptions['protocol'] {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  const name = names.find((one) => (env[one] ?? '') !== '');
  const protocol = name === undefined ? 'http/protobuf' : env[name];
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  throw new ClientError(
    'InvalidUsage',
    `${name} is ${protocol}, but Raymond sends traces by http/protobuf or http/json; set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to one of ` +
      'them, and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to where your collector takes it, mostly http://HOST:4318/v1/traces',
  );
}

/** The address as IP and port, at which nobody listens. `what` is served there, and the name of the flag. Throws `InvalidUsage`, `Unreachable`. */
export async function freeHostPort(what: 'metrics' | 'health', text: string): Promise<HostPort> {
  const asked = parseHostPort(text);
  if (asked === undefined) throw new ClientError('InvalidUsage', `${what}: "${text}" is no address`);
  const found = await lookup(asked.host).catch(() => undefined);
  if (found === undefined) {
    throw new ClientError('InvalidUsage', `${what} cannot be served at ${text}: no host is called ${asked.host}`);
  }
  const bound = { host: found.address, port: asked.port };
  const code = await whyTaken(bound);
  if (code === undefined) return bound;
  const why = REASONS[code] ?? code;
  throw new ClientError(
    'Unreachable',
    `${what} cannot be served at ${text}: ${why}; name another address by --${what}`,
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

/** What the system says when somebody listens there; undefined = nothing. */
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
