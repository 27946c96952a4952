// Making what Temporal exports readable: every payload in a structure becomes its value, whether bytes or base64 text hold it; and
// reading what can be read, where a value that no key fits becomes a note of why.
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { fromPayload, type Payloads } from './converter.js';
import { KeyError } from './keys.js';

type Fields = Readonly<Record<string, unknown>>;

/** The structure with values in the place of payloads. Throws `KeyError` for one that no key fits. */
export async function readable(value: unknown, converter: Payloads): Promise<unknown> {
  if (Array.isArray(value)) return await Promise.all(value.map((item: unknown) => readable(item, converter)));
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (!isFields(value)) return value;
  const payload = payloadIn(value);
  if (payload !== undefined) return shown(await fromPayload(converter, payload));
  const time = timeIn(value);
  if (time !== undefined) return time;
  const entries = await Promise.all(
    Object.entries(value).map(async ([name, field]) => [name, await readable(field, converter)] as const),
  );
  return withAttributes(Object.fromEntries(entries));
}

/** A payload has an encoding, and nothing besides metadata and data. */
function payloadIn({ metadata, data, ...others }: Fields): Payload | undefined {
  const unknown = Object.keys(others).filter((name) => name !== 'externalPayloads');
  if (!isFields(metadata) || metadata['encoding'] === undefined || unknown.length > 0) return undefined;
  const fields = Object.entries(metadata).map(([name, bytes]) => [name, bytesOf(bytes)] as const);
  return { metadata: Object.fromEntries(fields), data: bytesOf(data) };
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(typeof value === 'string' ? value : '', 'base64');
}

/** `{ seconds, nanos }` is a time of this century, else a duration, which stays as it is. */
function timeIn({ seconds, nanos, ...others }: Fields): string | undefined {
  if (typeof seconds !== 'string' || Object.keys(others).length > 0) return undefined;
  const ms = Number(seconds) * 1000 + Math.floor((typeof nanos === 'number' ? nanos : 0) / 1e6);
  return ms > FIRST_TIME_MS ? new Date(ms).toISOString() : undefined;
}

const FIRST_TIME_MS = Date.UTC(2000);

/** Message and stack trace of a failure that was hidden stand where they would stand otherwise. */
function withAttributes({ encodedAttributes, ...fields }: Fields): Fields {
  if (!isFields(encodedAttributes)) return encodedAttributes === undefined ? fields : { ...fields, encodedAttributes };
  const { message, stack_trace: stackTrace } = encodedAttributes;
  return {
    ...fields,
    ...(message === undefined ? {} : { message }),
    ...(stackTrace === undefined ? {} : { stackTrace }),
  };
}

function shown(value: unknown): unknown {
  if (value === undefined) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands in the place of a value that cannot be decrypted. */
export interface Unreadable {
  readonly unreadable: string;
}

/** True for the note, false for a value of Raymond's own. */
export function isUnreadable(value: unknown): value is Unreadable {
  return typeof value === 'object' && value !== null && 'unreadable' in value;
}

/** The same codecs, which never fail for a missing key. */
export function lenient({ payloadCodecs }: Pick<Payloads, 'payloadCodecs'>): PayloadCodec[] {
  return payloadCodecs.map((codec) => ({
    encode: (payloads) => codec.encode(payloads),
    decode: (payloads) => Promise.all(payloads.map((payload) => opened(codec, payload))),
  }));
}

async function opened(codec: PayloadCodec, payload: Payload): Promise<Payload> {
  try {
    return (await codec.decode([payload]))[0] ?? payload;
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    const note: Unreadable = { unreadable: error.message };
    return defaultPayloadConverter.toPayload(note);
  }
}
