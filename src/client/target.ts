// Which cluster is meant: an address with what belongs to it, from flags over environment over profile over config. Loads none of the SDK
// that connects to it.
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { ClientError } from './error.js';

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
