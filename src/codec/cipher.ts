// The payload codec: AES-256-GCM over whole payloads, in the form of Temporal's own samples, so that their codec servers read it.
// What is not encrypted stays as it is: histories from before the keys stay readable.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { KeyError, KEYS_SETTING, type Key, type Keyring } from './keys.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENCODING = 'binary/encrypted';
const ENCODING_FIELD = 'encoding';
const KEY_FIELD = 'encryption-key-id';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/** Encrypts with the first key of a ring, decrypts with all; without keys it only reports what it cannot read. */
export class KeyringCodec implements PayloadCodec {
  constructor(private readonly ring: Keyring) {}

  encode(payloads: Payload[]): Promise<Payload[]> {
    const [key] = this.ring.keys;
    return Promise.resolve(key === undefined ? payloads : payloads.map((payload) => sealed(payload, key)));
  }

  // Asynchronous, so that what cannot be read is a rejection.
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return await Promise.resolve(payloads.map((payload) => (isSealed(payload) ? this.opened(payload) : payload)));
  }

  private opened({ metadata, data }: Payload): Payload {
    const id = text(metadata?.[KEY_FIELD]);
    const key = this.ring.keys.find((one) => one.id === id);
    if (key === undefined) throw new KeyError(this.missing(id));
    try {
      return PayloadMessage.decode(decrypt(data ?? new Uint8Array(), key));
    } catch (error) {
      const message = `a value was not encrypted with the key "${id}" of ${this.ring.file ?? KEYS_SETTING}, or was changed since; put the right key into the file that ${KEYS_SETTING} names`;
      throw new KeyError(message, { cause: error });
    }
  }

  private missing(id: string): string {
    const head = `a value is encrypted with the key "${id}"`;
    const { file } = this.ring;
    return file === undefined
      ? `${head}; name a file that holds it as ${KEYS_SETTING} in .raymond/config.toml`
      : `${head}, which is not in ${file} (${KEYS_SETTING}); add it there`;
  }
}

function sealed(payload: Payload, key: Key): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.secret, nonce);
  const plain = PayloadMessage.encode(payload).finish();
  return {
    metadata: { [ENCODING_FIELD]: Buffer.from(ENCODING), [KEY_FIELD]: Buffer.from(key.id) },
    data: Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
  };
}

function decrypt(data: Uint8Array, { secret }: Key): Uint8Array {
  const decipher = createDecipheriv(ALGORITHM, secret, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

function isSealed({ metadata }: Payload): boolean {
  return text(metadata?.[ENCODING_FIELD]) === ENCODING;
}

function text(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
