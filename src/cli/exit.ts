// Exit codes: the contract with scripts that call Raymond.
import { assertNever } from '../protocol/failure.js';
import type { RunStatus } from '../contract/runs.js';
import type { ClientErrorCode } from '../client/error.js';

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

/** The code for the status of a run. */
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

/** The code for a client error. */
export function exitOfError(code: ClientErrorCode): number {
  switch (code) {
    case 'InvalidWorkflow':
    case 'InvalidUsage':
    case 'RunExists':
    case 'ScheduleExists':
    case 'ScheduleHeld':
    case 'ScheduleNotFound':
    case 'RunNotFound':
    case 'RunAmbiguous':
    case 'RunServed':
    case 'RunClosed':
    case 'RunOpen':
    case 'NotResumable':
    case 'NoSuchAgent':
    case 'NoSuchTurn':
    case 'TurnUnderWay':
    case 'NoSuchAsk':
    case 'AnswerRefused':
      return EXIT.usage;
    case 'NothingToDo':
      return EXIT.failed;
    case 'Unreachable':
    case 'ClaudeMissing':
    case 'PiMissing':
    case 'ResultElsewhere':
      return EXIT.unavailable;
    default:
      return assertNever(code);
  }
}
