// The mark on what goes to an embedded server: whatever is not exactly what was marked, at its own place, is refused. And the file of
// the secret: one for all who ask at once, for the owner's eyes only.
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import fc from 'fast-check';
import { fromPayload, payloadsOf, toPayload, unchecked, type Payloads } from '../../src/codec/converter.js';
import { KeyError, NO_KEYS } from '../../src/codec/keys.js';
import { MacCodec, PayloadRefused } from '../../src/codec/mac.js';
import { isUnreadable, lenient } from '../../src/codec/readable.js';
import { isRefused } from '../../src/codec/refused.js';
import { projectSecret, type Secret } from '../../src/codec/secret.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';

const HERE: SerializationContext = { type: 'workflow', namespace: 'n', workflowId: 'r' };
const TURN: SerializationContext = {
  type: 'activity',
  namespace: 'n',
  workflowId: 'r',
  activityId: '1',
  isLocal: false,
};
const secretOf = (byte: number): Secret => ({ bytes: Buffer.alloc(32, byte), file: 'F' });
const marking = (byte = 1): Payloads =>
  payloadsOf({ keys: NO_KEYS, store: new FolderStore('/nowhere'), secret: secretOf(byte) });

test('a marked value comes back, and is readable without the secret', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const sent = await toPayload(marking(), value, HERE);
      expect(Object.keys(sent.metadata ?? {})).toEqual(['encoding', 'raymond-mac']);
      const same = JSON.parse(JSON.stringify(value)) as unknown;
      expect(await fromPayload(marking(), sent, HERE)).toEqual(same);
      expect(defaultPayloadConverter.fromPayload(sent)).toEqual(same);
      expect(await fromPayload(unchecked(marking()), sent)).toEqual(same);
    }),
  );
});

test('what a schedule starts its runs with is accepted by each of them, and by no other run', async () => {
  const sent = await toPayload(marking(), 'x', { ...HERE, workflowId: 'nightly' });
  const read = (workflowId: string): Promise<unknown> => fromPayload(marking(), sent, { ...HERE, workflowId });
  expect(await read('nightly-2026-11-22T01:20:52Z')).toBe('x');
  for (const other of ['nightly-x', 'other-2026-11-22T01:20:52Z', 'nightly-2026-11-22T01:20:52Z/main'])
    await expect(read(other)).rejects.toBeInstanceOf(PayloadRefused);
});

const renamed = ({ metadata, data }: Payload): Payload => {
  const { 'raymond-mac': mac = new Uint8Array(), ...own } = metadata ?? {};
  return { metadata: { ...own, more: Buffer.from('x'), 'raymond-mac': mac }, ...(data ? { data } : {}) };
};
const withMac = ({ metadata, data }: Payload, mac: Uint8Array): Payload => ({
  metadata: { ...metadata, 'raymond-mac': mac },
  ...(data ? { data } : {}),
});

describe('a value is refused', () => {
  test.each<[string, (sent: Payload) => Payload, SerializationContext | undefined]>([
    ['without a mark', () => defaultPayloadConverter.toPayload('x'), HERE],
    ['with an empty mark', (sent) => withMac(sent, new Uint8Array()), HERE],
    ['with a mark of another value', (sent) => ({ ...sent, data: Buffer.from('"y"') }), HERE],
    ['with metadata that was added', renamed, HERE],
    ['in another workflow', (sent) => sent, { ...HERE, workflowId: 'r/main' }],
    ['in another namespace', (sent) => sent, { ...HERE, namespace: 'm' }],
    ['as the input of an activity', (sent) => sent, TURN],
    ['where nobody says what it is for', (sent) => sent, undefined],
  ])('%s', async (_what, change, context) => {
    const sent = change(await toPayload(marking(), 'x', HERE));
    const refused = await fromPayload(marking(), sent, context).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PayloadRefused);
    expect((refused as Error).message).toContain('is not signed by this project');
    const note = await fromPayload({ ...marking(), payloadCodecs: lenient(marking()) }, sent, context);
    expect(isUnreadable(note) && note.because).toBe('mark');
    const worker = new MacCodec({ secret: secretOf(1), log: () => undefined, marking: true });
    const [payload] = await worker.decode([sent], context);
    expect(isRefused(defaultPayloadConverter.fromPayload(payload!))).toBe(true);
  });

  test('that was marked with another secret, for another activity, or for nobody', async () => {
    for (const [sent, context] of [
      [await toPayload(marking(2), 'x', HERE), HERE],
      [await toPayload(marking(), 'x', { ...TURN, activityId: '2' }), TURN],
      [await toPayload(marking(), 'x'), HERE],
    ] as const)
      await expect(fromPayload(marking(), sent, context)).rejects.toBeInstanceOf(PayloadRefused);
  });
});

describe('the secret of a project', () => {
  test('is made once, also by many at once, and only its owner can read it', async () => {
    const dir = join(await folder(), '.raymond');
    const all = await Promise.all(Array.from({ length: 20 }, () => projectSecret(dir)));
    expect(new Set(all.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
    expect(all[0]?.bytes).toHaveLength(32);
    expect((await projectSecret(dir)).bytes).toEqual(all[0]?.bytes);
    expect(await readdir(dir)).toEqual(['secret']);
    expect((await stat(join(dir, 'secret'))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['is open to others', 0o640, undefined, 'is open to other users'],
    ['was cut off', 0o600, 'c2hvcnQ=', 'holds no secret of 32 bytes'],
    ['is empty', 0o600, '', 'holds no secret of 32 bytes'],
  ])('is refused when its file %s, and stays as it is', async (...[, mode, text, message]) => {
    const dir = await folder();
    await projectSecret(dir);
    const file = join(dir, 'secret');
    if (text !== undefined) await writeFile(file, text);
    await chmod(file, mode);
    const before = await readFile(file, 'utf8');
    const refused = await projectSecret(dir).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(KeyError);
    expect((refused as Error).message).toContain(message);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('that cannot be made is said so, with its place and why', async () => {
    const dir = join(await folder({ '.raymond': '' }), '.raymond');
    await expect(projectSecret(dir)).rejects.toThrow(`${join(dir, 'secret')}, cannot be `);
  });
});
