// The worker's side of the mark: what a worker of an embedded server is created with beyond others, so that it acts on nothing that
// a stranger has put there. Says each workflow once.
import { ApplicationFailure, type DataConverter } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, InjectedSinks, WorkerOptions } from '@temporalio/worker';
import type { FailureType } from '../protocol/failure.js';
import { Once, quoted } from './log.js';
import { MacCodec } from './mac.js';
import { isForeign } from './refused.js';
import type { GuardSinks } from './workflow-guard.js';

/** Options of a worker that rejects unsigned messages; undefined when its converter requires no signatures. */
export function guardOptions(
  converter: DataConverter,
): Pick<WorkerOptions, 'dataConverter' | 'sinks' | 'interceptors'> | undefined {
  const codecs = converter.payloadCodecs ?? [];
  const mac = codecs.find((codec) => codec instanceof MacCodec);
  if (mac === undefined) return undefined;
  const marking = new MacCodec({ ...mac.options, marking: true });
  const refusals = new Refusals(mac.options);
  return {
    dataConverter: { ...converter, payloadCodecs: codecs.map((codec) => (codec === mac ? marking : codec)) },
    sinks: sinksFor(refusals),
    interceptors: { activity: [({ info }) => ({ inbound: activityGuard(refusals, info) })] },
  };
}

class Refusals {
  private readonly once: Once;

  constructor(private readonly options: MacCodec['options']) {
    this.once = new Once(options.log);
  }

  log(workflowId: string, what: string): void {
    const { file } = this.options.secret;
    const line = `rejected: ${what} of the workflow ${quoted(workflowId)} is not signed by this project`;
    this.once.log(
      workflowId,
      `${line}; another program with access to the embedded server has sent it, or ${file} was replaced`,
    );
  }
}

function sinksFor(refusals: Refusals): InjectedSinks<GuardSinks> {
  const fn = ({ workflowId }: { readonly workflowId: string }, what: string): void =>
    refusals.log(workflowId, quoted(what).slice(1, -1));
  return { raymondGuard: { refused: { fn, callDuringReplay: false } } };
}

interface ActivityNames {
  readonly activityType: string;
  readonly workflowExecution?: { readonly workflowId: string } | undefined;
}

function activityGuard(refusals: Refusals, names: ActivityNames): ActivityInboundCallsInterceptor {
  return {
    execute: async (input, next) => {
      if (input.args.length > 0 && !isForeign(input.args)) return await next(input);
      const what = `the activity ${quoted(names.activityType)}`;
      refusals.log(names.workflowExecution?.workflowId ?? '', what);
      const type: FailureType = 'Refused';
      throw ApplicationFailure.create({
        type,
        nonRetryable: true,
        message: `${what} is not signed by this project`,
      });
    },
  };
}
