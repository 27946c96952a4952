// The worker of worker.mjs as a process of its own, for tests that kill it.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProcessSpec } from '../../src/launcher/client.js';
import { builtFolder } from '../support/built.js';
import { until } from '../support/until.js';
import { lives, pidsIn } from './kit.js';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** The arguments with which node runs these processes in a worker. */
export function workerCommand(specs: readonly ProcessSpec[]): string[] {
  return [WORKER, builtFolder(), JSON.stringify(specs)];
}

/** A line that the worker has printed. */
export interface Heard {
  readonly index?: number;
  readonly output?: string;
  readonly end?: object;
  readonly launcher?: number;
}

/** The worker of worker.mjs, in a process group of its own. */
export class TestWorker {
  readonly #process: ChildProcess;
  #text = '';

  constructor(specs: readonly ProcessSpec[]) {
    this.#process = spawn(process.execPath, workerCommand(specs), {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process.stdout!.on('data', (chunk: Buffer) => (this.#text += chunk.toString()));
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
