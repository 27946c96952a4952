// The message and exit code of an error that ends a call.
import { ClientError } from '../client/error.js';
import { explained, type Explanation } from '../client/explain.js';
import { EXIT, exitOfError } from './exit.js';
import type { Io } from './io.js';

/** Prints what went wrong, once; returns the exit code. */
export async function explain(error: unknown, { env, say, embedded: { log } }: Io): Promise<number> {
  const { code, message } = await explained(error, env);
  // For an error inside Temporal, such as a damaged database, its log may say more.
  const isTemporals = code === 'Unreachable' && !(error instanceof ClientError);
  say(`raymond: ${message}${isTemporals && log !== undefined ? ` (its log: ${log})` : ''}`);
  return exitOfExplained(code);
}

function exitOfExplained(code: Explanation['code']): number {
  switch (code) {
    case 'KeyMissing':
      return EXIT.usage;
    case 'Unavailable':
      return EXIT.unavailable;
    case 'bug':
      return EXIT.failed;
    default:
      return exitOfError(code);
  }
}
