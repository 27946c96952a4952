// The interceptors inside the workflow bundle. They ignore what other users of the machine send to an embedded server:
// their workflow fails before it starts, their update is rejected, their signal is dropped, and a turn whose result they
// sent fails.
import { ApplicationFailure, proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';
import type { WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import type { FailureType } from '../protocol/failure.js';
import { isForeign, isRefused } from './refused.js';

/** By which the worker learns of a rejected message. */
export interface GuardSinks extends Sinks {
  readonly raymondGuard: { refused(what: string): void };
}

const { raymondGuard } = proxySinks<GuardSinks>();

// None of these is an async function: what is let through must take as many steps as without them.
const inbound: WorkflowInboundCallsInterceptor = {
  execute: (input, next) => (isForeign(input.args) ? Promise.reject(refusal('the start')) : next(input)),
  handleSignal: (input, next) => {
    if (!isForeign(input.args)) return next(input);
    raymondGuard.refused(`the signal ${input.signalName}`);
    return Promise.resolve();
  },
  validateUpdate: (input, next) => {
    if (isForeign(input.args)) throw refusal(`the update ${input.name}`);
    next(input);
  },
  handleUpdate: (input, next) =>
    isForeign(input.args) ? Promise.reject(refusal(`the update ${input.name}`)) : next(input),
  // A question without arguments changes nothing.
  handleQuery: (input, next) =>
    input.args.some(isRefused) ? Promise.reject(refusal(`the query ${input.queryName}`)) : next(input),
};

const outbound: WorkflowOutboundCallsInterceptor = {
  scheduleActivity: (input, next) =>
    next(input).then((result) => {
      if (isRefused(result)) throw refusal(`the result of ${input.activityType}`);
      return result;
    }),
  // A signal without a payload cannot be signed.
  signalWorkflow: (input, next) => next(input.args.length === 0 ? { ...input, args: [{}] } : input),
};

/** What the SDK looks for. */
export function interceptors(): WorkflowInterceptors {
  return { inbound: [inbound], outbound: [outbound] };
}

function refusal(what: string): ApplicationFailure {
  raymondGuard.refused(what);
  const type: FailureType = 'Refused';
  const message = `${what} is not signed by this project`;
  return ApplicationFailure.create({ type, nonRetryable: true, message });
}
