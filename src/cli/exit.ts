// Exit codes: the contract with scripts that call Raymond; and what is said of an error that ends a call.
import { stripVTControlCharacters } from 'node:util';
import { CommanderError } from 'commander';
import { Redactor } from '../activities/redact.js';
import { assertNever } from '../protocol/failure.js';
import type { RunStatus } from '../workflows/contract.js';
import { ClientError, type ClientErrorCode } from '../client/error.js';
import { KeyError } from '../codec/keys.js';
import { UnwritableError } from '../host/files.js';
import { ServerError } from '../server/error.js';
import { StoreUnwritable } from '../store/folder.js';
import type { Io } from './io.js';

/** Every code that the command line can end with. */
export const EXIT = {
  completed: 0,
  failed: 1,
  waiting: 2,
  paused: 3,
  overBudget: 4,
  cancelled: 5,
  usage: 64,
  unavailable: 69,
  interrupted: 130,
} as const;

/** The code for how a run fares. */
export function exitOf(status: RunStatus): number {
  switch (status) {
    case 'completed':
      return EXIT.completed;
    case 'failed':
      return EXIT.failed;
    case 'asking':
      return EXIT.waiting;
    case 'paused':
      return EXIT.paused;
    case 'over-budget':
      return EXIT.overBudget;
    case 'cancelled':
      return EXIT.cancelled;
    case 'running':
      return EXIT.interrupted;
    default:
      return assertNever(status);
  }
}

/** The code for a refusal. */
function exitOfError(code: ClientErrorCode): number {
  switch (code) {
    case 'InvalidWorkflow':
    case 'InvalidUsage':
    case 'RunExists':
    case 'RunNotFound':
    case 'RunServed':
    case 'RunClosed':
    case 'NotResumable':
    case 'NoSuchAsk':
    case 'AnswerRefused':
      return EXIT.usage;
    case 'Unreachable':
    case 'ClaudeMissing':
    case 'ResultElsewhere':
      return EXIT.unavailable;
    default:
      return assertNever(code);
  }
}

/** Says what went wrong, once; gives the exit code. */
export async function explain(error: unknown, io: Io): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  if (error instanceof ClientError) return refuse(error, io);
  if (error instanceof KeyError) {
    complain(error.message, io);
    return EXIT.usage;
  }
  if (error instanceof ServerError || error instanceof StoreUnwritable || error instanceof UnwritableError) {
    complain(error.message, io);
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
  // A message may hold text of a package that somebody else has written.
  complain(stripVTControlCharacters(message), io);
  return exitOfError(code);
}
