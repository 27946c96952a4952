// Opens the store of the settings: a folder, or a bucket with a folder of this host in front of it. Nothing is read or
// written yet.
import { defined } from '../protocol/text.js';
import { BucketStore } from './bucket.js';
import { CacheLimit } from './cache-limit.js';
import { FolderStore } from './folder.js';
import { S3Bucket, type BucketLocation } from './s3.js';
import type { ProbedStore } from './store.js';

/** The settings of a store. */
interface StoreSettings {
  /** The folder of the store; with a bucket its cache, one per host. */
  readonly dir: string;
  readonly bucket?: BucketSettings;
}

/** The settings of a bucket. */
export interface BucketSettings {
  /** `s3://bucket/prefix`. */
  readonly address: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** Absent = only with an endpoint. */
  readonly pathStyle?: boolean;
  /** A shell command that prints the keys, called in `cwd`; absent = they are in the environment. */
  readonly credentials?: string;
  readonly cwd: string;
  /** The size limit of the folder, in bytes. */
  readonly cacheBytes: number;
}

/** The address of a bucket; undefined for anything else. */
export function parseBucket(address: string): Pick<BucketLocation, 'bucket' | 'prefix'> | undefined {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]*)(?:\/([A-Za-z0-9!_.*'()/-]*))?$/.exec(address) ?? [];
  const prefix = path.split('/').filter((part) => part !== '');
  if (bucket === undefined || prefix.some((part) => part === '.' || part === '..')) return undefined;
  return { bucket, prefix: prefix.map((part) => `${part}/`).join('') };
}

/** Opens it; `env` contains the usual AWS variables. */
export function openStore(settings: StoreSettings, env: NodeJS.ProcessEnv): ProbedStore {
  return openBucket(settings, env) ?? new FolderStore(settings.dir);
}

/** The bucket that the settings name, if they name one. */
export function openBucket({ dir, bucket: named }: StoreSettings, env: NodeJS.ProcessEnv): BucketStore | undefined {
  if (named === undefined) return undefined;
  const { credentials: command, cwd, cacheBytes } = named;
  return new BucketStore({
    bucket: new S3Bucket(bucketOf(named, env), { env, cwd, ...defined({ command }) }),
    cache: new FolderStore(dir),
    limit: new CacheLimit(dir, cacheBytes),
  });
}

function bucketOf({ address, ...named }: BucketSettings, env: NodeJS.ProcessEnv): BucketLocation {
  const parsed = parseBucket(address);
  if (parsed === undefined) throw new TypeError(`${address} is not the address of a bucket`);
  const region = named.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const endpoint = named.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  return { ...parsed, region, ...defined({ endpoint }), pathStyle: named.pathStyle ?? endpoint !== undefined };
}
