// The watchdog: a shell that kills the process groups of all turns when this launcher dies, however it dies. The kernel
// then closes the input of the shell, which nothing but the launcher holds. One shell serves all turns: `setpriv
// --pdeathsig` before each of them would be a second program for every turn.
import { spawn, type ChildProcess } from 'node:child_process';
import { LAUNCHER_VARIABLE } from './process-tree.js';

/**
 * Its argument, and later each line, names all processes to kill at the end. What a signal to a whole group means is for
 * the launcher.
 */
const SCRIPT = `trap '' HUP INT TERM
live=$1
while read -r line; do live=$line; done
for pid in $live; do kill -KILL "-$pid"; kill -KILL "$pid"; done`;

/** Kills what it watches when this process dies. */
export class Watchdog {
  readonly #live = new Set<number>();
  #shell: ChildProcess | undefined;

  /** Starts the shell before the first turn needs it. */
  constructor() {
    this.#start();
  }

  /** The leader of a group that must not outlive this process. */
  watch(pid: number): void {
    this.#live.add(pid);
    this.#report();
  }

  /** It has ended, or what is left of it may stay. */
  release(pid: number): void {
    if (this.#live.delete(pid)) this.#report();
  }

  #report(): void {
    if (this.#shell === undefined) this.#start();
    else this.#shell.stdin?.write(`${this.#names()}\n`);
  }

  #names(): string {
    return [...this.#live].join(' ');
  }

  #start(): void {
    // Windows has neither this shell nor process groups.
    if (process.platform === 'win32') return;
    // Its argument, because the launcher may die before it has written a line.
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'watchdog', this.#names()], {
      cwd: '/',
      // A signal to the launcher's group must not also reach its watchdog; a sweep leaves it to the launcher.
      detached: true,
      env: { [LAUNCHER_VARIABLE]: '1' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#shell = shell;
    const lose = (signal: unknown): void => {
      if (this.#shell === shell) this.#shell = undefined;
      // A shell that cannot run is tried again with the next turn.
      if (typeof signal === 'string' && this.#live.size > 0) this.#report();
    };
    shell.once('exit', (_code, signal) => lose(signal));
    shell.once('error', lose);
    // It has just died: `exit` follows.
    shell.stdin.on('error', () => undefined);
    shell.unref();
  }
}
