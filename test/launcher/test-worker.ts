// The worker of worker.mjs as a process of its own, for tests that kill it.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Patience, ProcessEnd, ProcessSpec, SweepResult } from '../../src/launcher/client.js';
import { builtFolder } from '../support/built.js';
import { until } from '../support/until.js';
import { lives, pidsIn } from './kit.js';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** What is special about a worker. */
export interface WorkerOptions {
  /** An empty folder on which a dead disk is mounted; needs `before`. */
  readonly disk?: string;
  readonly patience?: Partial<Patience>;
  /** What starts it, e.g. `unshare -Urm`. */
  readonly before?: readonly string[];
}

/** The arguments with which node runs these processes in a worker. */
export function workerCommand(specs: readonly ProcessSpec[], { disk, patience }: WorkerOptions = {}): string[] {
  return [WORKER, builtFolder(), JSON.stringify(specs), JSON.stringify({ disk, patience })];
}

/** A line that the worker has printed. */
export interface Heard {
  readonly index?: number;
  readonly started?: number;
  readonly output?: string;
  readonly end?: ProcessEnd;
  readonly launcher?: number;
  readonly waits?: boolean;
  readonly swept?: SweepResult;
  readonly closed?: boolean;
}

/** The worker of worker.mjs, in a process group of its own. */
export class TestWorker {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  #text = '';

  constructor(specs: readonly ProcessSpec[], options: WorkerOptions = {}) {
    const [command = '', ...args] = [...(options.before ?? []), process.execPath, ...workerCommand(specs, options)];
    this.#process = spawn(command, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdout.on('data', (chunk: Buffer) => (this.#text += chunk.toString()));
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get heard(): Heard[] {
    return heardIn(this.#text);
  }

  pids(index: number): number[] {
    const lines = this.heard.filter((line) => line.index === index).map((line) => line.output ?? '');
    return pidsIn(lines.join(''), 0) ?? [];
  }

  /** The pids that these turns have printed, and the launcher's, once all are known. */
  running({ turns, pids }: { turns: readonly number[]; pids: number }): Promise<[number[], number]> {
    return until(
      () => {
        const all = turns.flatMap((index) => this.pids(index));
        const launcher = this.heard.find((line) => line.launcher !== undefined)?.launcher;
        const complete = all.length === turns.length * pids && launcher !== undefined && all.every(lives);
        return complete ? ([all, launcher] as [number[], number]) : undefined;
      },
      { what: 'the turns' },
    );
  }

  /** What the first line says that says this at all. */
  first<Name extends keyof Heard>(name: Name): Promise<NonNullable<Heard[Name]>> {
    return until(() => this.heard.find((line) => line[name] !== undefined)?.[name], { what: `a line of "${name}"` });
  }

  tell(command: string): void {
    this.#process.stdin.write(`${command}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}

/** The lines that a worker has printed so far. */
export function heardIn(text: string): Heard[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Heard);
}
