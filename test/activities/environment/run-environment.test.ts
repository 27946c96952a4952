// The environment of a run in its file: read again when it changes, and never replaced by another one without a word.
import { statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  environmentFile,
  RunEnvironments,
  saveEnvironment,
  scheduleEnvironmentFile,
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
    message: `${file}, the environment of the run, is damaged: it is not JSON; run: raymond resume r, which writes it again from your environment`,
  });
  await saveEnvironment(file, { env: { COLOUR: 'blue' }, umask: 0o027 });
  expect(await environments.of('r')).toMatchObject({ environment: { COLOUR: 'blue' }, umask: 0o027 });
});

test('a file of a version that kept no umask is read', async () => {
  const raymondDir = await folder();
  const file = environmentFile(raymondDir, 'r');
  await mkdir(dirname(file));
  await writeFile(file, '{"COLOUR":"blue"}');
  const read = await new RunEnvironments(raymondDir).of('r');
  expect(read?.environment).toEqual({ COLOUR: 'blue' });
  expect(read?.umask).toBeUndefined();
});

test('a run of a schedule has the environment of the user who made it, also when the schedule is deleted', async () => {
  const [raymondDir, runId] = [await folder(), 'nightly-2026-11-22T01:20:52Z'];
  const made = scheduleEnvironmentFile(raymondDir, 'nightly');
  await saveEnvironment(made, { env: { COLOUR: 'blue' } });
  for (const _look of ['first', 'later']) {
    expect((await new RunEnvironments(raymondDir).of(runId))?.environment).toEqual({ COLOUR: 'blue' });
    await rm(made, { force: true });
  }
  expect(statSync(environmentFile(raymondDir, runId)).mode & 0o777).toBe(0o600);
});
