// External failures as Temporal failures: only this file creates the ApplicationFailure of a turn.
import { hostname } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import { SessionMissing } from '../backends/backend.js';
import { HomeUnusable } from '../backends/home.js';
import type { Problem } from '../protocol/language/problem.js';
import { isFailureType, type FailureType } from '../protocol/failure.js';
import { defined, messageOf } from '../protocol/text.js';
import { hostTrouble, type HostTrouble } from '../host/trouble.js';
import { storeFailure } from '../store/store.js';
import type { Redactor } from './environment/redact.js';
import { ScopeError } from '../packages/error.js';
import { GitError } from '../workspaces/git.js';
import { RepositoryError } from '../workspaces/mirror.js';
import { SnapshotTooLarge } from '../workspaces/snapshot.js';
import type { TurnFailureDetails, TurnReport, TurnRequest } from '../contract/turns.js';

/**
 * A failure that ends a turn's activity. Temporal retries only `WorkerLost`; the agent decides
 * about the others.
 */
export function turnFailure(
  type: FailureType,
  message: string,
  extra: Partial<Omit<TurnFailureDetails, 'type'>> = {},
): ApplicationFailure {
  const details: TurnFailureDetails = { type, costUsd: 0, ...extra };
  return ApplicationFailure.create({ type, message, nonRetryable: type !== 'WorkerLost', details: [details] });
}

/** The same failure with more details: the cost of the turn, its output. */
export function withDetails(
  { type, message, details }: ApplicationFailure,
  more: Partial<Omit<TurnFailureDetails, 'type'>>,
): ApplicationFailure {
  const [known] = (details ?? []) as readonly (TurnFailureDetails | undefined)[];
  return turnFailure(isFailureType(type) ? type : 'Unforeseen', message, { ...known, ...more });
}

/** The same failure without credentials that its message may quote. */
export function redacted(failure: ApplicationFailure, redactor: Redactor): ApplicationFailure {
  const message = redactor.text(failure.message);
  if (message === failure.message) return failure;
  const { type, details } = failure;
  const [known] = (details ?? []) as readonly (TurnFailureDetails | undefined)[];
  return turnFailure(isFailureType(type) ? type : 'Unforeseen', message, known);
}

/** A report for people: problems and warnings quote the output, a result belongs to the author. */
export function redactedReport(redactor: Redactor, report: TurnReport): TurnReport {
  const { outcome, warnings, denied } = report;
  return {
    ...report,
    ...(outcome.kind === 'problem' ? { outcome: redactor.all(outcome) } : {}),
    ...defined({ warnings: warnings && redactor.all(warnings), denied: denied && redactor.all(denied) }),
  };
}

/** Any error as a turn's failure. An unexpected one is not retried, because it would happen again. */
export function asTurnFailure(error: unknown, { id, state }: TurnRequest['agent']): ApplicationFailure {
  return asFailure(error, `${id}, ${state}`);
}

/** Any error as the failure of work between turns; `where` is the start of the message. */
export function asFailure(error: unknown, where: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const trouble = hostTrouble(error);
  if (trouble !== undefined) return hostFailure(trouble, where);
  if (error instanceof ScopeError) return scopeFailure(error, where);
  // Missing permission to write does not go away by itself.
  return turnFailure(
    typeOf(error),
    `${where}: ${messageOf(error)}`,
    storeFailure(error) === 'DiskTrouble' ? { retries: 0 } : {},
  );
}

/** A failure of this host, which is never blamed on a script or a model: the turn waits. */
export function hostFailure({ kind, message, lasts }: HostTrouble, where: string): ApplicationFailure {
  const text = `${where}: on host ${hostname()}: ${message}`;
  return turnFailure(kind === 'disk' ? 'DiskTrouble' : 'HostTrouble', text, lasts === true ? { retries: 0 } : {});
}

/** A failure of work between turns: retried, unless something is missing in the store. */
export function asRecordFailure(error: unknown): unknown {
  const trouble = hostTrouble(error);
  if (trouble !== undefined) return hostFailure(trouble, 'the work after the turn');
  const type = storeFailure(error);
  if (type === undefined) return error;
  return ApplicationFailure.create({ type, message: messageOf(error), nonRetryable: type === 'ArtifactMissing' });
}

function typeOf(error: unknown): FailureType {
  // What git cannot do on this host, such as write: disk space may come back, and the agent is not
  // at fault.
  if (error instanceof RepositoryError || error instanceof GitError) return 'RepositoryUnusable';
  if (error instanceof HomeUnusable) return 'NeedsPerson';
  if (error instanceof SnapshotTooLarge) return 'SnapshotTooLarge';
  return storeFailure(error) ?? (error instanceof SessionMissing ? 'ArtifactMissing' : 'Unforeseen');
}

/** A package that this host cannot use; a mistake of the author is not a failure of the host. */
function scopeFailure({ code, message }: ScopeError, where: string): ApplicationFailure {
  const isForAuthor = code === 'InvalidYaml' || code === 'InvalidManifest';
  return isForAuthor
    ? turnFailure('InvalidState', `${where}: ${message}`)
    : turnFailure('StateUnreadable', `${where}: on host ${hostname()}: ${message}`);
}

/** Carries a problem out of nested resolution; readOutcome makes it the turn's outcome. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.kind);
  }
}
