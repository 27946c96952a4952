// The last net under what goes to Temporal: a payload that is too large for it goes into the artifact store, and its reference is sent.
// What Raymond knows to be large it keeps there by itself (invariant I5); what arrives here was not foreseen, so the log names it.
import { readFile } from 'node:fs/promises';
import { ApplicationFailure, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import { TEMPORAL_LIMITS } from '../protocol/limits.js';
import { jsonOf, type ArtifactRef } from '../protocol/text.js';
import { storeFailure, type ArtifactStore } from '../store/store.js';
import { Once, quoted, type Log } from './log.js';

/** The largest payload that goes through Temporal by itself: a message of a few of them stays below its limit. */
export const MAX_PAYLOAD_BYTES = TEMPORAL_LIMITS.payloadBytes / 8;

const ENCODING_FIELD = 'encoding';
const ENCODING = 'json/raymond-artifact';

/** In front of the names of a payload's own metadata, in that of its reference. */
const OWN = 'of-';

/** Puts payloads above `MAX_PAYLOAD_BYTES` into the store, and fetches them again. Throws what the store does. */
export class OffloadCodec implements PayloadCodec {
  private readonly once: Once;

  constructor(
    private readonly store: ArtifactStore,
    log: Log,
  ) {
    this.once = new Once(log);
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return await Promise.all(payloads.map((payload) => this.kept(payload, context)));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return await Promise.all(payloads.map((payload) => this.fetched(payload)));
  }

  private async kept(payload: Payload, context: SerializationContext | undefined): Promise<Payload> {
    if (sizeOf(payload) <= MAX_PAYLOAD_BYTES) return payload;
    const { metadata } = payload;
    const bytes = payload.data ?? new Uint8Array();
    const reference = await this.store.put(bytes).catch((error: unknown) => {
      throw asFailure(error, context);
    });
    this.log(payload, reference, context);
    const own = Object.entries(metadata ?? {}).map(([name, value]) => [`${OWN}${name}`, value] as const);
    return {
      metadata: { ...Object.fromEntries(own), [ENCODING_FIELD]: Buffer.from(ENCODING) },
      data: Buffer.from(JSON.stringify(reference)),
    };
  }

  private async fetched(payload: Payload): Promise<Payload> {
    const reference = referenceIn(payload);
    if (reference === undefined) return payload;
    const own = Object.entries(payload.metadata ?? {}).filter(([name]) => name.startsWith(OWN));
    return {
      metadata: Object.fromEntries(own.map(([name, value]) => [name.slice(OWN.length), value])),
      data: await readFile(await this.store.locate(reference.sha256)),
    };
  }

  private log(payload: Payload, { sha256, bytes }: ArtifactRef, context?: SerializationContext): void {
    const size = `${(bytes / 1024).toFixed(0)} KiB`;
    const what = `a value of ${size} for ${whose(context)} is too large for Temporal: ${contentOf(payload)}`;
    this.once.log(sha256, `${what}; the artifact ${sha256} holds it`);
  }
}

function sizeOf({ metadata, data }: Payload): number {
  return Object.values(metadata ?? {}).reduce((sum, value) => sum + value.length, data?.length ?? 0);
}

/** An activity whose result finds no room is the agent's to judge, not Temporal's to try again. */
function asFailure(error: unknown, context: SerializationContext | undefined): unknown {
  const type = storeFailure(error);
  if (type === undefined || context?.type !== 'activity') return error;
  const cause = error as Error;
  return ApplicationFailure.create({ type, message: cause.message, nonRetryable: true, cause });
}

function referenceIn({ metadata, data }: Payload): ArtifactRef | undefined {
  if (textOf(metadata?.[ENCODING_FIELD]) !== ENCODING) return undefined;
  const { sha256, bytes } = parsed(textOf(data)) as Partial<ArtifactRef>;
  // Any other text would become part of a path.
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256) || typeof bytes !== 'number') return undefined;
  return { sha256, bytes };
}

function whose(context: SerializationContext | undefined): string {
  if (context === undefined) return 'nobody in particular';
  const workflow = `the workflow ${quoted(context.workflowId ?? '')}`;
  return context.type === 'activity' ? `activity ${context.activityId ?? '?'} of ${workflow}` : workflow;
}

const MOST_KEYS = 12;

/** What a value is, without saying what is in it. */
function contentOf({ metadata, data }: Payload): string {
  const encoding = quoted(textOf(metadata?.[ENCODING_FIELD]));
  const value = encoding === '"json/plain"' ? parsed(textOf(data)) : undefined;
  if (Array.isArray(value)) return `${encoding}, a list of ${value.length}`;
  if (typeof value === 'string') return `${encoding}, a text`;
  const keys = Object.keys(value ?? {});
  if (keys.length === 0) return encoding;
  return `${encoding} with ${keys.slice(0, MOST_KEYS).map(quoted).join(', ')}${keys.length > MOST_KEYS ? ', …' : ''}`;
}

/** An empty object for what is no JSON. */
function parsed(text: string): object | string {
  const value = jsonOf(text);
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? value : {};
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
