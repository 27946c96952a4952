// Failures of the world as Temporal failures: the one place where an ApplicationFailure of a turn is made.
// Must not decide which failure it is; the callers know.
import { ApplicationFailure } from '@temporalio/common';
import type { FailureType } from '../protocol/failure.js';
import { isFailureType } from '../protocol/failure.js';
import { ArtifactMissing } from './artifacts.js';
import type { TurnFailureDetails, TurnRequest } from './types.js';

/** A failure that ends a turn's activity. Only `WorkerLost` is for Temporal to retry; all others are the agent's to judge. */
export function turnFailure(
  type: FailureType,
  message: string,
  extra: { readonly costUsd?: number; readonly resetsAt?: number } = {},
): ApplicationFailure {
  const details: TurnFailureDetails = { type, costUsd: 0, ...extra };
  return ApplicationFailure.create({ type, message, nonRetryable: type !== 'WorkerLost', details: [details] });
}

/** The same failure of a turn that has cost so much. */
export function withCost({ type, message, details }: ApplicationFailure, costUsd: number): ApplicationFailure {
  const [known] = (details ?? []) as readonly (TurnFailureDetails | undefined)[];
  return turnFailure(isFailureType(type) ? type : 'Unforeseen', message, { ...known, costUsd });
}

/** Any error as a turn's failure. What nothing foresaw is not retried: the same mistake would be made again. */
export function asTurnFailure(error: unknown, { id, state }: TurnRequest['agent']): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return turnFailure(
    error instanceof ArtifactMissing ? 'ArtifactMissing' : 'Unforeseen',
    `${id}, ${state}: ${message}`,
  );
}
