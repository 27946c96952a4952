// What reset.ts relies on inside the SDK, and its off switch; that a reset run and a reset agent end shows test/workflows/lost.long.test.ts. A failure
// here means that a release of the SDK has changed it: look how a workflow can still see that it was reset.
import { afterEach, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/workflow';
import { Activator } from '@temporalio/workflow/lib/internals.js';
import { onReset } from '../../src/sdk-internals/reset.js';
import { isLeftToSdk, leavingToSdk, leftToSdk } from '../../src/sdk-internals/switches.js';

const FLAG = '__raymondLeavesResets';
const { prototype } = Activator;
const before = Object.getOwnPropertyDescriptor(prototype, 'updateRandomSeed');
afterEach(() => {
  if (before !== undefined) Object.defineProperty(prototype, 'updateRandomSeed', before);
  Reflect.deleteProperty(globalThis, FLAG);
});

test('the SDK gives a workflow a new random seed by a method, which fails the workflow by another', () => {
  expect(typeof before?.value).toBe('function');
  expect(typeof Object.getOwnPropertyDescriptor(prototype, 'handleWorkflowFailure')?.value).toBe('function');
});

/** What happens to a workflow that gets a new seed. */
function onNewSeed(): readonly string[] {
  const seen: string[] = [];
  const activator = Object.create(prototype) as Activator;
  const parts = {
    setRandomnessSeed: () => seen.push('seeded'),
    handleWorkflowFailure: (error: Error) => seen.push(error.message),
  };
  Object.assign(activator, parts);
  activator.updateRandomSeed({ randomnessSeed: { toBytes: () => [1, 2, 3] } as never });
  return seen;
}

test.each([
  ['fails', false, ['seeded', 'it was reset']],
  ['continues where resets are left to the SDK', true, ['seeded']],
])('a workflow that gets a new seed %s', (_what, left, expected) => {
  if (left) Object.assign(globalThis, { [FLAG]: true });
  onReset(() => ApplicationFailure.create({ message: 'it was reset' }));
  expect(onNewSeed()).toEqual(expected);
});

test('resets and stacks are left to the SDK only where the environment of a worker asks for it', () => {
  const [stacks, resets] = ['RAYMOND_SDK_PROMISE_STACKS', 'RAYMOND_SDK_RESETS'] as const;
  const environments = [{}, { [stacks]: 'off' }, { [stacks]: 'on' }, { [resets]: 'on', [stacks]: 'on' }];
  expect(environments.map(leftToSdk)).toEqual([[], [], ['stacks'], ['stacks', 'resets']]);
  expect(leavingToSdk('code', ['stacks', 'resets'])).toMatch(/^globalThis\.\w+ = true; globalThis\.\w+ = true; code$/);
  expect(isLeftToSdk('resets')).toBe(false);
});
