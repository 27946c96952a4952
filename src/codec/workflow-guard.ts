// The interceptors inside the workflow bundle. What a stranger has put into an embedded server is not acted upon: his workflow fails before
// it begins, his update is rejected, his signal is as if it had never come, and a turn whose result is his fails.
import { ApplicationFailure, proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';
import type { WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import type { FailureType } from '../protocol/failure.js';
import { isForeign, isRefused } from './refused.js';

/** How the worker hears of it. */
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
