// One request to an S3 service: signed, its body streamed with its checked hash, aborted when nothing moves.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { sha256Of } from '../host/sha256.js';
import type { ArtifactRef } from '../protocol/text.js';
import type { Keys } from './credentials.js';

/** The address of a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  /** The prefix of every key, with a final slash; empty = the whole bucket. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  /** `ENDPOINT/BUCKET/KEY` instead of `BUCKET.ENDPOINT/KEY`. */
  readonly pathStyle: boolean;
}

/** A file of this host with a known hash. */
export interface SizedFile extends ArtifactRef {
  readonly path: string;
}

/** A request to a bucket. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Absent = the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly text: string } | SizedFile;
}

/** SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** What sending a request needs. */
interface Sending {
  readonly place: BucketPlace;
  readonly keys: Keys;
  readonly idleTimeout: IdleTimeout;
}

/** Sends it; resolves with the head of any answer. */
export async function sendRequest(
  { method, key, query = {}, headers, body }: S3Request,
  { place, keys, idleTimeout }: Sending,
): Promise<Response> {
  // Loaded only when a bucket is used.
  const { AwsV4Signer } = await import('aws4fetch');
  const url = urlOf(place, key);
  url.search = new URLSearchParams(query).toString();
  const all = { ...headers, ...lengthAndHash(body) };
  const signer = new AwsV4Signer({ ...keys, method, url: url.href, headers: all, service: 's3', region: place.region });
  const signed = await signer.sign();
  return await fetch(signed.url, {
    method,
    headers: signed.headers,
    redirect: 'manual',
    signal: idleTimeout.signal,
    ...(body === undefined
      ? {}
      : { body: 'path' in body ? streamOf(body, idleTimeout) : body.text, duplex: 'half' as const }),
  });
}

function urlOf({ bucket, prefix, endpoint, pathStyle }: BucketPlace, key: string | undefined): URL {
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const parts = [...(pathStyle ? [bucket] : []), ...(key === undefined ? [] : `${prefix}${key}`.split('/'))];
  url.pathname = [url.pathname.replace(/\/$/, ''), ...parts.map(encodeURIComponent)].join('/');
  return url;
}

/** Aborts a request without progress. */
export class IdleTimeout {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.timer = setTimeout(() => this.controller.abort(), ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  reset(): void {
    this.timer.refresh();
  }

  clear(): void {
    clearTimeout(this.timer);
  }
}

function lengthAndHash(body: S3Request['body']): Record<string, string> {
  if (body === undefined) return { 'x-amz-content-sha256': EMPTY };
  if ('path' in body) return { 'content-length': String(body.bytes), 'x-amz-content-sha256': body.sha256 };
  const bytes = Buffer.from(body.text);
  const sha256 = sha256Of(bytes);
  return { 'content-length': String(bytes.length), 'x-amz-content-sha256': sha256 };
}

function streamOf({ path }: SizedFile, idleTimeout: IdleTimeout): ReadableStream {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      idleTimeout.reset();
      yield chunk;
    }
  }
  return Readable.toWeb(Readable.from(chunks()));
}

/** True for errors of `fetch` and of reading its answer. */
export function isOfFetch(error: unknown): boolean {
  // Not `instanceof`: they may be of another realm.
  const { name, message } = error as Partial<Error>;
  return name === 'AbortError' || (name === 'TypeError' && /fetch failed|terminated/.test(message ?? ''));
}

/** The reason in words: `fetch failed` says nothing, its cause does. */
export function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  const { message, errors = [] } = cause as { readonly message?: string; readonly errors?: readonly unknown[] };
  return message === undefined || message === '' ? errors.map(reasonOf).join(', ') : message;
}
