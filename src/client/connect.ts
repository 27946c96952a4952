// Connecting to Temporal: an address with what belongs to it, from flags over environment over profile over config.
// Must not start a server.
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Client } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { NativeConnection } from '@temporalio/worker';
import { ClientError } from './error.js';

/** How to reach a cluster. */
export interface ClusterTarget {
  readonly address: string;
  readonly namespace: string;
  readonly options: NativeConnectionOptions;
}

/** What flags and config say about a cluster; everything else comes from the environment and the profile. */
export interface ClusterWish {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly apiKey?: string;
  readonly tls?: boolean;
}

/** An open connection. */
export interface Link {
  readonly connection: NativeConnection;
  readonly client: Client;
  readonly namespace: string;
  readonly address: string;
}

/** The cluster that is meant, or undefined when none is: then the embedded server is. Throws `InvalidUsage`. */
export function clusterTarget(
  wish: ClusterWish,
  environment: NodeJS.ProcessEnv = process.env,
): ClusterTarget | undefined {
  const loaded = load(wish, environment);
  const address = wish.address ?? loaded.connectionOptions.address;
  if (address === undefined) return undefined;
  const options: NativeConnectionOptions = {
    ...loaded.connectionOptions,
    address,
    ...(wish.apiKey === undefined ? {} : { apiKey: wish.apiKey }),
    ...(wish.tls === undefined ? {} : { tls: wish.tls }),
  };
  return { address, namespace: wish.namespace ?? loaded.namespace ?? 'default', options };
}

function load({ profile }: ClusterWish, environment: NodeJS.ProcessEnv): ReturnType<typeof loadClientConnectConfig> {
  const known = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    return loadClientConnectConfig({
      ...(profile === undefined ? {} : { profile }),
      overrideEnvVars: Object.fromEntries(known),
    });
  } catch (error) {
    throw new ClientError('InvalidUsage', `Temporal's client config cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Connects. Throws `Unreachable` naming the address. */
export async function connect({ address, namespace, options }: ClusterTarget): Promise<Link> {
  try {
    const connection = await NativeConnection.connect(options);
    return { connection, client: new Client({ connection, namespace }), namespace, address };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClientError(
      'Unreachable',
      `Temporal cannot be reached at ${address}: ${reason}; check the address, or leave --address out to use the embedded server`,
      {
        cause: error,
      },
    );
  }
}
