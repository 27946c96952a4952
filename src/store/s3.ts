// The few requests of a store to an S3 bucket, by AWS's client. A request without progress is aborted, and retried a few
// times; longer waits are in retrying.ts.
import { createReadStream, type ReadStream } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Sdk from '@aws-sdk/client-s3';
import type { ArtifactRef } from '../protocol/text.js';
import { keyOptions, type KeySource } from './credentials.js';
import { StoreRefused, StoreUnreachable } from './store.js';

const TRIES = 3;
const FIRST_WAIT_MS = 200;
const IDLE_MS = 30_000;

/** Rejections that may be temporary. */
const TEMPORARY = new Set(['XAmzContentSHA256Mismatch', 'BadDigest', 'HashMismatch', 'ExpiredToken']);

/** The address of a bucket. */
export interface BucketLocation {
  readonly bucket: string;
  /** The prefix of every key, with a final slash; empty = the whole bucket. */
  readonly prefix: string;
  /** Absent = AWS. */
  readonly endpoint?: string;
  readonly region: string;
  /** `ENDPOINT/BUCKET/KEY` instead of `BUCKET.ENDPOINT/KEY`. */
  readonly pathStyle: boolean;
}

/** A file of this host with a known hash. */
interface SizedFile extends ArtifactRef {
  readonly path: string;
}

/** An object of a bucket. */
export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  /** When it was last written (epoch milliseconds). */
  readonly modified: number;
}

/** AWS's client with its commands, loaded only when a bucket is used. */
type Loaded = typeof Sdk & { readonly client: Sdk.S3Client };

/** Keys of requests are without the prefix. Every method may throw `StoreUnreachable` and `StoreRefused`. */
export class S3Bucket {
  private loaded: Promise<Loaded> | undefined;

  constructor(
    private readonly location: BucketLocation,
    private readonly keys: KeySource,
    /** A request is aborted after this many milliseconds without a byte. */
    readonly idleMs = IDLE_MS,
  ) {}

  /** Its name for people. */
  get address(): string {
    return `s3://${this.location.bucket}/${this.location.prefix}`.replace(/\/$/, '');
  }

  /** Host and store, for messages. */
  get where(): string {
    return `host ${hostname()}: the store ${this.address} (${this.location.endpoint ?? `AWS, ${this.location.region}`})`;
  }

  /** Writes an object; with `ifAbsent` only if there is none, and returns whether it did. */
  async put(
    key: string,
    body: { readonly text: string } | SizedFile,
    { ifAbsent = false } = {},
  ): Promise<'written' | 'there'> {
    const ifNoneMatch = ifAbsent ? { IfNoneMatch: '*' } : {};
    return await this.request(async ({ client, PutObjectCommand }) => {
      const aborted = new AbortController();
      const content =
        'text' in body ? { Body: body.text } : { Body: streamOf(body, aborted), ContentLength: body.bytes };
      const command = new PutObjectCommand({ ...this.object(key), ...content, ...ifNoneMatch });
      if ('sha256' in body) command.middlewareStack.add(withHash(body.sha256), { step: 'build' });
      const sent = client.send(command, { abortSignal: aborted.signal });
      const found = await this.answer(sent, { absent: 'PreconditionFailed', signal: aborted.signal });
      return found === undefined ? 'there' : 'written';
    });
  }

  /** The result of `read` for an object, which may be called more than once; undefined when there is none. */
  async get<T>(key: string, read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T | undefined> {
    return await this.request(async ({ client, GetObjectCommand }) => {
      const sent = client.send(new GetObjectCommand(this.object(key)));
      // A missing bucket is an error, a missing object is not.
      const found = await this.answer(sent, { absent: 'NoSuchKey' });
      return found === undefined ? undefined : await read(this.chunksOf(found.Body as AsyncIterable<Uint8Array>));
    });
  }

  /** The metadata of an object; undefined when there is none. */
  async head(key: string): Promise<Omit<S3Object, 'key'> | undefined> {
    return await this.request(async ({ client, HeadObjectCommand }) => {
      const sent = client.send(new HeadObjectCommand(this.object(key)));
      const found = await this.answer(sent, { absent: 'NotFound' });
      if (found === undefined) return undefined;
      return { bytes: found.ContentLength ?? 0, modified: found.LastModified?.getTime() ?? NaN };
    });
  }

  /** Removes an object, if it exists. */
  async delete(key: string): Promise<void> {
    await this.request(({ client, DeleteObjectCommand }) =>
      this.answer(client.send(new DeleteObjectCommand(this.object(key)))),
    );
  }

  /** All objects with keys of this prefix. */
  async *objects(beginning = ''): AsyncGenerator<S3Object> {
    for await (const { Contents = [] } of this.pages(beginning))
      for (const { Key = '', Size = 0, LastModified } of Contents)
        yield { key: this.bare(Key), bytes: Size, modified: LastModified?.getTime() ?? NaN };
  }

  /** The names directly in a folder of keys, sorted. */
  async names(folder: string): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { Contents = [], CommonPrefixes = [] } of this.pages(`${folder}/`, '/')) {
      found.push(...Contents.map(({ Key = '' }) => Key));
      found.push(...CommonPrefixes.map(({ Prefix = '' }) => Prefix.replace(/\/$/, '')));
    }
    return found.map((key) => this.bare(key).slice(folder.length + 1)).sort();
  }

  private async *pages(beginning: string, delimiter?: string): AsyncGenerator<Sdk.ListObjectsV2CommandOutput> {
    const { bucket, prefix } = this.location;
    let token: string | undefined;
    do {
      const input = { Bucket: bucket, Prefix: prefix + beginning, Delimiter: delimiter, ContinuationToken: token };
      const page = await this.request(({ client, ListObjectsV2Command }) =>
        this.answer(client.send(new ListObjectsV2Command(input))),
      );
      if (page !== undefined) yield page;
      token = page?.NextContinuationToken;
    } while (token !== undefined);
  }

  /** The client's answer; undefined for the error `absent`. An error of the file that was sent is thrown as it is. */
  private async answer<T>(
    sent: Promise<T>,
    { absent, signal }: { readonly absent?: string; readonly signal?: AbortSignal } = {},
  ): Promise<T | undefined> {
    try {
      return await sent;
    } catch (error) {
      signal?.throwIfAborted();
      const { bucketError, isPage } = await import('./s3-errors.js');
      if ((error as Error).name === absent && !isPage(error)) return undefined;
      throw bucketError(error, this);
    }
  }

  /** An error of the reader must not be taken for one of the connection. */
  private async *chunksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) yield chunk;
    } catch (error) {
      const { unanswered } = await import('./s3-errors.js');
      throw unanswered(error as Error, this);
    }
  }

  private object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.location.bucket, Key: `${this.location.prefix}${key}` };
  }

  private bare(key: string): string {
    return key.slice(this.location.prefix.length);
  }

  /** Retries also what a caller reads of an answer, which AWS's own retries leave out. */
  private async request<T>(send: (sdk: Loaded) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(await this.sdk());
      } catch (error) {
        const again = error instanceof StoreUnreachable || (error instanceof StoreRefused && TEMPORARY.has(error.code));
        if (!again || attempt === TRIES) throw error;
        // Other keys may be known by now.
        if (error instanceof StoreRefused) this.loaded = undefined;
        await delay(FIRST_WAIT_MS * 2 ** (attempt - 1));
      }
    }
  }

  private async sdk(): Promise<Loaded> {
    return await (this.loaded ??= this.load());
  }

  private async load(): Promise<Loaded> {
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, region, pathStyle: forcePathStyle } = this.location;
    const options: Sdk.S3ClientConfig = {
      region,
      forcePathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...keyOptions(this.keys),
      maxAttempts: 1,
      requestHandler: { socketTimeout: this.idleMs, connectionTimeout: this.idleMs },
      // Artifacts are checked by their names; other services than AWS know no trailing checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The client would warn of streams on the console.
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    };
    return { ...sdk, client: new sdk.S3Client(options) };
  }
}

function ignore(): void {
  // Errors are thrown as well.
}

/** The bytes of a file; the client listens for no error of it. */
function streamOf({ path }: SizedFile, aborted: AbortController): ReadStream {
  return createReadStream(path).once('error', (error) => aborted.abort(error));
}

/** The service compares a streamed body with its hash, which the client would leave out. */
function withHash(sha256: string) {
  return <A extends { readonly request: unknown }, R>(next: (args: A) => Promise<R>) =>
    async (args: A): Promise<R> => {
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers['x-amz-content-sha256'] = sha256;
      return await next(args);
    };
}
