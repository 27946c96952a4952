// A fleet as its users have it: a Temporal server as a cluster, a worker in a project of its own with a home of its own, and a desk: another
// project, from which the fleet is operated by its address. Desk and worker share the artifact store, and nothing else but the disk.
import type { ResultPromise } from 'execa';
import { join } from 'node:path';
import { Place, type Called } from './cli.js';
import { folder } from './folder.js';
import type { InProcessOptions } from './in-process.js';
import { withTinyDisk } from './tiny-disk.js';
import { until } from './until.js';

/** The queue of the fleet: not the one that commands take when nobody names one. */
const QUEUE = 'fleet';

/** A host of a fleet: its worker. */
export interface FleetHost {
  readonly process: ResultPromise;
  readonly place: Place;
}

/** A fleet without workers at first; closed by its test file. */
export class Fleet {
  private readonly processes: ResultPromise[] = [];
  private readonly hosts = new Map<string, Place>();
  private worker: ResultPromise | undefined;

  private constructor(
    readonly address: string,
    /** Where the worker lives, and its workflows. */
    readonly workshop: Place,
    /** Where commands are called. */
    readonly desk: Place,
  ) {}

  /** A cluster, and these files in the project of its worker; `env` is laid over the worker's environment, `config` follows the desk's. */
  static async open(
    files: Readonly<Record<string, string>>,
    { env = {}, config = '' }: { readonly env?: Readonly<Record<string, string>>; readonly config?: string } = {},
  ): Promise<Fleet> {
    const cluster = await Place.at();
    const [address] = /127\.0\.0\.1:\d+/.exec((await cluster.raymond(['server', 'start'])).stdout) ?? [];
    if (address === undefined) throw new Error('the server has told no address');
    const workshop = await Place.at(files, { ...env, HOME: await folder() });
    const artifacts = join(workshop.cwd, '.raymond', 'artifacts');
    const desk = await Place.at({
      '.raymond/config.toml': `[raymond]\nartifact_dir = ${JSON.stringify(artifacts)}\n${config}`,
    });
    return new Fleet(address, workshop, desk);
  }

  /** Starts the worker; resolves when it polls. */
  async work(...more: readonly string[]): Promise<void> {
    const words = ['worker', '--address', this.address, '--task-queue', QUEUE, '--drain', '5', ...more];
    const worker = this.workshop.begin(words, { timeout: 0 });
    this.worker = worker;
    this.processes.push(worker);
    await polling(worker);
  }

  /**
   * Starts the worker of another host, or starts it again: a project of its own, which shares the fleet's packages and store; resolves when
   * it polls. For the worker the disk of the folder `full` of its project is full.
   */
  async host(
    name: string,
    env: Readonly<Record<string, string>> = {},
    { full }: { readonly full?: string } = {},
  ): Promise<FleetHost> {
    const artifacts = join(this.workshop.cwd, '.raymond', 'artifacts');
    const config = { '.raymond/config.toml': `[raymond]\nartifact_dir = ${JSON.stringify(artifacts)}\n` };
    const known = this.hosts.get(name);
    const place = known ?? (await Place.at(config, { ...env, HOME: await folder(), ON_HOST: name }));
    this.hosts.set(name, place);
    const words = ['worker', '--address', this.address, '--task-queue', QUEUE, '--host', name, '--drain', '5'];
    const disk = full === undefined ? {} : { before: withTinyDisk({ folder: join(place.cwd, full), size: 'full' }) };
    const worker = place.begin(words, { timeout: 0, ...disk });
    this.processes.push(worker);
    await polling(worker);
    return { process: worker, place };
  }

  /** Stops the worker's process until the returned function is called. */
  freeze(): () => void {
    const { worker } = this;
    worker?.kill('SIGSTOP');
    return () => void worker?.kill('SIGCONT');
  }

  /** Ends the worker. */
  async rest(): Promise<void> {
    this.worker?.kill('SIGTERM');
    await this.worker;
    this.worker = undefined;
  }

  /** Calls a command at the desk. */
  async call(args: readonly string[], options: InProcessOptions = {}): Promise<Called> {
    return await this.desk.raymond([...args, '--address', this.address], options);
  }

  /** The same in a process of its own, which is ended with the fleet. */
  begin(args: readonly string[]): ResultPromise {
    const process = this.desk.begin([...args, '--address', this.address]);
    this.processes.push(process);
    return process;
  }

  /** The words that start a workflow of the workshop under this id. */
  startOf(workflow: string, runId: string): readonly string[] {
    const { cwd } = this.workshop;
    return ['start', join(cwd, workflow), '--id', runId, '--cwd', cwd, '--task-queue', QUEUE];
  }

  /** Starts one and leaves it to the fleet. */
  async start(workflow: string, runId: string, ...more: readonly string[]): Promise<Called> {
    return await this.call([...this.startOf(workflow, runId), '--detach', ...more]);
  }

  /** Waits until the status of a run, as people read it, matches; gives it. */
  async shows(runId: string, text: RegExp, timeoutMs = 20_000): Promise<string> {
    let seen = '';
    const look = async (): Promise<boolean> => text.test((seen = (await this.call(['status', runId])).stdout));
    await until(look, { what: `status ${runId}`, timeoutMs, everyMs: 100 }).catch((error: unknown) => {
      throw new Error(`${String(text)} is not to be seen in: ${seen}`, { cause: error });
    });
    return seen;
  }

  /** Ends all its processes; its server ends with its folder. */
  async close(): Promise<void> {
    for (const process of this.processes.splice(0)) {
      process.kill('SIGKILL');
      await process;
    }
  }
}

async function polling(worker: ResultPromise): Promise<void> {
  let log = '';
  worker.stderr?.on('data', (chunk) => (log += String(chunk)));
  await until(() => log.includes('"polling"'), { what: 'the worker' });
}
