// Runs a program, its output shown when it fails, and how long that took.
import { execa } from 'execa';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Gives what the program printed; ends this one with all that it said when it fails. */
export async function run(command, args, options = {}) {
  const { stdout, all, exitCode } = await execa(command, args, { cwd: root, all: true, reject: false, ...options });
  if (exitCode === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${exitCode}:\n${String(all).slice(-8000)}`);
}

/** Does it and prints what it took. */
export async function step(what, work) {
  const from = Date.now();
  const done = await work();
  console.log(`${what}: ${((Date.now() - from) / 1000).toFixed(1)} s`);
  return done;
}
