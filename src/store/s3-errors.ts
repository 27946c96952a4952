// The errors of AWS's client in words that say what to do: what may pass by itself is `StoreUnreachable`, what a person
// must correct is `StoreRefused`.
import { hostname } from 'node:os';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { StoreRefused, StoreUnreachable } from './store.js';

/** What an error is about: host and store in words, and the limit of requests without progress. */
interface Bucket {
  readonly where: string;
  readonly idleMs: number;
}

const KEYS = 'correct the keys (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or s3_credentials)';
const ALTERED = 'a proxy between this host and the bucket changes the data: bypass it';
const REGION = 'correct s3_region or s3_endpoint in the config';

/** The remedy for an error, by the service's code. */
const REMEDIES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create it, or correct artifact_store in the config',
  InvalidBucketName: 'correct artifact_store in the config',
  AccessDenied: 'allow these keys to list the bucket and to get, put and delete its objects, or use other keys',
  XAdminUserNotFound: KEYS,
  ExpiredToken: `they have expired: ${KEYS}`,
  RequestTimeTooSkewed: 'the clock of this host is wrong: set it, for example with NTP',
  XAmzContentSHA256Mismatch: ALTERED,
  BadDigest: ALTERED,
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  EntityTooLarge: 'one object is too large for a single upload',
};

/** A redirect while the name of a bucket is new, slow clients, a conflict of two writers; all from 500 on as well. */
const TEMPORARY_STATUS: ReadonlySet<number> = new Set([307, 408, 409, 425]);

/** An error that AWS's client threw; those of its providers of keys are errors of the store already. */
type ClientError = Parameters<typeof isThrottlingError>[0];

/** What shows where it comes from: an error of the network has neither. */
interface Answer {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> };
}

/** The store's error for one that AWS's client threw. */
export function bucketError(thrown: unknown, bucket: Bucket): Error {
  const error = thrown as ClientError;
  if (error instanceof StoreUnreachable || error instanceof StoreRefused) return error;
  if (error.name === 'CredentialsProviderError') return withoutKeys();
  const { $metadata, $response } = thrown as Answer;
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  return status === undefined ? unanswered(error, bucket) : rejected(error, status, bucket.where);
}

/** True for the page of a proxy: a service answers in XML. */
export function isPage(error: unknown): boolean {
  return /^text\/html\b/.test((error as Answer).$response?.headers?.['content-type'] ?? '');
}

function withoutKeys(): StoreRefused {
  const todo =
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, choose an AWS profile, or set s3_credentials to a command that prints them';
  return new StoreRefused('NoKeys', `host ${hostname()}: there are no keys for the bucket; ${todo}`);
}

/** An error without an answer: of the network, or of what its reader did. */
export function unanswered(error: Error, { where, idleMs }: Bucket): StoreUnreachable {
  const why = error.name === 'TimeoutError' ? `no data for ${idleMs / 1000} s` : reasonOf(error);
  const todo = 'start it, or correct s3_endpoint in the config';
  return new StoreUnreachable(`${where} does not answer: ${why}; ${todo}`, { cause: error });
}

/** The reason in words: an error of several addresses has none of its own. */
function reasonOf(error: Error): string {
  const { message, errors = [] } = error as Error & { readonly errors?: readonly Error[] };
  return message === '' ? errors.map(reasonOf).join(', ') : message;
}

function rejected(error: ClientError, status: number, where: string): StoreRefused | StoreUnreachable {
  const cause = { cause: error };
  if (isPage(error))
    return new StoreUnreachable(
      `${where} cannot be reached: HTTP ${status} with a page that is not the store's; if it continues, check for a proxy that answers in its place`,
      cause,
    );
  const isNamed = !/^(Unknown|UnknownError|Error|NotFound)$/.test(error.name);
  const code = isNamed ? error.name : `HTTP ${status}`;
  const said = error.message.replace(/[.\s]+$/, '');
  const what = !isNamed || said === '' || said === code ? code : `${code} (${said})`;
  if (status >= 500 || TEMPORARY_STATUS.has(status) || isThrottlingError(error) || isTransientError(error))
    return new StoreUnreachable(`${where} is not available: ${what}; if it continues, check the service`, cause);
  const remedy = REMEDIES[code] ?? remedyOf(status);
  return new StoreRefused(code, `${where} rejects the request: ${what}; ${remedy}`);
}

function remedyOf(status: number): string {
  if (status === 401 || status === 403) return KEYS;
  return status === 301 ? REGION : 'correct artifact_store and s3_* in the config';
}
