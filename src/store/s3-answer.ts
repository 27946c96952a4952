// Parses the answers of an S3 service: lists, and errors in words that say what to do.
import { StoreRefused, StoreUnreachable } from './store.js';

/** An object of a bucket. */
export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  /** When it was last written (epoch milliseconds). */
  readonly modified: number;
}

/** A page of a list: objects, common prefixes, and the token of the next page. */
interface S3Page {
  readonly objects: readonly S3Object[];
  readonly folders: readonly string[];
  readonly next?: string;
}

/** Reads the answer of ListObjectsV2. */
export function readPage(xml: string): S3Page {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => ({
    key: field(entry, 'Key') ?? '',
    bytes: Number(field(entry, 'Size') ?? 0),
    modified: Date.parse(field(entry, 'LastModified') ?? ''),
  }));
  const folders = [...xml.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)].map(
    ([, entry = '']) => field(entry, 'Prefix') ?? '',
  );
  const next = field(xml, 'NextContinuationToken');
  return { objects, folders, ...(next === undefined ? {} : { next }) };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function field(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(xml)?.[1];
  return text?.replaceAll(/&(amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);/g, (_, entity: string) =>
    entity.startsWith('#')
      ? String.fromCodePoint(Number(entity.slice(1).replace(/^x/, '0x')))
      : (ENTITIES[entity] ?? ''),
  );
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

/** Errors that AWS's own clients retry, whatever the status: a busy service, and one that waited too long for us. */
const PASSING: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'TemporaryRedirect',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
]);

/** A redirect while the name of a bucket is new; a busy service; a conflict of two writers. Also all from 500 on. */
const PASSING_STATUS: ReadonlySet<number> = new Set([307, 408, 409, 425, 429]);

/** An error answer; `where` names host and store. */
export function troubleOf(
  where: string,
  {
    status,
    text,
    isPage = isHtml(text),
  }: { readonly status: number; readonly text: string; readonly isPage?: boolean },
): StoreRefused | StoreUnreachable {
  if (isPage)
    return new StoreUnreachable(
      `${where} cannot be reached: HTTP ${status} with a page that is not the store's; if it continues, check for a proxy that answers in its place`,
    );
  const code = field(text, 'Code') ?? `HTTP ${status}`;
  const said = field(text, 'Message');
  const what = said === undefined || said === '' ? code : `${code} (${said.replace(/[.\s]+$/, '')})`;
  if (status >= 500 || PASSING_STATUS.has(status) || PASSING.has(code))
    return new StoreUnreachable(`${where} is not available: ${what}; if it continues, check the service`);
  const remedy = REMEDIES[code] ?? remedyOf(status);
  return new StoreRefused(code, `${where} rejects the request: ${what}; ${remedy}`);
}

/** A service answers in XML; an HTML page comes from a proxy. */
function isHtml(text: string): boolean {
  return /^\s*<(!doctype html|html)\b/i.test(text);
}

function remedyOf(status: number): string {
  if (status === 401 || status === 403) return KEYS;
  return status === 301 ? REGION : 'correct artifact_store and s3_* in the config';
}
