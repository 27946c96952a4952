// Reading what can be read: a value that no key fits becomes a note of why, instead of an error.
// Must not be used where the value itself is needed.
import type { Payload, PayloadCodec } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Payloads } from './converter.js';
import { KeyError } from './keys.js';

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
