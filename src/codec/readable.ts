// Making what Temporal exports readable: every payload in a structure becomes its value, whether bytes or base64 text hold it; and
// reading what can be read, where a value that cannot be read becomes a note of why.
import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import { ArtifactMissing } from '../store/store.js';
import { fromPayload, type Payloads } from './converter.js';
import { KeyError } from './keys.js';
import { PayloadRefused } from './mac.js';

type Fields = Readonly<Record<string, unknown>>;

/** The structure with values instead of payloads. Throws `KeyError` for one that no key fits, `ArtifactMissing`. */
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

/** Replaces a value that cannot be read. */
export interface Unreadable {
  readonly unreadable: string;
  /** Its key is missing, it does not carry the mark of this project, or its artifact is missing. */
  readonly because: 'key' | 'mark' | 'artifact';
}

/** True for the note, false for a value of Raymond's own. */
export function isUnreadable(value: unknown): value is Unreadable {
  return typeof value === 'object' && value !== null && 'unreadable' in value;
}

/** Why a value cannot be read; undefined for an error with another cause. */
export function whyUnreadable(error: unknown): Unreadable | undefined {
  if (error instanceof PayloadRefused) return { unreadable: error.message, because: 'mark' };
  if (error instanceof KeyError) return { unreadable: error.message, because: 'key' };
  if (error instanceof ArtifactMissing) return { unreadable: `a large value: ${error.message}`, because: 'artifact' };
  return undefined;
}

/** The same codecs, which never fail for a value that cannot be read. */
export function lenient({ payloadCodecs }: Pick<Payloads, 'payloadCodecs'>): PayloadCodec[] {
  return payloadCodecs.map((codec) => ({
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: (payloads, context) => Promise.all(payloads.map((payload) => opened(codec, payload, context))),
  }));
}

async function opened(codec: PayloadCodec, payload: Payload, context?: SerializationContext): Promise<Payload> {
  try {
    return (await codec.decode([payload], context))[0] ?? payload;
  } catch (error) {
    const note = whyUnreadable(error);
    if (note === undefined) throw error;
    return defaultPayloadConverter.toPayload(note);
  }
}
