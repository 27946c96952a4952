// Brings a run to its end with the commands that a person would use: start, then resume or answer, again and again.
// Must not know why a command ended.
import type { Called, Place } from '../support/cli.js';
import type { RunJson } from '../support/fakes.js';

/** A run on its way. */
export interface Driving {
  readonly place: Place;
  readonly runId: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What was called, and what came of it. */
export interface Command extends Called {
  readonly args: readonly string[];
  readonly ms: number;
}

interface Asked extends RunJson {
  readonly asks: readonly { readonly askId: string; readonly prompt: string }[];
}

const COMMAND_MS = 60_000;
const MOST_COMMANDS = 80;

/** Drives a run; `serving` is the process that does it at the moment. */
export class Driver {
  readonly commands: Command[] = [];
  serving: number | undefined;
  over = false;

  constructor(private readonly driving: Driving) {}

  /** Calls commands until the run has completed; gives its document. Throws when it does not come to an end. */
  async drive(): Promise<RunJson> {
    try {
      let next: readonly string[] = this.start();
      while (this.commands.length < MOST_COMMANDS) {
        const called = await this.call([...next, '--json', '--on-ask', 'exit']);
        const status = await this.status();
        if (status?.status === 'completed') return status;
        next = this.nextAfter(called, status);
      }
      throw new Error(`${this.driving.runId} did not end in ${MOST_COMMANDS} commands`);
    } finally {
      this.over = true;
    }
  }

  private start(): readonly string[] {
    return ['start', 'flow', '--id', this.driving.runId, '--budget', '0'];
  }

  /** What can be seen of the run without serving it; undefined while there is no run. */
  private async status(): Promise<Asked | undefined> {
    const { runId, place } = this.driving;
    const { stdout, stderr, exitCode } = await place.raymond(['status', runId, '--json'], { timeout: COMMAND_MS });
    if (exitCode === 0) return JSON.parse(stdout) as Asked;
    if (stderr.includes('there is no run')) return undefined;
    // The server was killed while it was asked; the next command starts it.
    if (exitCode === 69) return await this.status();
    throw new Error(`raymond status ${runId} ended with ${exitCode}: ${stderr}`);
  }

  private nextAfter({ args, exitCode }: Command, status: Asked | undefined): readonly string[] {
    if (status === undefined) return this.start();
    const { runId } = this.driving;
    const [ask] = status.status === 'asking' ? status.asks : [];
    // An answer that was refused has come through just before its command was killed.
    if (ask === undefined || (args[0] === 'answer' && exitCode === 64)) return ['resume', runId];
    return ['answer', runId, ask.askId, `${ask.prompt}.answered`];
  }

  private async call(args: readonly string[]): Promise<Command> {
    const begun = Date.now();
    const running = this.driving.place.begin(args, { env: this.driving.env, timeout: COMMAND_MS });
    this.serving = running.pid;
    const { stdout, stderr, exitCode } = await running;
    this.serving = undefined;
    const command = { args, stdout: String(stdout), stderr: String(stderr), exitCode, ms: Date.now() - begun };
    this.commands.push(command);
    return command;
  }
}
