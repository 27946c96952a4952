// A page of metrics as Prometheus reads it: fetched, and asked for figures by name and labels.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { until } from './until.js';

/** One line of a page. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What was served at one moment. */
export class MetricsPage {
  constructor(readonly samples: readonly Sample[]) {}

  /** The sum of the samples of a name whose labels fit; undefined when there are none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const fits = (sample: Sample): boolean =>
      sample.name === name && Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted);
    const found = this.samples.filter(fits);
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** All names of samples. */
  get names(): ReadonlySet<string> {
    return new Set(this.samples.map(({ name }) => name));
  }
}

/** The page at an address; undefined while nobody serves it. */
export async function pageAt(address: string): Promise<MetricsPage | undefined> {
  const response = await fetch(`http://${address}/metrics`).catch(() => undefined); // not there yet
  return response === undefined ? undefined : new MetricsPage(samplesIn(await response.text()));
}

/** Waits for a page that fits. */
export async function pageWhere(address: string, fits: (page: MetricsPage) => boolean): Promise<MetricsPage> {
  return await until(
    async () => {
      const page = await pageAt(address);
      return page !== undefined && fits(page) ? page : undefined;
    },
    { what: 'the metrics', everyMs: 200 },
  );
}

/** An address of this machine at which nobody listens. */
export async function freeAddress(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return `127.0.0.1:${port}`;
}

function samplesIn(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return [
      {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', said = '']) => [label, said])),
        value: Number(value),
      },
    ];
  });
}
