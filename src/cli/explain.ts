// What a person reads of an error that ends a call, and its exit code.
import { ClientError } from '../client/error.js';
import { explained, type Explanation } from '../client/explain.js';
import { EXIT, exitOfError } from './exit.js';
import type { Io } from './io.js';

/** Says what went wrong, once; gives the exit code. */
export async function explain(error: unknown, { env, say, embedded: { log } }: Io): Promise<number> {
  const { code, message } = await explained(error, env);
  // What Temporal refuses for a reason of its own, such as a damaged database, its log may explain.
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
