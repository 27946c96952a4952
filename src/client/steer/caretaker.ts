// Looks every 30 seconds for runs and agents of a task queue that were ended with Temporal's own tools. The engine and
// each worker have one.
import type { Client } from '@temporalio/client';
import { messageOf } from '../../protocol/text.js';
import { listRuns } from '../look/runs.js';
import { endStrays, MissingAgents } from './ended-outside.js';

const LOOK_EVERY_MS = 30_000;

/** The task queue; `report` receives an error, once while it stays the same. */
interface CaretakerOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly report: (line: string) => void;
}

/** Looks until it is closed. */
export class Caretaker {
  private readonly timer = setInterval(() => this.check(), LOOK_EVERY_MS);
  private readonly missing = new MissingAgents();
  private checking: Promise<void> | undefined;
  private trouble: string | undefined;

  constructor(private readonly options: CaretakerOptions) {
    this.timer.unref();
  }

  /** Stops it. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  private check(): void {
    this.checking ??= this.checkOnce()
      .then(() => (this.trouble = undefined))
      .catch((error: unknown) => this.complain(messageOf(error)))
      .then(() => void (this.checking = undefined));
  }

  private async checkOnce(): Promise<void> {
    const { client, taskQueue } = this.options;
    const all = await listRuns(client, { openOnly: true });
    const runs = all.flatMap((run) => (run.taskQueue === taskQueue ? [{ ...run, agents: run.agents ?? [] }] : []));
    await endStrays(client, { taskQueue, runs, missing: this.missing });
  }

  private complain(text: string): void {
    if (text !== this.trouble)
      this.options.report(`cannot look for runs and agents that were ended with other tools: ${text}`);
    this.trouble = text;
  }
}
