// Garbage is not removed while something cannot be read, or is needed by a run that starts meanwhile.
import { chmod, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { connectClient } from '../../dist/client/connect.js';
import { NO_KEYS } from '../../dist/codec/keys.js';
import { projectSecret } from '../../dist/codec/secret.js';
import { FolderStore } from '../../dist/store/folder.js';
import { Place } from '../support/cli.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Texts so long that they are artifacts; `mark` makes them different. */
const long = (mark: string): string => `head -c 50000 /dev/zero | tr '\\0' ${mark}`;

const FLOWS = {
  'done/START.sh': `echo "<goto input=\\"$(${long('d')})\\">END</goto>"\n`,
  'done/END.sh': 'echo "<result>${#RAYMOND_INPUT}</result>"\n',
  'asks/START.sh': `echo "<goto input=\\"$(${long('a')})\\">ASK</goto>"\n`,
  'asks/ASK.sh': 'echo "<ask next=\\"SAY\\">$RAYMOND_INPUT?</ask>"\n',
  'asks/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  'fails/START.sh': `echo "<goto input=\\"$(${long('f')})\\">MEND</goto>"\n`,
  'fails/MEND.sh': '[ -f mended ] || exit 1\necho "<result>${#RAYMOND_INPUT}</result>"\n',
};

interface Gone {
  readonly dryRun: boolean;
  readonly keptRuns: number;
  readonly artifacts: { readonly files: number; readonly bytes: number };
  readonly tasks: { readonly files: number };
  readonly debug: { readonly files: number };
  readonly runs: { readonly files: number };
}

async function filesOf(place: Place, folder: string): Promise<readonly string[]> {
  const path = join(place.cwd, '.raymond', folder);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Makes all that lies in these folders `days` old. */
async function age(place: Place, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  for (const folder of ['artifacts', 'tasks', 'debug', 'runs', 'unpacked']) {
    const path = join(place.cwd, '.raymond', folder);
    const names = await readdir(path, { recursive: true }).catch(() => []);
    for (const name of names) await utimes(join(path, name), then, then);
  }
}

/** Runs that ended in this test are too young for any age but this. */
const ENDED = '0s';

async function collect(place: Place, ...flags: readonly string[]): Promise<Gone> {
  const { stdout, exitCode, stderr } = await place.raymond(['gc', '--json', ...flags]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Gone;
}

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
