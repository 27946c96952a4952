// Lets a workflow react to a reset (`temporal workflow reset`), which the SDK does not report to it. Only a reset gives
// an execution a new seed for its random numbers.
import type { ApplicationFailure } from '@temporalio/workflow';
import { Activator } from '@temporalio/workflow/lib/internals.js';
import { isLeftToSdk } from './switches.js';

/** Fails every execution that a reset created with the result of `failure`; undefined = it continues. */
export function onReset(failure: () => ApplicationFailure | undefined): void {
  if (isLeftToSdk('resets')) return;
  const { prototype } = Activator;
  const seed = Object.getOwnPropertyDescriptor(prototype, 'updateRandomSeed')?.value as Activator['updateRandomSeed'];
  prototype.updateRandomSeed = function (this: Activator, job) {
    seed.call(this, job);
    const error = failure();
    // The first command of its task: the SDK drops those after the end of a workflow.
    if (error !== undefined) this.handleWorkflowFailure(error);
  };
}
