// The file of keys as people write it, and the codec over it: what comes back is what went in, or one clear error.
import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Payload } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import fc from 'fast-check';
import { KeyringCodec } from '../../src/codec/cipher.js';
import { fromPayload, payloadsOf, toPayload, type Payloads } from '../../src/codec/converter.js';
import { KeyError, NO_KEYS, readKeys, type Keyring } from '../../src/codec/keys.js';
import { FolderStore } from '../../src/store/folder.js';
import { folder } from '../support/folder.js';

const A = Buffer.alloc(32, 1).toString('base64');
const B = Buffer.alloc(32, 2).toString('base64');

async function ring(text: string, mode = 0o600): Promise<Keyring> {
  const file = join(await folder({ keys: text }), 'keys');
  await chmod(file, mode);
  return await readKeys(file);
}

test('keys are read in their order; comments, blank lines, white space and Windows line ends do not count', async () => {
  const { keys } = await ring(`# mine\r\n\r\nb : ${B}\r\n  a:${A}\n`);
  expect(keys.map(({ id, secret }) => [id, Buffer.from(secret).toString('base64')])).toEqual([
    ['b', B],
    ['a', A],
  ]);
});

describe('a file of keys is refused', () => {
  test.each([
    ['without a key', '# none\n', 0o600, 'holds no key'],
    ['with a key without a name', `${A}\n`, 0o600, 'keys:1: this is no key of 32 bytes'],
    ['with a key that is too short', `\na:${Buffer.alloc(16).toString('base64')}\n`, 0o600, 'keys:2: this is no key'],
    ['with something else', `a:${A}\nb:***\n`, 0o600, 'keys:2: this is no key of 32 bytes'],
    ['with the same name twice', `a:${A}\na:${B}\n`, 0o600, 'keys:2: the key "a" is repeated'],
    ['that others can read', `a:${A}\n`, 0o644, 'chmod 600 '],
    ['that a group can write', `a:${A}\n`, 0o660, 'chmod 600 '],
  ])('%s', async (...[, text, mode, message]) => {
    const refused = await ring(text, mode).catch((error: unknown) => error as Error);
    expect(refused).toBeInstanceOf(KeyError);
    expect((refused as Error).message).toContain(message);
    expect((refused as Error).message).not.toContain(A);
  });

  test('that is a pipe, without waiting for a writer', async () => {
    const file = join(await folder(), 'keys');
    execFileSync('mkfifo', ['-m', '600', file]);
    await expect(readKeys(file)).rejects.toThrow('cannot be read: it is a pipe, not a file');
  });
});

const keys = (...ids: readonly string[]): Keyring => ({
  file: 'F',
  keys: ids.map((id) => ({ id, secret: Buffer.alloc(32, id) })),
});

// Nothing here is large: nothing goes into a store.
const withKeys = (ring: Keyring): Payloads => payloadsOf({ keys: ring, store: new FolderStore('/nowhere') });

test('any value comes back, and what is sent shows nothing but the name of the key', async () => {
  const payloads = withKeys(keys('a'));
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const sent = await toPayload(payloads, value);
      expect(Object.keys(sent.metadata ?? {}).sort()).toEqual(['encoding', 'encryption-key-id']);
      expect(await fromPayload(payloads, sent)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('the same value is never sent alike twice', async () => {
  const payloads = withKeys(keys('a'));
  const [one, two] = [await toPayload(payloads, 'x'), await toPayload(payloads, 'x')];
  expect(Buffer.from(one.data ?? [])).not.toEqual(Buffer.from(two.data ?? []));
});

test('the first key encrypts and all decrypt; values from before the keys stay readable', async () => {
  const old = await toPayload(withKeys(keys('a')), 'old');
  const both = withKeys(keys('b', 'a'));
  expect(await fromPayload(both, old)).toBe('old');
  expect(await fromPayload(withKeys(keys('b')), await toPayload(both, 'new'))).toBe('new');
  expect(await fromPayload(both, defaultPayloadConverter.toPayload('plain'))).toBe('plain');
  expect(await fromPayload(withKeys(NO_KEYS), await toPayload(withKeys(NO_KEYS), 'plain'))).toBe('plain');
});

test.each<readonly [string, Keyring, (sent: Payload) => Payload, string]>([
  ['the key is missing', keys('b'), (sent) => sent, 'the key "a", which is not in F (encryption_keys)'],
  ['no key is named', NO_KEYS, (sent) => sent, 'the key "a"; name a file that holds it as encryption_keys'],
  ['the key is another one', { keys: [{ id: 'a', secret: Buffer.alloc(32, 9) }] }, (sent) => sent, 'the key "a"'],
  ['it was changed', keys('a'), (sent) => ({ ...sent, data: flipped(sent.data) }), 'was changed since'],
  ['it was cut off', keys('a'), (sent) => ({ ...sent, data: (sent.data ?? []).slice(0, 20) as Uint8Array }), 'changed'],
  ['it is empty', keys('a'), ({ metadata }) => ({ metadata: metadata ?? {} }), 'was changed since'],
])('a value cannot be read and says so when %s', async (...[, having, change, message]) => {
  const sent = change(await toPayload(withKeys(keys('a')), 'x'));
  await expect(new KeyringCodec(having).decode([sent])).rejects.toThrow(message);
  await expect(new KeyringCodec(having).decode([sent])).rejects.toBeInstanceOf(KeyError);
});

function flipped(data: Uint8Array | null | undefined): Uint8Array {
  const bytes = Buffer.from(data ?? []);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return bytes;
}
