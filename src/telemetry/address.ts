// Where to serve metrics, as HOST:PORT, and the SDK's settings for it. Pure and light, because every command line loads
// it.
import type { MetricsExporterConfig } from '@temporalio/worker';

/** A host and a port of this machine. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** The form of the text. */
export const HOST_PORT = 'expected HOST:PORT such as 127.0.0.1:9464 or [::1]:9464';

/** The host and the port in a text; undefined for other text. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** The same as one text again. */
export function hostPortText({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Upper bounds of the buckets: a script takes milliseconds, a prompt up to hours; a turn costs cents to dollars. */
const BUCKETS = {
  raymond_turn_seconds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400],
  raymond_turn_dollars: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

/** The SDK's settings for serving all metrics at an address, an IP and a port. */
export function metricsExporter(bindAddress: string): MetricsExporterConfig {
  return { attachServiceName: false, prometheus: { bindAddress, histogramBucketOverrides: BUCKETS } };
}
