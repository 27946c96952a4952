// Garbage is not removed while something cannot be read, or is needed by a run that starts meanwhile.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { connectClient } from '../../dist/client/connect.js';
import { NO_KEYS } from '../../dist/codec/keys.js';
import { projectSecret } from '../../dist/codec/secret.js';
import { FolderStore } from '../../dist/store/folder.js';
import { Place } from '../support/cli.js';
import { age, collect, ENDED, filesOf, FLOWS } from '../support/gc-place.js';

test('a run that starts while things are removed finds all that it needs', async () => {
  const place = await Place.at(FLOWS);
  await place.raymond(['start', 'done', '--id', 'first']);
  await age(place, 40);
  const [started, tidied] = await Promise.all([
    place.raymond(['start', 'done', '--id', 'second']),
    place.raymond(['gc', '--older-than', ENDED]),
  ]);
  expect(started).toMatchObject({ exitCode: 0, stdout: '50000' });
  expect(tidied.exitCode).toBe(0);
});

test('nothing is removed while the server cannot be asked, or a history cannot be read', async () => {
  const place = await Place.at(FLOWS);
  await place.raymond(['start', 'fails', '--id', 'failed']);
  await place.raymond(['start', 'done', '--id', 'over']);
  await age(place, 40);
  const before = await filesOf(place, 'artifacts');
  await place.raymond(['server', 'stop']);
  expect(await place.raymond(['gc', '--older-than', ENDED])).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining('raymond up'),
  });
  await place.raymond(['server', 'start']);
  await place.write('.raymond/temporal/temporal-1.0.0.db');
  expect(await place.raymond(['gc', '--older-than', ENDED])).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining('temporal-1.0.0.db contains runs of another version of the server'),
  });
  expect(await filesOf(place, 'artifacts')).toEqual(before);
});

test('nothing is removed when a key is missing that a history was encrypted with', async () => {
  const config = '[raymond]\nencryption_keys = ".raymond/keys"\n';
  const place = await Place.at({ ...FLOWS, '.raymond/config.toml': config });
  const key = (name: string): string => `${name}:${Buffer.alloc(32, name).toString('base64')}\n`;
  await place.write('.raymond/keys', key('one'));
  await chmod(join(place.cwd, '.raymond/keys'), 0o600);
  expect(await place.raymond(['start', 'fails', '--id', 'failed'])).toMatchObject({ exitCode: 1 });
  await age(place, 40);
  const before = await filesOf(place, 'artifacts');
  await place.write('.raymond/keys', key('two'));
  expect(await place.raymond(['gc'])).toMatchObject({
    exitCode: 69,
    stderr: expect.stringMatching(/cannot read the history of failed: .*"one".*nothing was removed/),
  });
  expect(await filesOf(place, 'artifacts')).toEqual(before);
});

test('what is named only in stored documents stays, and so does a value that was too large for Temporal', async () => {
  const place = await Place.at();
  const raymondDir = join(place.cwd, '.raymond');
  const store = new FolderStore(join(raymondDir, 'artifacts'));
  const put = (value: unknown) => store.put(Buffer.from(JSON.stringify(value)));
  const last = await store.put(Buffer.from('a conversation'));
  const first = await put({ previous: await put([{ padding: 'x'.repeat(3_000_000), record: last }]) });
  await store.put(Buffer.from('named by nobody'));
  const [address = ''] = /127\.0\.0\.1:\d+/.exec((await place.raymond(['server', 'start'])).stdout) ?? [];
  const values = { keys: NO_KEYS, store, secret: await projectSecret(raymondDir) };
  const link = await connectClient({ address, namespace: 'default', options: { address } }, values);
  const args = [{ text: 'y'.repeat(300_000), first }];
  await link.client.workflow.start('run', { workflowId: 'huge', taskQueue: 'nobody', args });
  await link.close();
  await age(place, 40);
  expect(await filesOf(place, 'artifacts')).toHaveLength(5);
  expect(await collect(place)).toMatchObject({ keptRuns: 1, artifacts: { files: 1 } });
  expect(await store.text(last)).toBe('a conversation');
});
