// What promise-stacks.ts relies on inside the SDK. A failure here means that a release of the SDK has changed it: read ADR 0008, and look
// whether the SDK still takes a stack of every promise, and how. That it keeps none shows switches.test.ts.
import { expect, test } from '@jest/globals';
import { GlobalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

test('the SDK makes the error of which it takes the stack with the Error of the sandbox, without words', () => {
  const hook = String((GlobalHandlers.prototype as unknown as Record<string, unknown>)['setPromiseHook']);
  expect(hook).toContain("fn('return globalThis.Error')()");
  expect(hook).toContain('new ErrorCtor().stack?.');
});

test('the SDK keeps nothing of a promise whose stack it did not format', () => {
  const handlers = GlobalHandlers.prototype as unknown as Record<string, unknown>;
  expect(String(handlers['setPromiseHook'])).toMatch(/if \(this\.currentStackTrace === undefined\) \{\s+return;/);
  expect(String(handlers['overridePrepareStackTrace'])).toContain('this.currentStackTrace = [];');
});
