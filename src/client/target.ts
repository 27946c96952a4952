// The cluster to use: an address with its settings, from flags over environment over profile over config. Does not load
// the SDK's connection.
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { ClientError } from './error.js';

/** How to reach a cluster. */
export interface ClusterTarget {
  readonly address: string;
  readonly namespace: string;
  readonly options: NativeConnectionOptions;
}

/** What flags say about a cluster; `fallback` (the config) is used only when environment and profile say nothing. */
export interface ClusterOptions {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly apiKey?: string;
  readonly tls?: boolean;
  readonly fallback?: { readonly address?: string | undefined; readonly namespace?: string | undefined };
}

/** The cluster, or undefined for the embedded server. Throws `InvalidUsage`. */
export function clusterTarget(cluster: ClusterOptions, environment: NodeJS.ProcessEnv): ClusterTarget | undefined {
  const loaded = load(cluster, environment);
  const address = cluster.address ?? loaded.connectionOptions.address ?? cluster.fallback?.address;
  if (address === undefined) return undefined;
  const options: NativeConnectionOptions = {
    ...loaded.connectionOptions,
    address,
    ...(cluster.apiKey === undefined ? {} : { apiKey: cluster.apiKey }),
    ...(cluster.tls === undefined ? {} : { tls: cluster.tls }),
  };
  return {
    address,
    namespace: cluster.namespace ?? loaded.namespace ?? cluster.fallback?.namespace ?? 'default',
    options,
  };
}

function load({ profile }: ClusterOptions, environment: NodeJS.ProcessEnv): ReturnType<typeof loadClientConnectConfig> {
  // An empty variable counts as not set: `TEMPORAL_ADDRESS= raymond start` means the embedded server.
  const known = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  try {
    return loadClientConnectConfig({
      ...(profile === undefined ? {} : { profile }),
      overrideEnvVars: Object.fromEntries(known),
    });
  } catch (error) {
    // The library crashes on a file without profiles, also an empty one, without a message.
    const why =
      error instanceof TypeError ? 'it has no [profile.NAME]; add one, or remove it' : (error as Error).message;
    throw new ClientError('InvalidUsage', `Temporal's client config cannot be used: ${why}`, { cause: error });
  }
}
