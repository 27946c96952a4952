// What can keep an engine from starting or from ending.

/** `NotStarted` and `NotStopped` say why, and where its log is. */
export type EngineErrorCode = 'NotStarted' | 'NotStopped';

/** An engine that is not as it should be; its message is a sentence for people. */
export class EngineError extends Error {
  constructor(
    readonly code: EngineErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}
