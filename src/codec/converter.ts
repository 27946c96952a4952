// How values become payloads for everybody who talks to Temporal: worker, client, and whoever reads a payload by hand.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DataConverter, LoadedDataConverter, Payload } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { KeyringCodec } from './cipher.js';
import type { Keyring } from './keys.js';
import { hidingFailures } from './workflow-failures.js';

/** The converter of a project. Without keys it still says which one a value needs. */
export function converterOf(ring: Keyring): DataConverter {
  const failureConverterPath = fileURLToPath(new URL('../codec/hidden-failures.cjs', import.meta.url));
  return { payloadCodecs: [new KeyringCodec(ring)], ...(ring.keys.length === 0 ? {} : { failureConverterPath }) };
}

/** The workflow bundle as a worker with this converter loads it: what it fails with is hidden if values are. */
export async function workflowBundleFor({ failureConverterPath }: DataConverter): Promise<WorkflowBundleOption> {
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  return failureConverterPath === undefined ? { codePath } : { code: hidingFailures(await readFile(codePath, 'utf8')) };
}

/** The part of a converter that turns values into payloads and back. */
export type Payloads = Pick<LoadedDataConverter, 'payloadConverter' | 'payloadCodecs'>;

/** That part of a project's converter, for payloads that come from elsewhere than a client. */
export function payloadsOf(ring: Keyring): Payloads {
  return { payloadConverter: defaultPayloadConverter, payloadCodecs: [new KeyringCodec(ring)] };
}

/** A value as a client or worker with this converter sends it. */
export async function toPayload({ payloadConverter, payloadCodecs }: Payloads, value: unknown): Promise<Payload> {
  let payloads = [payloadConverter.toPayload(value)];
  for (const codec of payloadCodecs) payloads = await codec.encode(payloads);
  return only(payloads);
}

/** The value of a payload that was sent so. Throws `KeyError`. */
export async function fromPayload({ payloadConverter, payloadCodecs }: Payloads, payload: Payload): Promise<unknown> {
  let payloads = [payload];
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  return payloadConverter.fromPayload(only(payloads));
}

function only([payload]: readonly Payload[]): Payload {
  if (payload === undefined) throw new TypeError('a codec has lost a payload');
  return payload;
}
