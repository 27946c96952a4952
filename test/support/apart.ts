// Hosts that share nothing but a Temporal server and a bucket: each is a project of its own with its own cache, and home, for its worker; on
// one machine, so that what must not be shared is removed by the tests themselves.
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { ResultPromise } from 'execa';
import { Place } from './cli.js';
import { beforeRemoval, folder } from './folder.js';
import { until } from './until.js';
import { BucketServer } from './versitygw.js';

/** Where runs work: a folder that every host has. */
export const EVERYWHERE = tmpdir();

/** The fleet. */
export class Apart {
  private constructor(
    readonly bucket: BucketServer,
    private readonly address: string,
  ) {}

  /** A Temporal server and a bucket, without hosts at first. */
  static async open(): Promise<Apart> {
    const cluster = await Place.at();
    const [address] = /127\.0\.0\.1:\d+/.exec((await cluster.raymond(['server', 'start'])).stdout) ?? [];
    if (address === undefined) throw new Error('the server has told no address');
    return new Apart(await BucketServer.start(), address);
  }

  /** A host with these files. */
  async host(files: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}): Promise<Place> {
    const config = `[raymond]\naddress = "${this.address}"\ntask_queue = "apart"\n${this.bucket.config()}`;
    const own = { ...this.bucket.env, HOME: await folder(), ...env };
    return await Place.at({ '.raymond/config.toml': config, ...files }, own);
  }
}

/** A worker that polls. */
export class HostWorker {
  private constructor(private readonly process: ResultPromise) {
    beforeRemoval(() => this.end('SIGKILL'));
  }

  /** Starts the worker of a host; resolves when it polls. */
  static async on(host: Place): Promise<HostWorker> {
    const process = host.begin(['worker', '--host', basename(host.cwd), '--drain', '5'], { timeout: 0 });
    const worker = new HostWorker(process);
    let log = '';
    process.stderr?.on('data', (chunk) => (log += String(chunk)));
    await until(() => log.includes('"polling"'), { what: 'the worker' });
    return worker;
  }

  /** Ends it; resolves when it has gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.process.kill(signal);
    await this.process;
  }
}

/** Waits until what a command prints at a host matches; gives it. */
export async function shows(host: Place, command: readonly string[], text: RegExp): Promise<string> {
  let seen = '';
  const look = async (): Promise<boolean> => {
    const { stdout, stderr } = await host.raymond(command);
    return text.test((seen = `${stdout}\n${stderr}`));
  };
  await until(look, { what: command.join(' '), timeoutMs: 20_000, everyMs: 100 }).catch((error: unknown) => {
    throw new Error(`${String(text)} is not to be seen in: ${seen}`, { cause: error });
  });
  return seen;
}
