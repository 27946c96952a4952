// The command line in the process of the test: the same program without the start of a process.
// Signals, terminals and what a killed process leaves need a process of their own: Place.begin.
import { text } from 'node:stream/consumers';
import { PassThrough, Readable } from 'node:stream';
import { main } from '../../dist/cli/index.js';
import type { Called } from './cli.js';

/** What a test may give a call. */
export interface InProcessOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What stdin holds. */
  readonly input?: string;
}

/** Calls Raymond and waits for its end; output without its last newline. */
export async function callInProcess(
  args: readonly string[],
  { cwd, env, input = '' }: InProcessOptions & Required<Pick<InProcessOptions, 'cwd' | 'env'>>,
): Promise<Called> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const printed = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await main(args, { cwd, env, stdin: Readable.from([input]), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, said] = await printed;
  return { stdout: out.replace(/\n$/, ''), stderr: said.replace(/\n$/, ''), exitCode };
}
