// The environment of a run in its file: read again when it changes, and never replaced by another one without a word.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  environmentFile,
  RunEnvironments,
  saveEnvironment,
} from '../../../src/activities/environment/run-environment.js';
import { folder } from '../../support/folder.js';

test('a damaged file pauses the turn with its name and what to do; a resumption writes it again', async () => {
  const raymondDir = await folder();
  const environments = new RunEnvironments(raymondDir);
  expect(await environments.of('r')).toBeUndefined();
  const file = environmentFile(raymondDir, 'r');
  await mkdir(dirname(file));
  await writeFile(file, '');
  await expect(environments.of('r')).rejects.toMatchObject({
    type: 'StoreDamaged',
    nonRetryable: true,
    message: `${file}, the environment of the run, is damaged: it is no JSON; run: raymond resume r, which writes it again from your environment`,
  });
  await saveEnvironment(raymondDir, 'r', { COLOUR: 'blue' });
  expect((await environments.of('r'))?.environment).toEqual({ COLOUR: 'blue' });
});
