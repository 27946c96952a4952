// Workflows that carry a value over every way that values take through Temporal; they give back what arrived.
import {
  ApplicationFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';

const { echo, beat, fail } = proxyActivities({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '10 ms', maximumAttempts: 2 },
});

/** Gives its input back in its next history. */
export async function passOn(value, again = false) {
  if (again) return value;
  return await continueAsNew(value, true);
}

/** Waits for a signal and an update, and tells what it got to a query, by its memo, and in the end. */
export async function listen() {
  const heard = {};
  setHandler(defineSignal('signal'), (value) => void (heard.signal = value));
  setHandler(defineUpdate('update'), (value) => (heard.update = value));
  setHandler(defineQuery('heard'), () => heard);
  await condition(() => heard.signal !== undefined && heard.update !== undefined);
  upsertMemo({ heard });
  return workflowInfo().memo?.given;
}

/** Hands the value to activities. */
export async function work(value) {
  const echoed = await echo(value);
  const beaten = await beat(value);
  const details = await fail(value).catch((error) => error.cause.details[0]);
  return { echoed, beaten, details };
}

/** Fails with the value in its details. */
export async function failing(value) {
  throw ApplicationFailure.create({ type: 'Failing', nonRetryable: true, message: 'no', details: [value] });
}
