// What the hosts of a fleet have in common, each on a machine of its own: the Temporal server, the bucket, and the repository that agents clone.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { execa, type ResultPromise } from 'execa';
import { parse } from 'yaml';
import { serverArguments } from '../../dist/server/flags.js';
import { findCli } from '../../dist/server/find.js';
import type { Rule } from '../support/modelApiRules.mjs';
import { until } from '../support/until.js';
import { versitygwPath } from '../support/versitygw-path.mjs';
import type { Link } from './lan.js';

/** A program that can be killed and started again, on the same data. */
export class Service {
  private process: ResultPromise | undefined;

  constructor(
    readonly link: Link,
    private readonly words: readonly string[],
    private readonly options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly answers: () => Promise<boolean>;
    },
  ) {}

  async start(): Promise<void> {
    if (this.process !== undefined) return;
    const { env = {}, answers } = this.options;
    this.process = this.link.begin(this.words, { env, stdio: 'ignore' });
    await until(answers, { what: this.words.join(' '), timeoutMs: 60_000, everyMs: 100 });
  }

  async kill(): Promise<void> {
    this.process?.kill('SIGKILL');
    await this.process;
    this.process = undefined;
  }
}

/** `host:port` of a server on this machine. */
export const temporalAt = ({ address }: Link): string => `${address}:7233`;

/** A Temporal server whose data outlive it. */
export async function temporalOn(link: Link, folder: string): Promise<Service> {
  const { path } = await findCli({ report: () => undefined });
  const ports = { grpc: 7233, ui: 8233, http: 7243, metrics: 7244 };
  const words = [...serverArguments({ ports, database: join(folder, 'temporal.db') }), ...(await asOnClusters())];
  // With the address of the network it refuses every start.
  const open = words.map((word, index) => (words[index - 1] === '--ip' ? '0.0.0.0' : word));
  const answers = async (): Promise<boolean> => {
    try {
      const connection = await Connection.connect({ address: temporalAt(link), connectTimeout: 1000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      return true;
    } catch {
      return false;
    }
  };
  return new Service(link, [path, ...open], { answers });
}

/** The dynamic configuration that clusters are told to have. */
async function asOnClusters(): Promise<readonly string[]> {
  const settings = parse(await readFile(DYNAMIC_CONFIG, 'utf8')) as Readonly<
    Record<string, readonly [{ value: unknown }]>
  >;
  return Object.entries(settings).flatMap(([key, [{ value }]]) => [
    '--dynamic-config-value',
    `${key}=${JSON.stringify(value)}`,
  ]);
}

const DYNAMIC_CONFIG = fileURLToPath(new URL('../../docker/temporal/dynamicconfig.yaml', import.meta.url));

/** The keys of the bucket, as clients find them in their environment. */
export const KEYS = { AWS_ACCESS_KEY_ID: 'raymond', AWS_SECRET_ACCESS_KEY: 'not-a-secret' };

/** `host:port` of the bucket. */
export const bucketAt = ({ address }: Link): string => `${address}:7070`;

/** What a config says of the bucket that is found at `host:port`. */
export const bucketConfig = (at: string): { readonly address: string; readonly endpoint: string } => ({
  address: 's3://raymond/fleet',
  endpoint: `http://${at}`,
});

/** An S3 server with the bucket `raymond`. */
export async function bucketOn(link: Link, folder: string): Promise<Service> {
  const dir = join(folder, 'buckets');
  await mkdir(join(dir, 'raymond'), { recursive: true });
  const words = [versitygwPath(), '--port', `${link.address}:7070`, '--quiet', 'posix', dir];
  const answers = (): Promise<boolean> =>
    fetch(`http://${link.address}:7070`).then(
      () => true,
      () => false,
    );
  const env = { ROOT_ACCESS_KEY: KEYS.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: KEYS.AWS_SECRET_ACCESS_KEY };
  return new Service(link, words, { env, answers });
}

/** A model that answers by these rules, for the real Claude Code; what it was asked stands in the file `log`, a line for each request. */
export async function modelOn(link: Link, folder: string, rules: readonly Rule[]): Promise<Model> {
  const [path, log] = [join(folder, 'rules.json'), join(folder, 'requests.jsonl')];
  await writeFile(path, JSON.stringify(rules));
  const url = `http://${link.address}:${MODEL_PORT}`;
  const words = ['--rules', path, '--log', log, '--port', String(MODEL_PORT), '--host', link.address];
  const answers = async (): Promise<boolean> =>
    await fetch(url).then(
      () => true,
      () => false,
    );
  const service = new Service(link, [process.execPath, MODEL, ...words], { answers });
  return { service, url, log };
}

/** A model on a machine of its own. */
export interface Model {
  readonly service: Service;
  readonly url: string;
  readonly log: string;
}

const MODEL_PORT = 8080;
const MODEL = fileURLToPath(new URL('../support/modelApiMain.mjs', import.meta.url));

/** A repository that agents clone, and push to. */
export class Origin {
  private constructor(
    readonly url: string,
    private readonly dir: string,
    readonly service: Service,
  ) {}

  /** With one commit on `main`. */
  static async on(link: Link, folder: string): Promise<Origin> {
    const [dir, clone] = [join(folder, 'repository.git'), join(folder, 'clone')];
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    await execa('git', ['init', '--quiet', '--bare', '-b', 'main', dir]);
    await execa('git', ['clone', '--quiet', dir, clone], { stderr: 'ignore' });
    await execa('git', [...author, 'commit', '--quiet', '--allow-empty', '-m', 'first'], { cwd: clone });
    await execa('git', ['push', '--quiet', 'origin', 'HEAD:main'], { cwd: clone });
    const url = `git://${link.address}/repository.git`;
    const flags = ['--reuseaddr', '--export-all', '--enable=receive-pack', `--base-path=${folder}`];
    const answers = async (): Promise<boolean> =>
      (await execa('git', ['ls-remote', url], { reject: false })).exitCode === 0;
    // Not by `git daemon`, which is another process: who kills that leaves the server behind.
    const { stdout: programs } = await execa('git', ['--exec-path']);
    const service = new Service(link, [join(programs, 'git-daemon'), ...flags, folder], { answers });
    return new Origin(url, dir, service);
  }

  /** The files of all branches that begin like this, each by its branch and name: mode and id. */
  async trees(prefix: string): Promise<Readonly<Record<string, string>>> {
    const inside = { cwd: this.dir };
    const named = ['for-each-ref', '--format=%(refname:short)', `refs/heads/${prefix}*`];
    const branches = (await execa('git', named, inside)).stdout.split('\n').filter((line) => line !== '');
    const trees = await Promise.all(
      branches.map(async (branch) => {
        const { stdout } = await execa('git', ['ls-tree', '-r', branch], inside);
        return stdout.split('\n').map((line) => {
          const [id = '', name = ''] = line.split('\t');
          return [`${branch.slice(prefix.length)}:${name}`, id] as const;
        });
      }),
    );
    return Object.fromEntries(trees.flat());
  }
}
