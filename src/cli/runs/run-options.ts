// The options of a new run from flags: for `start`, or for a schedule.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { RunOptions } from '../../client/start/options.js';
import { ClientError } from '../../client/error.js';
import { whyUnreadable } from '../../packages/error.js';
import { defined } from '../../protocol/text.js';
import type { RunFlags } from '../flags.js';
import { readAll, type Io } from '../io.js';

/** The options. Throws `InvalidUsage`. */
export async function runOptionsOf(io: Io, flags: RunFlags): Promise<RunOptions> {
  const {
    cwd,
    budget,
    model,
    effort,
    backend,
    sandbox,
    timeout,
    maxTime,
    account,
    priority,
    failFast,
    chain,
    debug,
    onAsk,
    wait,
  } = flags;
  const { workspace, repo, ref, outputBranch } = flags;
  return defined({
    input: await inputOf(io, flags),
    cwd,
    workspace,
    repo,
    ref,
    outputBranch,
    budgetUsd: budget,
    model,
    effort,
    backend,
    sandbox,
    timeoutSeconds: timeout,
    maxSeconds: maxTime,
    priority,
    accounts: account,
    skipPermissions: flags.dangerouslySkipPermissions,
    failFast,
    chain,
    debug,
    rejectAsks: onAsk === undefined ? undefined : onAsk === 'reject',
    labels: flags.label,
    pauseAtLimit: wait === undefined ? undefined : !wait,
  });
}

/** The input as a text, from the flags. Throws `InvalidUsage`. */
async function inputOf(
  { cwd, stdin }: Io,
  { input, inputFile }: Pick<RunFlags, 'input' | 'inputFile'>,
): Promise<string | undefined> {
  if (inputFile === undefined) return input === '-' ? await readAll(stdin) : input;
  if (input !== undefined) throw new ClientError('InvalidUsage', 'give --input or --input-file, not both');
  return await readAll(createReadStream(resolve(cwd, inputFile))).catch((error: unknown) => {
    if (error instanceof ClientError) throw error;
    throw new ClientError('InvalidUsage', `--input-file: cannot read ${inputFile}: ${whyUnreadable(error)}`);
  });
}
