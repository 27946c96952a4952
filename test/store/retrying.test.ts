// Patience with a store that goes and comes again: a real S3 server that is killed, or whose disk is full.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { openStore } from '../../src/store/open.js';
import { RetryingStore } from '../../src/store/retrying.js';
import { StoreUnreachable } from '../../src/store/store.js';
import { byNode } from '../support/by-node.js';
import { folder } from '../support/folder.js';
import { SlowLink } from '../support/slow-link.js';
import { onTinyDiskInBackground } from '../support/tiny-disk.js';
import { until } from '../support/until.js';
import { BucketServer, describeOnBucket } from '../support/versitygw.js';

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const thrownBy = async (work: Promise<unknown>): Promise<Error> =>
  await work.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error as Error,
  );

test('many operations at once are no leak of listeners', async () => {
  const { signal } = new AbortController();
  const patient = new RetryingStore(openStore({ dir: await folder() }, {}), { signal, onWait: () => undefined });
  const warned: string[] = [];
  const hear = ({ name }: Error): void => void warned.push(name);
  const { default: node } = await byNode('node:process');
  node.on('warning', hear);
  await Promise.all(Array.from({ length: 30 }, (_, number) => patient.put(Buffer.from(String(number)))));
  await new Promise((resolve) => setImmediate(resolve));
  node.off('warning', hear);
  expect(warned).toEqual([]);
});

describeOnBucket('a server that goes', () => {
  test('in the middle of an upload and comes again has the artifact whole, for who is patient', async () => {
    const server = await BucketServer.start();
    const link = await SlowLink.to(server.endpoint, { bytesPerSecond: 8 << 20 });
    const settings = server.settings({ endpoint: link.endpoint });
    const store = openStore({ dir: await folder(), bucket: settings }, server.env);
    const told: (string | undefined)[] = [];
    const patient = new RetryingStore(store, { signal: new AbortController().signal, onWait: (why) => told.push(why) });
    const bytes = randomBytes(8 << 20);
    const kept = patient.put(bytes);
    await until(() => link.passed > 1 << 20, { what: 'the middle of the upload' });
    await server.kill();
    await until(() => told.length > 0, { what: 'the patient' });
    expect(told[0]).toContain('does not answer');
    await server.start();
    const ref = await kept;
    expect(told.at(-1)).toBeUndefined();
    const other = openStore({ dir: await folder(), bucket: server.settings() }, server.env);
    expect(sha(await readFile(await other.locate(ref.sha256)))).toBe(sha(bytes));
  });

  test('lets go of who waits for it when that is cancelled', async () => {
    const server = await BucketServer.start();
    await server.kill();
    const store = openStore({ dir: await folder(), bucket: server.settings() }, server.env);
    const controller = new AbortController();
    const patient = new RetryingStore(store, {
      signal: controller.signal,
      onWait: () => controller.abort(new Error('cancelled')),
    });
    expect((await thrownBy(patient.put(Buffer.from('x')))).message).toBe('cancelled');
  });

  test('has no room on its disk says so, and has it again when there is room', async () => {
    const dir = await folder();
    const disk = onTinyDiskInBackground({ folder: dir, size: '4096k' });
    if (disk === undefined) return process.stderr.write('SKIPPED: no disk may be mounted here\n');
    const server = await BucketServer.start({ dir, before: disk.before });
    const store = openStore({ dir: await folder(), bucket: server.settings() }, server.env);
    const error = await thrownBy(store.put(randomBytes(8 << 20)));
    expect(error).toBeInstanceOf(StoreUnreachable);
    const ref = await store.put(Buffer.from('small'));
    expect(await store.text(ref)).toBe('small');
  });
});
