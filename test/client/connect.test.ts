// What a user reads when Temporal refuses a call: one line for every kind of error that its client can throw.
import { expect, test } from '@jest/globals';
import {
  QueryNotRegisteredError,
  QueryRejectedError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { explained } from '../../src/client/explain.js';

/** As gRPC throws it. */
function grpc(code: number, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
}

const wrapped = (code: number, details: string): Error =>
  new ServiceError('Failed to signal Workflow', { cause: grpc(code, details) });

/** An error of a query; its status does not matter. */
const query = <T extends Error>(type: { readonly prototype: T }): T => Object.create(type.prototype) as T;

const ERRORS: readonly (readonly [what: string, error: Error, code: string, line: string])[] = [
  [
    'a run that has just ended',
    new WorkflowNotFoundError('workflow execution already completed', 'flow-1', undefined),
    'RunClosed',
    'the run flow-1 has just ended, so nothing was changed; see: raymond status flow-1',
  ],
  [
    'an agent that has just ended',
    new WorkflowNotFoundError('workflow execution already completed', 'flow-1/main_a1', undefined),
    'RunClosed',
    'main_a1 of the run flow-1 has just ended, so nothing was changed; see: raymond status flow-1',
  ],
  [
    'a run that another command has just started',
    new WorkflowExecutionAlreadyStartedError('Workflow execution already started', 'flow-1', 'run'),
    'RunOpen',
    'another command has just started the run flow-1; see: raymond status flow-1',
  ],
  [
    'a query that the worker does not know',
    query(QueryNotRegisteredError),
    'Unreachable',
    'a worker of another version of Raymond executes this run; update it, then try again',
  ],
  [
    'a query that is rejected',
    query(QueryRejectedError),
    'Unreachable',
    'a worker of another version of Raymond executes this run; update it, then try again',
  ],
  [
    'an update that no worker accepts',
    new WorkflowUpdateRPCTimeoutOrCancelledError('Update timed out'),
    'Unreachable',
    'no worker accepted the message in time; start one, then try again',
  ],
  [
    'a server that does not answer in time',
    wrapped(4, 'context deadline exceeded'),
    'Unreachable',
    'Temporal does not answer: context deadline exceeded; check that its server is running, then try again',
  ],
  [
    'a server that is gone',
    wrapped(14, 'connect ECONNREFUSED'),
    'Unreachable',
    'Temporal does not answer: connect ECONNREFUSED; check that its server is running, then try again',
  ],
  [
    'a limit of the server, or a message that is too large',
    wrapped(8, 'grpc: received message larger than max (5000000 vs. 4194304)'),
    'Unreachable',
    'Temporal rejected the call, it exceeds a limit of the server: grpc: received message larger than max (5000000 vs. 4194304); wait, or send less, then try again',
  ],
  [
    'a missing permission',
    grpc(7, 'Request unauthorized.'),
    'Unreachable',
    'Temporal rejected the call: Request unauthorized.; check that its server is running and that you have access',
  ],
];

test.each(ERRORS)('%s is one line with what to do next', async (...[, error, code, line]) => {
  expect(await explained(error, {})).toEqual({ code, message: line });
});

test('the cause of an error that the client wraps is explained', async () => {
  const cause = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  const error = new ServiceError('Unexpected error while making gRPC request', { cause });
  expect(await explained(error, {})).toMatchObject({ code: 'Unavailable', message: expect.stringMatching(/EMFILE/) });
});
