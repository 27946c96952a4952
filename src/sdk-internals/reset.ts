// Lets a workflow act on a reset (`temporal workflow reset`), of which the SDK tells it nothing. A reset, and nothing else, gives an
// execution a new seed for its random numbers.
import type { ApplicationFailure } from '@temporalio/workflow';
import { Activator } from '@temporalio/workflow/lib/internals.js';
import { isLeftToSdk } from './switches.js';

/** Fails every execution that was made by a reset with what `failure` gives; undefined = it continues. */
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
