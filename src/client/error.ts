// Errors that a caller of the client can branch on, each with what to do next in its message. Protocol mistakes and failed agents are
// none: those are results of a run.
/** What kind of thing went wrong; the command line maps these to exit codes. */
export type ClientErrorCode =
  | 'RunNotFound'
  | 'RunAmbiguous'
  | 'RunExists'
  | 'ScheduleExists'
  | 'ScheduleHeld'
  | 'ScheduleNotFound'
  | 'RunServed'
  | 'RunClosed'
  | 'NotResumable'
  | 'NothingToDo'
  | 'NoSuchAgent'
  | 'NoSuchTurn'
  | 'TurnUnderWay'
  | 'NoSuchAsk'
  | 'AnswerRefused'
  | 'Unreachable'
  | 'InvalidWorkflow'
  | 'InvalidUsage'
  | 'ClaudeMissing'
  | 'PiMissing'
  | 'ResultElsewhere';

/** A refusal or a fault outside Raymond, in one clear sentence. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  constructor(
    readonly code: ClientErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The refusal of a run that does not exist. */
export function noSuchRun(runId: string): ClientError {
  return new ClientError('RunNotFound', `there is no run ${runId}; "raymond list" shows the runs`);
}
