// `transitions.log` of a run: entries appended whole, in their order, with each agent's total as far as the log knows it.
// Must not read the log more than once: only what other workers have appended meanwhile.
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { TotalReader } from './entry.js';

/** Entries that may wait for a disk that does not answer. */
const MAX_WAITING = 1000;

/** The log of one run, as one worker writes it. */
export class TransitionLog {
  private readonly totals = new Map<string, number>();
  private readonly reader = new TotalReader(this.totals);
  private known = 0;
  private waiting = 0;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  /** Counts what an agent spent on a turn that is not recorded. */
  spent(agentId: string, costUsd: number): void {
    this.totals.set(agentId, (this.totals.get(agentId) ?? 0) + costUsd);
  }

  /** Appends an entry behind those that wait. Rejects when it cannot. */
  async add(agentId: string, costUsd: number, entry: (totalUsd: number) => string): Promise<void> {
    if (this.waiting >= MAX_WAITING) throw new Error('the disk does not answer');
    this.waiting += 1;
    const turn = this.last.then(() => this.append(agentId, costUsd, entry));
    this.last = turn.catch(() => undefined).finally(() => (this.waiting -= 1));
    await turn;
  }

  private async append(agentId: string, costUsd: number, entry: (totalUsd: number) => string): Promise<void> {
    const file = await open(this.path, 'a+', 0o600);
    try {
      await this.catchUp(file);
      this.spent(agentId, costUsd);
      const bytes = Buffer.from(entry(this.totals.get(agentId) ?? 0));
      await file.write(bytes);
      this.known += bytes.length;
    } finally {
      await file.close();
    }
  }

  /** Reads what stands in the log from earlier, or from other workers. */
  private async catchUp(file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    if (size <= this.known) return;
    const input = file.createReadStream({ start: this.known, end: size - 1, autoClose: false });
    for await (const line of createInterface({ input, crlfDelay: Infinity })) this.reader.line(line);
    this.known = size;
  }
}
