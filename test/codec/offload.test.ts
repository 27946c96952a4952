// The codec that keeps large payloads out of Temporal: what comes back is what went in, whatever it is; and what is missing is named.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApplicationFailure, METADATA_ENCODING_KEY, type Payload, type SerializationContext } from '@temporalio/common';
import fc from 'fast-check';
import { fromPayload, payloadsOf, toPayload, type ConverterOptions } from '../../src/codec/converter.js';
import { NO_KEYS } from '../../src/codec/keys.js';
import { MAX_PAYLOAD_BYTES, OffloadCodec } from '../../src/codec/offload.js';
import { isUnreadable, lenient, readable } from '../../src/codec/readable.js';
import { FolderStore } from '../../src/store/folder.js';
import { ArtifactMissing, StoreUnwritable } from '../../src/store/store.js';
import { folder } from '../support/folder.js';

const WORKFLOW: SerializationContext = { type: 'workflow', namespace: 'default', workflowId: 'r/main' };
const ACTIVITY: SerializationContext = { ...WORKFLOW, type: 'activity', activityId: '7', isLocal: false };
const LARGE = { runId: 'r', text: 'x'.repeat(MAX_PAYLOAD_BYTES) };

let dir: string;
let said: string[];
let options: ConverterOptions;
let codec: OffloadCodec;
beforeEach(async () => {
  dir = join(await folder(), 'artifacts');
  said = [];
  options = { keys: NO_KEYS, store: new FolderStore(dir), log: (line) => said.push(line) };
  codec = new OffloadCodec(options.store, (line) => said.push(line));
});

const plain = (data: Uint8Array): Payload => ({
  metadata: { [METADATA_ENCODING_KEY]: Buffer.from('binary/plain') },
  data,
});
const encodingOf = ({ metadata }: Payload): string => Buffer.from(metadata?.['encoding'] ?? []).toString();
const bytesFor = (total: number): Payload => plain(Buffer.alloc(total - 'binary/plain'.length, 1));

test('a payload of 256 KiB goes by itself, a larger one as a reference that is short', async () => {
  const [most, more] = await codec.encode([bytesFor(MAX_PAYLOAD_BYTES), bytesFor(MAX_PAYLOAD_BYTES + 1)], WORKFLOW);
  expect(encodingOf(most!)).toBe('binary/plain');
  expect(encodingOf(more!)).toBe('json/raymond-artifact');
  expect(JSON.parse(Buffer.from(more!.data ?? []).toString())).toMatchObject({ bytes: MAX_PAYLOAD_BYTES - 11 });
});

test('any payload comes back with all its metadata', async () => {
  const bytes = fc.uint8Array({ maxLength: 20 });
  const size = fc.constantFrom(0, 10, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES + 1);
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), bytes), size, async (metadata, length) => {
      const payload = { metadata, data: new Uint8Array(Buffer.alloc(length, 2)) };
      const [back] = await codec.decode(await codec.encode([payload], WORKFLOW));
      const [fields, data] = [Object.entries(back?.metadata ?? {}), Buffer.from(back?.data ?? [])];
      expect(fields.map(([name, value]) => [name, Buffer.from(value)])).toEqual(
        Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value)]),
      );
      expect(data.equals(Buffer.alloc(length, 2))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('the artifact holds the value as it is, also when its reference is encrypted', async () => {
  const keys = { keys: [{ id: 'a', secret: Buffer.alloc(32, 1) }] };
  const sent = await toPayload(payloadsOf({ ...options, keys }), LARGE, WORKFLOW);
  expect(encodingOf(sent)).toBe('binary/encrypted');
  const [, sha256 = ''] = /artifact ([0-9a-f]{64})/.exec(said.join()) ?? [];
  expect(JSON.parse(await readFile(await options.store.locate(sha256), 'utf8'))).toEqual(LARGE);
  expect(await fromPayload(payloadsOf({ ...options, keys }), sent, WORKFLOW)).toEqual(LARGE);
  expect(await readable({ input: { payloads: [sent] } }, payloadsOf({ ...options, keys }))).toEqual({
    input: { payloads: [LARGE] },
  });
});

describe('the log names a value once, by what it is and not by what is in it', () => {
  const many = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`k${n}`, n === 0 ? LARGE.text : n]));
  test.each<[string, unknown, SerializationContext | undefined, string]>([
    [
      'an object',
      LARGE,
      WORKFLOW,
      'a value of 256 KiB for the workflow "r/main" is too large for Temporal: "json/plain" with "runId", "text"; the artifact ',
    ],
    ['many keys', many, WORKFLOW, '"k10", "k11", …; the artifact '],
    [
      'a list',
      [LARGE.text, 1],
      ACTIVITY,
      ' for activity 7 of the workflow "r/main" is too large for Temporal: "json/plain", a list of 2; ',
    ],
    ['a text', LARGE.text, undefined, ' for nobody in particular is too large for Temporal: "json/plain", a text; '],
    ['bytes', Buffer.alloc(MAX_PAYLOAD_BYTES, 1), WORKFLOW, 'Temporal: "binary/plain"; '],
    [
      'a name that would move the cursor',
      { '\u001b[2J\u009b': LARGE.text },
      WORKFLOW,
      String.raw`with "\u001b[2J\u{9b}"; `,
    ],
  ])('%s', async (...[, value, context, line]) => {
    for (let n = 0; n < 2; n++) await toPayload(payloadsOf(options), value, context);
    const [first, ...others] = said;
    expect(first).toContain(line);
    expect(first).not.toContain('xxx');
    // Each converter tells by itself.
    expect(others).toEqual([first]);
  });

  test('however often it is sent', async () => {
    for (let n = 0; n < 3; n++) await codec.encode([bytesFor(MAX_PAYLOAD_BYTES + 1)], WORKFLOW);
    expect(said).toHaveLength(1);
  });
});

describe('a value whose artifact is missing', () => {
  test('is an error that names it and its place, or where others count a note', async () => {
    const payloads = payloadsOf(options);
    const sent = await toPayload(payloads, LARGE, WORKFLOW);
    await rm(dir, { recursive: true });
    const error = await fromPayload(payloads, sent, WORKFLOW).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArtifactMissing);
    const { sha256, message } = error as ArtifactMissing;
    expect(message).toContain(join(dir, sha256.slice(0, 2), sha256));
    const note = await fromPayload({ ...payloads, payloadCodecs: lenient(payloads) }, sent, WORKFLOW);
    expect(isUnreadable(note)).toBe(true);
    expect(note).toEqual({ because: 'artifact', unreadable: `a large value: ${message}` });
  });

  test.each(['../../etc/passwd', 'A'.repeat(64), 7])('a reference to %s is none', async (sha256) => {
    const data = Buffer.from(JSON.stringify({ sha256, bytes: 1 }));
    const forged = { metadata: { encoding: Buffer.from('json/raymond-artifact') }, data };
    expect(await codec.decode([forged])).toEqual([forged]);
  });
});

test('a store that takes nothing more is said so; of an activity, as a failure that a person fixes', async () => {
  // A file where the folder should be: nobody can write there, not even root.
  const store = new FolderStore(join(await folder({ artifacts: '' }), 'artifacts'));
  const full = new OffloadCodec(store, () => undefined);
  const large = bytesFor(MAX_PAYLOAD_BYTES + 1);
  await expect(full.encode([large], WORKFLOW)).rejects.toBeInstanceOf(StoreUnwritable);
  const failure = await full.encode([large], ACTIVITY).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'DiskTrouble', nonRetryable: true });
});
