// What a person reads of an error that ends a call: the error of ours that it is, or Temporal's, in one sentence each; and its exit code.
import { Redactor } from '../activities/redact.js';
import { ClientError } from '../client/error.js';
import { KeyError } from '../codec/keys.js';
import { errorPath, UnwritableError, whyFull } from '../host/files.js';
import { ServerError } from '../server/error.js';
import { storeFailure } from '../store/store.js';
import { EXIT, exitOfError } from './exit.js';
import type { Io } from './io.js';

const UNAVAILABLE = [ServerError, UnwritableError];

/** Says what went wrong, once; gives the exit code. */
export async function explain(error: unknown, io: Io): Promise<number> {
  if (error instanceof ClientError) return refuse(error, io);
  if (error instanceof KeyError) {
    complain(error.message, io);
    return EXIT.usage;
  }
  if (storeFailure(error) !== undefined || UNAVAILABLE.some((type) => error instanceof type)) {
    complain((error as Error).message, io);
    return EXIT.unavailable;
  }
  const full = whyFull(error);
  if (full !== undefined) {
    complain(`cannot write ${errorPath(error) ?? 'a file'}: ${full}; mend that, then try again`, io);
    return EXIT.unavailable;
  }
  // Imports the SDK, which commands that never reach Temporal do not need.
  const refusal = (await import('../client/connect.js')).temporalError(error);
  if (refusal !== undefined) return refuse(refusal, io);
  complain(error instanceof Error ? (error.stack ?? error.message) : String(error), io);
  return EXIT.failed;
}

/** No credential of the environment is quoted. */
function complain(message: string, { env, say }: Io): void {
  say(`raymond: ${new Redactor(env).text(message)}`);
}

function refuse({ code, message }: ClientError, io: Io): number {
  complain(message, io);
  return exitOfError(code);
}
