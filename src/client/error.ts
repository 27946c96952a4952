// Errors that a caller of the client can branch on, each with what to do next in its message. Protocol mistakes and
// failed agents are results of a run, not errors.
/** The kind of error; the command line maps these to exit codes. */
export type ClientErrorCode =
  | 'RunNotFound'
  | 'RunAmbiguous'
  | 'RunExists'
  | 'ScheduleExists'
  | 'ScheduleHeld'
  | 'ScheduleNotFound'
  | 'RunServed'
  | 'RunOpen'
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

/** An invalid call or an external failure, in one clear sentence. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  /** The invalid field of the request, as the HTTP API names it; undefined = not a single one. */
  readonly field: string | undefined;
  constructor(
    readonly code: ClientErrorCode,
    message: string,
    options?: ErrorOptions & { readonly field?: string },
  ) {
    super(message, options);
    this.field = options?.field;
  }
}

/** The error for an operation that only a run that has ended allows. */
export function notEnded(runId: string): ClientError {
  return new ClientError('RunOpen', `the run ${runId} has not ended; stop it first: raymond cancel ${runId}`);
}

/** The error for a start directory that does not exist. */
export function noDirectory(path: string): ClientError {
  const message = `--cwd: there is no directory ${path}; create it, or choose another one`;
  return new ClientError('InvalidUsage', message, { field: 'cwd' });
}

/** The error for a run that does not exist. */
export function noSuchRun(runId: string): ClientError {
  return new ClientError('RunNotFound', `there is no run ${runId}; to list the runs, run: raymond list`);
}
