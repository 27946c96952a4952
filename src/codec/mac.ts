// The mark of a project on what it puts into its embedded server, which has no login: a MAC in the payload's metadata, over all that the
// payload is and the workflow or activity that it is meant for. The payload itself stays readable.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type SerializationContext,
} from '@temporalio/common';
import { scheduleOf } from '../protocol/ids.js';
import { KeyError } from './keys.js';
import type { Log } from './log.js';
import { REFUSED } from './refused.js';
import type { Secret } from './secret.js';

const FIELD = 'raymond-mac';

/** Keeps what is marked here apart from whatever else may be made with the secret. */
const PURPOSE = 'raymond payload 1';

/** Thrown for a value that somebody else has put into the embedded server. */
export class PayloadRefused extends KeyError {
  override readonly name = 'PayloadRefused';
}

interface MacOptions {
  readonly secret: Secret;
  /** Hears what a worker refuses. */
  readonly log: Log;
  /** True of a worker: what is refused becomes `REFUSED` instead of an error, so that it can be refused for good. */
  readonly marking?: boolean;
}

/** Marks what is sent, and refuses what is not marked. Stands last, so that nothing foreign is decrypted or fetched. */
export class MacCodec implements PayloadCodec {
  constructor(readonly options: MacOptions) {}

  encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    // What is meant for nobody in particular is not marked: it could be sent to anybody.
    if (context === undefined) return Promise.resolve(payloads);
    return Promise.resolve(payloads.map((payload) => this.marked(payload, context)));
  }

  // Asynchronous, so that what is refused is a rejection.
  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return await Promise.resolve(payloads.map((payload) => this.checked(payload, context)));
  }

  private marked(payload: Payload, context: SerializationContext): Payload {
    return { ...payload, metadata: { ...payload.metadata, [FIELD]: this.macOf(payload, context) } };
  }

  private checked({ metadata, ...rest }: Payload, context: SerializationContext | undefined): Payload {
    const { [FIELD]: mac, ...own } = metadata ?? {};
    const payload = { ...rest, metadata: own };
    const isOurs = (place: SerializationContext): boolean =>
      mac !== undefined && isEqual(mac, this.macOf(payload, place));
    if (context !== undefined && [context, ...ofSchedule(context)].some(isOurs)) return payload;
    if (this.options.marking === true) return defaultPayloadConverter.toPayload(REFUSED);
    const { file } = this.options.secret;
    throw new PayloadRefused(
      `a value does not carry the mark of this project: somebody else has put it into the embedded server, or ${file} is another one than when it was written`,
    );
  }

  private macOf({ metadata, data }: Payload, context: SerializationContext): Buffer {
    const mac = createHmac('sha256', this.options.secret.bytes);
    const fields = Object.entries(metadata ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
    const parts = [PURPOSE, ...placeOf(context), `${fields.length}`, ...fields.flat(), data ?? ''];
    for (const part of parts.map((one) => Buffer.from(one))) mac.update(lengthOf(part)).update(part);
    return mac.digest();
  }
}

/** What a schedule starts its runs with was marked before their ids were known. */
function ofSchedule(context: SerializationContext): readonly SerializationContext[] {
  const schedule = context.type === 'workflow' ? scheduleOf(context.workflowId) : undefined;
  return schedule === undefined ? [] : [{ ...context, workflowId: schedule }];
}

/** Where a payload belongs, as far as a codec is told: not which signal or which execution of the workflow it is. */
function placeOf({ type, namespace, workflowId, ...rest }: SerializationContext): readonly string[] {
  const activityId = 'activityId' in rest ? rest.activityId : undefined;
  return [type, namespace, workflowId ?? '', activityId ?? ''];
}

/** In front of each part, so that no two lists of parts are the same bytes. */
function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(part.length));
  return length;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
