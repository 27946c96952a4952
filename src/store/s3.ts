// The few requests of a store to an S3 bucket. A request without progress is aborted, and retried a few times; longer
// waits are in retrying.ts.
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from './credentials.js';
import { readPage, troubleOf, type S3Object } from './s3-answer.js';
import {
  isOfFetch,
  reasonOf,
  sendRequest,
  IdleTimeout,
  type BucketPlace,
  type S3Request,
  type SizedFile,
} from './s3-request.js';
import { StoreRefused, StoreUnreachable } from './store.js';

const TRIES = 3;
const FIRST_WAIT_MS = 200;
const IDLE_MS = 30_000;

/** Errors that may be temporary. */
const AGAIN = new Set(['XAmzContentSHA256Mismatch', 'BadDigest', 'HashMismatch', 'ExpiredToken']);

/** Keys of requests are without the prefix. Every method may throw `StoreUnreachable` and `StoreRefused`. */
export class S3Bucket {
  constructor(
    private readonly place: BucketPlace,
    private readonly credentials: Credentials,
    /** A request is aborted after this many milliseconds without a byte. */
    private readonly idleMs = IDLE_MS,
  ) {}

  /** Its name for people. */
  get address(): string {
    return `s3://${this.place.bucket}/${this.place.prefix}`.replace(/\/$/, '');
  }

  /** Host and store, for messages. */
  get where(): string {
    return `host ${hostname()}: the store ${this.address} (${this.place.endpoint})`;
  }

  /** Writes an object; with `ifAbsent` only if there is none, and returns whether it did. */
  async put(
    key: string,
    body: { readonly text: string } | SizedFile,
    { ifAbsent = false } = {},
  ): Promise<'written' | 'there'> {
    const headers = ifAbsent ? { 'if-none-match': '*' } : {};
    return await this.withRetries({ method: 'PUT', key, body, headers }, async (response) => {
      await response.text();
      return response.status === 412 ? 'there' : 'written';
    });
  }

  /** The result of `read` for an object, which may be called more than once; undefined when there is none. */
  async get<T>(key: string, read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T | undefined> {
    return await this.withRetries({ method: 'GET', key }, async (response, chunks) => {
      if (response.status !== 404) return await read(chunks);
      const text = await response.text();
      // A missing bucket is an error, a missing object is not.
      if (text.includes('<Code>NoSuchKey<')) return undefined;
      throw troubleOf(this.where, { status: 404, text });
    });
  }

  /** The metadata of an object; undefined when there is none. */
  async head(key: string): Promise<Omit<S3Object, 'key'> | undefined> {
    return await this.withRetries({ method: 'HEAD', key }, ({ status, headers }) => {
      const [length, modified] = [headers.get('content-length'), headers.get('last-modified')];
      const found = { bytes: Number(length ?? 0), modified: Date.parse(modified ?? '') };
      return Promise.resolve(status === 404 ? undefined : found);
    });
  }

  /** Removes an object, if it exists. */
  async delete(key: string): Promise<void> {
    await this.withRetries({ method: 'DELETE', key }, async (response) => void (await response.text()));
  }

  /** All objects with keys of this prefix. */
  async *objects(beginning = ''): AsyncGenerator<S3Object> {
    for await (const { objects } of this.pages({ beginning })) yield* objects;
  }

  /** The names directly in a folder of keys, sorted. */
  async names(folder: string): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const { objects, folders } of this.pages({ beginning: `${folder}/`, delimiter: '/' }))
      found.push(...objects.map(({ key }) => key), ...folders.map((name) => name.replace(/\/$/, '')));
    return found.map((key) => key.slice(folder.length + 1)).sort();
  }

  private async *pages({
    beginning,
    delimiter,
  }: {
    readonly beginning: string;
    readonly delimiter?: string;
  }): AsyncGenerator<Pick<ReturnType<typeof readPage>, 'objects' | 'folders'>> {
    const { prefix } = this.place;
    const bare = (key: string): string => key.slice(prefix.length);
    for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
      const query = {
        'list-type': '2',
        prefix: prefix + beginning,
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(token === undefined ? {} : { 'continuation-token': token }),
      };
      const page = readPage(
        await this.withRetries({ method: 'GET', query }, async (response) => await response.text()),
      );
      const objects = page.objects.map((object) => ({ ...object, key: bare(object.key) }));
      yield { objects, folders: page.folders.map(bare) };
      token = page.next;
    }
  }

  private async withRetries<T>(request: S3Request, read: ResponseReader<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.once(request, read);
      } catch (error) {
        const again = error instanceof StoreUnreachable || (error instanceof StoreRefused && AGAIN.has(error.code));
        if (!again || attempt === TRIES) throw error;
        if (error instanceof StoreRefused) this.credentials.forget();
        await delay(FIRST_WAIT_MS * 2 ** (attempt - 1));
      }
    }
  }

  private async once<T>(request: S3Request, read: ResponseReader<T>): Promise<T> {
    const idleTimeout = new IdleTimeout(this.idleMs);
    try {
      const response = await sendRequest(request, {
        place: this.place,
        keys: await this.credentials.get(),
        idleTimeout,
      });
      // A proxy's answer to HEAD has no body: only its type shows that it is not the store's.
      const isPage = !response.ok && /^text\/html\b/.test(response.headers.get('content-type') ?? '');
      const expected = response.ok || (response.status === 412 && request.method === 'PUT');
      if (expected || (response.status === 404 && !isPage && request.key !== undefined && request.method !== 'PUT'))
        return await read(response, this.chunksOf(response, idleTimeout));
      const text = await response.text().catch(() => ''); // The status is enough.
      throw troubleOf(this.where, { status: response.status, text, ...(isPage && { isPage }) });
    } catch (error) {
      throw isOfFetch(error) ? this.unreachable(error, idleTimeout) : error;
    } finally {
      idleTimeout.clear();
    }
  }

  private async *chunksOf({ body }: Response, idleTimeout: IdleTimeout): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        idleTimeout.reset();
        yield chunk;
      }
    } catch (error) {
      throw this.unreachable(error, idleTimeout);
    }
  }

  private unreachable(error: unknown, idleTimeout: IdleTimeout): StoreUnreachable {
    const why = idleTimeout.signal.aborted ? `no data for ${this.idleMs / 1000} s` : reasonOf(error);
    const todo = 'start it, or correct s3_endpoint in the config';
    return new StoreUnreachable(`${this.where} does not answer: ${why}; ${todo}`, { cause: error });
  }
}

type ResponseReader<T> = (response: Response, chunks: AsyncIterable<Uint8Array>) => Promise<T>;
