// What Temporal itself says no to (an unknown namespace, a missing right, a server that went away), as an error to branch on.
// Must not swallow anything: an error that is none of Temporal's stays what it is.
import { isGrpcServiceError, NamespaceNotFoundError, ServiceError } from '@temporalio/client';
import { ClientError } from './error.js';

/** Temporal's refusal in one sentence; undefined when the error comes from elsewhere. */
export function temporalRefusal(error: unknown): ClientError | undefined {
  if (error instanceof NamespaceNotFoundError) {
    const message = `Temporal has no namespace "${error.namespace}"; create it, or name another one by --namespace`;
    return new ClientError('Unreachable', message, { cause: error });
  }
  // The client wraps what the connection throws; calls on the connection itself are not wrapped.
  const told = [error, error instanceof ServiceError ? error.cause : undefined].find(isGrpcServiceError);
  if (told === undefined) return undefined;
  const said = told.details === '' ? told.message : told.details;
  return new ClientError(
    'Unreachable',
    `Temporal refused the call: ${said}; see that its server is up and lets you in`,
    {
      cause: error,
    },
  );
}
