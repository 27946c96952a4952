// `raymond serve` as people start it: in a process of its own, at the address that it prints; ended with the test file. What it says is at hand,
// and it may be killed and started again in between.
import type { ResultPromise } from 'execa';
import type { Place } from './cli.js';
import { beforeRemoval } from './folder.js';
import { until } from './until.js';

/** How it is started. */
interface ServedOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that serves. */
export class Served {
  private constructor(
    private process: ResultPromise,
    private readonly start: (port: string) => ResultPromise,
    /** As it was printed: with the token, unless tokens are in a file. */
    readonly address: string,
  ) {}

  /** Serves the project of a place at any free port. */
  static async at(place: Place, { args = [], env = {} }: ServedOptions = {}): Promise<Served> {
    const start = (port: string): ResultPromise =>
      place.begin(['serve', '--port', port, '--drain', '0', ...args], { env, buffer: false, timeout: 0 });
    const process = start('0');
    const served = new Served(process, start, await printedBy(process));
    beforeRemoval(() => served.kill());
    return served;
  }

  /** The address without the token. */
  get origin(): string {
    return new URL(this.address).origin;
  }

  /** Kills it. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.process;
  }

  /** Starts it again at its address. */
  async startAgain(): Promise<void> {
    this.process = this.start(new URL(this.address).port);
    await printedBy(this.process);
  }
}

async function printedBy(process: ResultPromise): Promise<string> {
  let [printed, said] = ['', ''];
  process.stdout?.on('data', (chunk) => (printed += String(chunk)));
  process.stderr?.on('data', (chunk) => (said += String(chunk)));
  const found = (): string | undefined => {
    if (process.exitCode !== null) throw new Error(`raymond serve has ended: ${said}`);
    return /http:\S+\n/.exec(printed)?.[0]?.trim();
  };
  return await until(found, { what: 'the printed address' });
}
