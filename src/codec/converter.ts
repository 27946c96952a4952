// How values become payloads for every user of Temporal: worker, client, and `raymond decode`. What is large goes
// into the artifact store, then what there are keys for is encrypted, then what goes to an embedded server is marked.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DataConverter, LoadedDataConverter, Payload, SerializationContext } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { ArtifactStore } from '../store/store.js';
import { KeyringCodec } from './cipher.js';
import type { Keyring } from './keys.js';
import type { Log } from './log.js';
import { MacCodec } from './mac.js';
import { OffloadCodec } from './offload.js';
import { refusing } from './refused.js';
import type { Secret } from './secret.js';
import { hidingFailures } from './workflow-failures.js';

/** What a project's values are sent and read with. */
export interface ConverterOptions {
  readonly keys: Keyring;
  /** Takes the values that are too large for Temporal. */
  readonly store: ArtifactStore;
  /** Of an embedded server: only what is marked with it counts. */
  readonly secret?: Secret;
  /** Receives values that were too large and rejected work; absent = they are dropped. */
  readonly log?: Log;
}

/** The converter of a project. Without keys it still says which one a value needs. */
export function converterOf(options: ConverterOptions): DataConverter {
  const failureConverterPath = fileURLToPath(new URL('../codec/hidden-failures.cjs', import.meta.url));
  return { payloadCodecs: codecsOf(options), ...(options.keys.keys.length === 0 ? {} : { failureConverterPath }) };
}

function codecsOf({ keys, store, secret, log = () => undefined }: ConverterOptions): Payloads['payloadCodecs'] {
  const marks = secret === undefined ? [] : [new MacCodec({ secret, log })];
  return [new OffloadCodec(store, log), new KeyringCodec(keys), ...marks];
}

/**
 * The workflow bundle for a worker with this converter: it hides its failures if values are hidden, and rejects
 * unsigned messages.
 */
export async function workflowBundleFor({
  failureConverterPath,
  payloadCodecs = [],
}: DataConverter): Promise<WorkflowBundleOption> {
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  const refuses = payloadCodecs.some((codec) => codec instanceof MacCodec);
  if (failureConverterPath === undefined && !refuses) return { codePath };
  const code = await readFile(codePath, 'utf8');
  const hiding = failureConverterPath === undefined ? code : hidingFailures(code);
  return { code: refuses ? refusing(hiding) : hiding };
}

/** The part of a converter that turns values into payloads and back. */
export type Payloads = Pick<LoadedDataConverter, 'payloadConverter' | 'payloadCodecs'>;

/** This part of a project's converter, for payloads that no client sent. */
export function payloadsOf(options: ConverterOptions): Payloads {
  return { payloadConverter: defaultPayloadConverter, payloadCodecs: codecsOf(options) };
}

/** The same for values that are only displayed, from any sender. */
export function unchecked({ payloadConverter, payloadCodecs }: Payloads): Payloads {
  return { payloadConverter, payloadCodecs: payloadCodecs.filter((codec) => !(codec instanceof MacCodec)) };
}

/** A value as a client or worker with this converter sends it to where `context` says. */
export async function toPayload(
  { payloadConverter, payloadCodecs }: Payloads,
  value: unknown,
  context?: SerializationContext,
): Promise<Payload> {
  let payloads = [payloadConverter.toPayload(value)];
  for (const codec of payloadCodecs) payloads = await codec.encode(payloads, context);
  return only(payloads);
}

/** The value of a payload that was sent so. Throws `KeyError`, `ArtifactMissing`. */
export async function fromPayload(
  { payloadConverter, payloadCodecs }: Payloads,
  payload: Payload,
  context?: SerializationContext,
): Promise<unknown> {
  let payloads = [payload];
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads, context);
  return payloadConverter.fromPayload(only(payloads));
}

function only([payload]: readonly Payload[]): Payload {
  if (payload === undefined) throw new TypeError('a codec has lost a payload');
  return payload;
}
