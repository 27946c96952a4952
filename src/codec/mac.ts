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

/** Separates these signatures from other uses of the secret. */
const PURPOSE = 'raymond payload 1';

/** Thrown for a value that another program has put into the embedded server. */
export class PayloadRefused extends KeyError {
  override readonly name = 'PayloadRefused';
}

interface MacOptions {
  readonly secret: Secret;
  /** Receives what a worker rejects. */
  readonly log: Log;
  /** True for a worker: a rejected value becomes `REFUSED` instead of an error, so that the rejection is final. */
  readonly marking?: boolean;
}

/** Signs what is sent, and rejects what is not signed. Comes last, so that no foreign value is decrypted or fetched. */
export class MacCodec implements PayloadCodec {
  constructor(readonly options: MacOptions) {}

  encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    // A value without a recipient is not signed: it could be sent to any workflow.
    if (context === undefined) return Promise.resolve(payloads);
    return Promise.resolve(payloads.map((payload) => this.marked(payload, context)));
  }

  // Asynchronous, so that a rejected value is a rejected promise.
  async decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return await Promise.resolve(payloads.map((payload) => this.checked(payload, context)));
  }

  private marked(payload: Payload, context: SerializationContext): Payload {
    return { ...payload, metadata: { ...payload.metadata, [FIELD]: this.macOf(payload, context) } };
  }

  private checked({ metadata, ...rest }: Payload, context: SerializationContext | undefined): Payload {
    const { [FIELD]: mac, ...own } = metadata ?? {};
    const payload = { ...rest, metadata: own };
    const isOurs = (candidate: SerializationContext): boolean =>
      mac !== undefined && isEqual(mac, this.macOf(payload, candidate));
    if (context !== undefined && [context, ...ofSchedule(context)].some(isOurs)) return payload;
    if (this.options.marking === true) return defaultPayloadConverter.toPayload(REFUSED);
    const { file } = this.options.secret;
    throw new PayloadRefused(
      `a value is not signed by this project: another program has put it into the embedded server, or ${file} was replaced since`,
    );
  }

  private macOf({ metadata, data }: Payload, context: SerializationContext): Buffer {
    const mac = createHmac('sha256', this.options.secret.bytes);
    const fields = Object.entries(metadata ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
    const parts = [PURPOSE, ...contextParts(context), `${fields.length}`, ...fields.flat(), data ?? ''];
    for (const part of parts.map((one) => Buffer.from(one))) mac.update(lengthOf(part)).update(part);
    return mac.digest();
  }
}

/** What a schedule starts its runs with was marked before their ids were known. */
function ofSchedule(context: SerializationContext): readonly SerializationContext[] {
  const schedule = context.type === 'workflow' ? scheduleOf(context.workflowId) : undefined;
  return schedule === undefined ? [] : [{ ...context, workflowId: schedule }];
}

/** The owner of a payload, as far as a codec knows: neither the signal nor the execution of the workflow. */
function contextParts({ type, namespace, workflowId, ...rest }: SerializationContext): readonly string[] {
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
