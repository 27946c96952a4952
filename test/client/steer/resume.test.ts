// Orders to a run that opens or ends at the same moment.
import { expect, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ClientError } from '../../../src/client/error.js';
import { againIfChanged } from '../../../src/client/steer/resume.js';

const failing = (...errors: readonly Error[]): (() => Promise<string>) => {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    return await (error === undefined ? Promise.resolve('done') : Promise.reject(error));
  };
};

const ended = new WorkflowNotFoundError('closed', 'r', undefined);
const opened = new ClientError('RunOpen', 'another command has started it');
const refused = new ClientError('RunClosed', 'it has ended');

test.each([
  ['has ended since it was looked up', ended],
  ['another command has just started', opened],
])('an order to a run that %s looks again', async (_what, error) => {
  expect(await againIfChanged(failing(error))).toBe('done');
});

test.each([
  ['changes at every look', [ended, ended], ended],
  ['was found closed', [refused], refused],
])('an order to a run that %s is refused', async (_what, errors, error) => {
  await expect(againIfChanged(failing(...errors))).rejects.toBe(error);
});
