// The artifact store in a bucket, with a folder of this host in front of it: artifacts are written there first and
// count once the bucket has them; they are downloaded once. Keys are named like the files of a folder store.
import { createHash, randomUUID } from 'node:crypto';
import { sha256OfChunks } from '../host/sha256.js';
import { point } from '../host/faults.js';
import { isArtifact, MAX_INLINE_BYTES, type ArtifactRef, type Value } from '../protocol/text.js';
import type { CacheLimit } from './cache-limit.js';
import { linkOrCopy, type FolderStore } from './folder.js';
import type { S3Bucket, S3Object } from './s3.js';
import { ArtifactMissing, StoreRefused, type ExaminedArtifact, type ProbedStore } from './store.js';

/** An object of this age is written again when it is used again, so that a cleanup keeps it. */
const REFRESH_MS = 30 * 60_000;

/** From this size on, the bucket is asked whether it already has an artifact. */
const WORTH_ASKING_BYTES = 256 * 1024;

/** What a bucket store needs. */
interface BucketStoreParts {
  readonly bucket: S3Bucket;
  readonly cache: FolderStore;
  readonly limit: CacheLimit;
}

/** Objects named by their SHA-256 in folders by its first two digits, and documents under their names. */
export class BucketStore implements ProbedStore {
  private readonly fetching = new Map<string, Promise<string>>();

  constructor(private readonly parts: BucketStoreParts) {}

  get location(): string {
    return this.parts.bucket.address;
  }

  async value(text: string, limit = MAX_INLINE_BYTES): Promise<Value> {
    return Buffer.byteLength(text) <= limit ? text : await this.put(Buffer.from(text));
  }

  async text(value: Value): Promise<string> {
    if (!isArtifact(value)) return value;
    await this.locate(value.sha256);
    return await this.parts.cache.text(value);
  }

  async put(bytes: Uint8Array): Promise<ArtifactRef> {
    return await this.sent(await this.parts.cache.put(bytes));
  }

  async putFile(path: string): Promise<ArtifactRef> {
    return await this.sent(await this.parts.cache.putFile(path));
  }

  async materialise(sha256: string, path: string): Promise<void> {
    await linkOrCopy(await this.locate(sha256), path);
  }

  async locate(sha256: string): Promise<string> {
    const path = await this.parts.cache.find(sha256);
    if (path !== undefined) return path;
    const known = this.fetching.get(sha256);
    if (known !== undefined) return await known;
    const fetching = this.fetched(sha256).finally(() => this.fetching.delete(sha256));
    this.fetching.set(sha256, fetching);
    return await fetching;
  }

  async write(name: string, text: string): Promise<void> {
    await this.parts.bucket.put(name, { text });
  }

  async read(name: string): Promise<string | undefined> {
    return await this.parts.bucket.get(name, async (chunks) => {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      return Buffer.concat(parts).toString('utf8');
    });
  }

  async list(folder: string): Promise<readonly string[]> {
    return await this.parts.bucket.names(folder);
  }

  async probe(): Promise<void> {
    const { bucket, cache } = this.parts;
    await cache.probe();
    const name = `probe/${randomUUID()}`;
    await bucket.put(name, { text: name });
    try {
      const text = await this.read(name);
      if (text !== name) throw new StoreRefused('HashMismatch', `${bucket.where} does not return what was written`);
      await bucket.names('probe');
    } finally {
      await bucket.delete(name);
    }
  }

  async *examine(): AsyncGenerator<ExaminedArtifact> {
    const { bucket } = this.parts;
    for await (const { key, bytes } of bucket.objects()) {
      if (!/^[0-9a-f]{2}\/[0-9a-f]{64}$/.test(key)) continue;
      const sha256 = key.slice(3);
      const found = await bucket.get(key, sha256OfChunks);
      if (found !== undefined) yield { sha256, path: `${bucket.address}/${key}`, bytes, isWhole: found === sha256 };
    }
  }

  /** Everything in the bucket, for cleanups. */
  objects(beginning?: string): AsyncGenerator<S3Object> {
    return this.parts.bucket.objects(beginning);
  }

  /**
   * Removes an object that was written before `since`, unless it was written again meanwhile; returns whether it was
   * removed.
   */
  async removeOlder(key: string, since: Date): Promise<boolean> {
    const { bucket } = this.parts;
    const found = await bucket.head(key);
    if (found === undefined || found.modified >= since.getTime()) return false;
    await bucket.delete(key);
    return true;
  }

  private async sent(artifact: ArtifactRef): Promise<ArtifactRef> {
    const { bucket, cache, limit } = this.parts;
    const { sha256, bytes } = artifact;
    const file = { ...artifact, path: await cache.locate(sha256) };
    const key = keyOf(sha256);
    const head = bytes > WORTH_ASKING_BYTES ? await bucket.head(key) : undefined;
    const there = head !== undefined || (await bucket.put(key, file, { ifAbsent: true })) === 'there';
    if (there && isOld(head ?? (await bucket.head(key)))) await bucket.put(key, file);
    point('artifact-sent');
    await limit.add(bytes);
    return artifact;
  }

  private async fetched(sha256: string): Promise<string> {
    const { bucket, cache, limit } = this.parts;
    let bytes = 0;
    const found = await bucket.get(keyOf(sha256), async (chunks) => {
      const counted = checked(chunks, { sha256, where: bucket.where, seen: (size) => (bytes = size) });
      await cache.receive(sha256, counted);
      return true;
    });
    const path = `${bucket.address}/${keyOf(sha256)}`;
    if (found === undefined) throw new ArtifactMissing(sha256, path, 'all hosts of a fleet must name the same bucket');
    await limit.add(bytes);
    return await cache.locate(sha256);
  }
}

function keyOf(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256}`;
}

/** One that was removed meanwhile is written again, too. */
function isOld(found: Omit<S3Object, 'key'> | undefined): boolean {
  return found === undefined || found.modified < Date.now() - REFRESH_MS;
}

/** The same bytes; throws at the end when they do not match the hash. */
async function* checked(
  chunks: AsyncIterable<Uint8Array>,
  { sha256, where, seen }: { readonly sha256: string; readonly where: string; readonly seen: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  seen(bytes);
  if (hash.digest('hex') === sha256) return;
  const todo = 'a proxy changes the data on its way, or the object was overwritten';
  throw new StoreRefused('HashMismatch', `${where} returns other bytes for ${sha256} than were stored; ${todo}`);
}
