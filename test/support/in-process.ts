// The command line in the process of the test: the same program without the start of a process.
// Signals, terminals and what a killed process leaves need a process of their own: Place.bin and Place.begin.
import { EventEmitter } from 'node:events';
import { text } from 'node:stream/consumers';
import { PassThrough, Readable } from 'node:stream';
import { main } from '../../dist/cli/index.js';
import type { Called } from './cli.js';
import { beforeRemoval } from './folder.js';

/** What a test may give a call. */
export interface InProcessOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What stdin holds. */
  readonly input?: string;
}

const running = new Map<EventEmitter, Promise<unknown>>();

// A test that failed may have left its call behind: it must not continue in the next test file.
beforeRemoval(async () => {
  for (const [signals, ended] of running) {
    signals.emit('SIGINT');
    signals.emit('SIGINT');
    await ended.catch(() => undefined); // its test has failed already
  }
});

/** Calls Raymond and waits for its end; output without its last newline. */
export async function callInProcess(
  args: readonly string[],
  { cwd, env, input = '' }: InProcessOptions & Required<Pick<InProcessOptions, 'cwd' | 'env'>>,
): Promise<Called> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const printed = Promise.all([text(stdout), text(stderr)]);
  const signals = new EventEmitter();
  const ended = main(args, { cwd, env, stdin: Readable.from([input]), stdout, stderr, signals });
  running.set(signals, ended);
  const exitCode = await ended.finally(() => running.delete(signals));
  stdout.end();
  stderr.end();
  const [out, said] = await printed;
  return { stdout: out.replace(/\n$/, ''), stderr: said.replace(/\n$/, ''), exitCode };
}
