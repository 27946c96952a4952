// A real S3 server for tests: versitygw on a folder, with one bucket, which can be stopped, killed and started again on its port.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa, type Options, type ResultPromise } from 'execa';
import type { BucketSettings } from '../../src/store/open.js';
import { freePort } from './free-port.js';
import { beforeRemoval, folder } from './folder.js';
import { until } from './until.js';
import { versitygwPath } from './versitygw-path.mjs';
import { describeUnless } from './unless.js';

/** The bucket of every server. */
export const BUCKET = 'raymond';

/** Like `describe`, skipped where there is no server: see scripts/versitygw.mjs. */
export const describeOnBucket = describeUnless(noVersitygw());

/** Why there can be no server; undefined when there can. */
export function noVersitygw(): string | undefined {
  const path = versitygwPath();
  return existsSync(path) ? undefined : `there is no ${path}; build it by: node scripts/versitygw.mjs`;
}

/** How a server is started. */
interface BucketServerOptions {
  /** The folder of its buckets; absent = a new one. */
  readonly dir?: string;
  /** What starts it, such as `unshare` with its arguments. */
  readonly before?: readonly string[];
}

/** A server; ended with its test file. */
export class BucketServer {
  private process: ResultPromise | undefined;

  private constructor(
    /** Where its buckets are folders. */
    readonly dir: string,
    private readonly port: number,
    private readonly before: readonly string[],
  ) {
    beforeRemoval(() => this.kill());
  }

  /** One that answers, with an empty bucket. */
  static async start({ dir, before = [] }: BucketServerOptions = {}): Promise<BucketServer> {
    const buckets = dir ?? (await folder());
    const server = new BucketServer(buckets, await freePort(), before);
    await server.start();
    return server;
  }

  /** `http://host:port`. */
  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What its clients find in their environment. */
  get env(): Readonly<Record<string, string>> {
    return { AWS_ACCESS_KEY_ID: 'raymond', AWS_SECRET_ACCESS_KEY: 'not-a-secret' };
  }

  /** A store in the bucket, below a prefix. */
  settings(more: Partial<BucketSettings> = {}): BucketSettings {
    return { address: `s3://${BUCKET}/tests`, endpoint: this.endpoint, cwd: '/', cacheBytes: 1 << 30, ...more };
  }

  /** The same as lines of a config. */
  config(prefix = 'tests'): string {
    return `artifact_store = "s3://${BUCKET}/${prefix}"\ns3_endpoint = "${this.endpoint}"\n`;
  }

  /** Starts it (again) if it does not run; resolves when it answers. */
  async start(): Promise<void> {
    if (this.process !== undefined) return;
    const words = ['--port', `127.0.0.1:${this.port}`, '--quiet', 'posix', this.dir];
    // The bucket is made where the server sees it.
    const making = ['bash', '-c', 'mkdir -p "$0" && exec "$@"', join(this.dir, BUCKET)];
    const [command = '', ...args] = [...this.before, ...making, versitygwPath(), ...words];
    const keys = { ROOT_ACCESS_KEY: this.env['AWS_ACCESS_KEY_ID'], ROOT_SECRET_KEY: this.env['AWS_SECRET_ACCESS_KEY'] };
    this.process = execa(command, args, { env: keys, reject: false, stdio: 'ignore' } as Options);
    await until(
      () =>
        fetch(this.endpoint).then(
          () => true,
          () => false,
        ),
      { what: 'the S3 server', timeoutMs: 20_000 },
    );
  }

  /** Kills it at once. */
  async kill(): Promise<void> {
    this.process?.kill('SIGKILL');
    await this.process;
    this.process = undefined;
  }
}
