// Connecting to Temporal: an address with what belongs to it, from flags over environment over profile over config; and what Temporal
// itself says no to (an unknown namespace, a missing right, a server that went away), as an error to branch on.
import { setTimeout as delay } from 'node:timers/promises';
import { Client, NamespaceNotFoundError, ServiceError, isGrpcServiceError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { converterOf } from '../codec/converter.js';
import { NO_KEYS, type Keyring } from '../codec/keys.js';
import { ClientError } from './error.js';

const CONNECT_MS = 8000;

/** How to reach a cluster. */
export interface ClusterTarget {
  readonly address: string;
  readonly namespace: string;
  readonly options: NativeConnectionOptions;
}

/** What flags say about a cluster; `fallback` (the config) counts only where environment and profile say nothing. */
export interface ClusterOptions {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly apiKey?: string;
  readonly tls?: boolean;
  readonly fallback?: { readonly address?: string | undefined; readonly namespace?: string | undefined };
}

/** An open connection. */
export interface Link {
  readonly connection: NativeConnection;
  readonly client: Client;
  readonly namespace: string;
  readonly address: string;
  /** How values go to Temporal and come back; a worker of this link needs the same. */
  readonly dataConverter: DataConverter;
}

/** The cluster that is meant, or undefined when none is: then the embedded server is. Throws `InvalidUsage`. */
export function clusterTarget(wish: ClusterOptions, environment: NodeJS.ProcessEnv): ClusterTarget | undefined {
  const loaded = load(wish, environment);
  const address = wish.address ?? loaded.connectionOptions.address ?? wish.fallback?.address;
  if (address === undefined) return undefined;
  const options: NativeConnectionOptions = {
    ...loaded.connectionOptions,
    address,
    ...(wish.apiKey === undefined ? {} : { apiKey: wish.apiKey }),
    ...(wish.tls === undefined ? {} : { tls: wish.tls }),
  };
  return { address, namespace: wish.namespace ?? loaded.namespace ?? wish.fallback?.namespace ?? 'default', options };
}

function load({ profile }: ClusterOptions, environment: NodeJS.ProcessEnv): ReturnType<typeof loadClientConnectConfig> {
  // An empty variable is one that is not set: `TEMPORAL_ADDRESS= raymond start` means the embedded server.
  const known = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  try {
    return loadClientConnectConfig({
      ...(profile === undefined ? {} : { profile }),
      overrideEnvVars: Object.fromEntries(known),
    });
  } catch (error) {
    // The library falls over a file without profiles, also an empty one, and does not say so.
    const why =
      error instanceof TypeError ? 'it has no [profile.NAME]; add one, or remove it' : (error as Error).message;
    throw new ClientError('InvalidUsage', `Temporal's client config cannot be used: ${why}`, { cause: error });
  }
}

/** Connects; values are encrypted with `keys`. Throws `Unreachable` naming the address. */
export async function connect({ address, namespace, options }: ClusterTarget, keys: Keyring = NO_KEYS): Promise<Link> {
  const dataConverter = converterOf(keys);
  try {
    const connection = await inTime(NativeConnection.connect(options));
    return {
      connection,
      client: new Client({ connection, namespace, dataConverter }),
      namespace,
      address,
      dataConverter,
    };
  } catch (error) {
    throw new ClientError(
      'Unreachable',
      `Temporal cannot be reached at ${address}: ${reasonOf(error)}; check the address, or leave --address out to use the embedded server`,
      {
        cause: error,
      },
    );
  }
}

/** A host that takes the connection and never answers must not hold a command for ever. */
async function inTime(connecting: Promise<NativeConnection>): Promise<NativeConnection> {
  const timer = new AbortController();
  const late = delay(CONNECT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no answer within ${CONNECT_MS / 1000} seconds`);
  });
  try {
    return await Promise.race([connecting, late]);
  } finally {
    timer.abort();
  }
}

/** The native layer nests causes in a text of its own; the innermost one is what people understand. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return [...text.matchAll(/\b(?:message|error): "([^"]+)"/g)].at(-1)?.[1] ?? text;
}

/** Temporal's refusal in one sentence; undefined when the error comes from elsewhere. */
export function temporalError(error: unknown): ClientError | undefined {
  if (error instanceof NamespaceNotFoundError) {
    const message = `Temporal has no namespace "${error.namespace}"; create it, or name another one by --namespace`;
    return new ClientError('Unreachable', message, { cause: error });
  }
  // The client wraps what the connection throws; calls on the connection itself are not wrapped.
  const told = [error, error instanceof ServiceError ? error.cause : undefined].find(isGrpcServiceError);
  if (told === undefined) return undefined;
  const said = told.details === '' ? told.message : told.details;
  return new ClientError(
    'Unreachable',
    `Temporal refused the call: ${said}; see that its server is up and lets you in`,
    {
      cause: error,
    },
  );
}
