// What the answers of an S3 service mean: lists, and refusals, in words that say what to do.
import { StoreRefused, StoreUnreachable } from './store.js';

/** An object of a bucket. */
export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  /** When it was written last (epoch milliseconds). */
  readonly modified: number;
}

/** A page of a list: objects, what lies in front of the next delimiter, and where the next page begins. */
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
const ALTERED = 'something between this host and the bucket changes what passes, such as a proxy: go around it';
const REGION = 'correct s3_region or s3_endpoint in the config';

/** What to do about a refusal, by the code that the service gives it. */
const REMEDIES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create it, or correct artifact_store in the config',
  InvalidBucketName: 'correct artifact_store in the config',
  AccessDenied: 'let these keys list the bucket and get, put and delete objects in it, or use others',
  XAdminUserNotFound: KEYS,
  ExpiredToken: `they have expired: ${KEYS}`,
  RequestTimeTooSkewed: 'the clock of this host is off: set it, such as by NTP',
  XAmzContentSHA256Mismatch: ALTERED,
  BadDigest: ALTERED,
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  EntityTooLarge: 'one object is too large for a single upload',
};

/** What AWS's own clients try again, whatever the status: a busy service, and one that has waited too long for us. */
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

/** A redirection while the name of a bucket is new; a service that is busy; a conflict of two writers. All from 500 on as well. */
const PASSING_STATUS: ReadonlySet<number> = new Set([307, 408, 409, 425, 429]);

/** An answer that is no success; `where` names host and store. */
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
      `${where} cannot be reached: HTTP ${status} with a page that is not the store's; if that lasts, take away what answers in its place, such as a proxy`,
    );
  const code = field(text, 'Code') ?? `HTTP ${status}`;
  const said = field(text, 'Message');
  const what = said === undefined || said === '' ? code : `${code} (${said.replace(/[.\s]+$/, '')})`;
  if (status >= 500 || PASSING_STATUS.has(status) || PASSING.has(code))
    return new StoreUnreachable(`${where} cannot serve now: ${what}; if that lasts, look after it`);
  const remedy = REMEDIES[code] ?? remedyOf(status);
  return new StoreRefused(code, `${where} refuses: ${what}; ${remedy}`);
}

/** A service answers in XML; a page comes from something in between. */
function isHtml(text: string): boolean {
  return /^\s*<(!doctype html|html)\b/i.test(text);
}

function remedyOf(status: number): string {
  if (status === 401 || status === 403) return KEYS;
  return status === 301 ? REGION : 'correct artifact_store and s3_* in the config';
}
