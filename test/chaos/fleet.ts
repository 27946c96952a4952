// A fleet on one host: two workers on a Temporal server, each started again when it is killed, as a supervisor would do.
// Must not start runs.
import type { ResultPromise } from 'execa';
import type { Place } from '../support/cli.js';
import { serverOf } from './victims.js';

const WORKERS = 2;
const TASK_QUEUE = 'chaos';

/** Workers that are there until `close`. */
export class Fleet {
  private readonly living = new Set<ResultPromise>();
  private readonly supervising: readonly Promise<void>[];
  private closing = false;

  private constructor(
    private readonly place: Place,
    private readonly address: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.supervising = Array.from({ length: WORKERS }, () => this.supervise());
  }

  /** Starts the server of the place, and workers with this environment. */
  static async at(place: Place, env: Readonly<Record<string, string>>): Promise<Fleet> {
    await place.raymond(['server', 'start']);
    const server = await serverOf(place.cwd);
    if (server === undefined) throw new Error('the server did not start');
    return new Fleet(place, server.address, env);
  }

  /** What a command needs to speak with the fleet's server. */
  get flags(): readonly string[] {
    return ['--address', this.address];
  }

  /** What a command needs to have the fleet serve a run. */
  get servingFlags(): readonly string[] {
    return [...this.flags, '--task-queue', TASK_QUEUE];
  }

  /** One of the workers, another each time. */
  get someone(): number | undefined {
    const [next] = this.living;
    if (next === undefined) return undefined;
    this.living.delete(next);
    this.living.add(next);
    return next.pid;
  }

  /** Ends the workers. */
  async close(): Promise<void> {
    this.closing = true;
    for (const worker of this.living) worker.kill('SIGTERM');
    await Promise.all(this.supervising);
  }

  private async supervise(): Promise<void> {
    while (!this.closing) {
      const worker = this.place.begin(['worker', ...this.servingFlags, '--drain', '2'], { env: this.env, timeout: 0 });
      this.living.add(worker);
      await worker;
      this.living.delete(worker);
    }
  }
}
