// What reset.ts relies on inside the SDK; that a reset run and a reset agent end shows test/workflows/lost.test.ts.
import { expect, test } from '@jest/globals';
import { Activator } from '@temporalio/workflow/lib/internals.js';

test('the SDK gives a workflow a new random seed by a method, which fails the workflow by another', () => {
  expect(typeof Object.getOwnPropertyDescriptor(Activator.prototype, 'updateRandomSeed')?.value).toBe('function');
  expect(typeof Object.getOwnPropertyDescriptor(Activator.prototype, 'handleWorkflowFailure')?.value).toBe('function');
});
