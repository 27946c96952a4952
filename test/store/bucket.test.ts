// The artifact store as a bucket, against a real S3 server: what is kept is there for every host, whole, and what is wrong with the server
// or the way to it is said by its kind.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BucketStore } from '../../src/store/bucket.js';
import { CacheLimit } from '../../src/store/cache-limit.js';
import { FolderStore } from '../../src/store/folder.js';
import { openBucket, openStore, type BucketSettings } from '../../src/store/open.js';
import { S3Bucket } from '../../src/store/s3.js';
import { ArtifactMissing, StoreRefused, StoreUnreachable } from '../../src/store/store.js';
import { folder } from '../support/folder.js';
import { SlowLink } from '../support/slow-link.js';
import { freePort } from '../support/free-port.js';
import { BUCKET, BucketServer, describeOnBucket } from '../support/versitygw.js';

const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const thrownBy = async (work: Promise<unknown>): Promise<Error> =>
  await work.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error as Error,
  );

describeOnBucket('a bucket', () => {
  let server: BucketServer;
  beforeAll(async () => {
    server = await BucketServer.start();
  });
  afterAll(() => server.kill());

  /** The store of a host that shares nothing with others but the bucket. */
  const host = async (more: Partial<BucketSettings> = {}, dir?: string): Promise<BucketStore> => {
    const store = openBucket({ dir: dir ?? (await folder()), bucket: server.settings(more) }, server.env);
    if (store === undefined) throw new Error('no bucket');
    return store;
  };
  const inBucket = (key: string): string => join(server.dir, BUCKET, 'tests', key);

  test('what one host keeps another one reads, and then has it itself', async () => {
    const [one, other] = [await host(), await host()];
    const ref = await one.put(Buffer.from('hello'));
    expect(await readFile(inBucket(`${ref.sha256.slice(0, 2)}/${ref.sha256}`), 'utf8')).toBe('hello');
    expect(await other.text(ref)).toBe('hello');
    await rm(inBucket(ref.sha256.slice(0, 2)), { recursive: true });
    expect(await other.text(ref)).toBe('hello');
  });

  test('a file of many megabytes arrives as it is, by an upload that names its hash', async () => {
    const bytes = randomBytes(24 << 20);
    const source = join(await folder({ big: bytes }), 'big');
    const ref = await (await host()).putFile(source);
    expect(ref).toEqual({ sha256: sha(bytes), bytes: bytes.length });
    const copy = join(await folder(), 'copy');
    await (await host()).materialise(ref.sha256, copy);
    expect(sha(await readFile(copy))).toBe(ref.sha256);
  });

  test('of many that keep the same at once everybody succeeds', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => host()));
    const refs = await Promise.all(stores.map((store) => store.put(Buffer.from('raced'))));
    expect(new Set(refs.map(({ sha256 }) => sha256))).toEqual(new Set([sha('raced')]));
    expect(await (await host()).text({ sha256: sha('raced'), bytes: 5 })).toBe('raced');
  });

  test('what is kept again counts as written just now when it is old', async () => {
    const store = await host();
    const { sha256 } = await store.put(Buffer.from('old'));
    const path = inBucket(`${sha256.slice(0, 2)}/${sha256}`);
    const long = new Date(Date.now() - 40 * 60_000);
    await utimes(path, long, long);
    await store.put(Buffer.from('old'));
    expect((await stat(path)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  });

  test('documents are replaced, listed with the folders among them, and absent when they are', async () => {
    const [one, other] = [await host(), await host()];
    await one.write('runs/r-1/run.json', 'first');
    await one.write('runs/r-1/run.json', 'second');
    await one.write('runs/r:2/ä & b.json', '{}');
    expect(await other.read('runs/r-1/run.json')).toBe('second');
    expect(await other.read('runs/r-1/none.json')).toBeUndefined();
    expect(await other.list('runs')).toEqual(['r-1', 'r:2']);
    expect(await other.list('runs/r:2')).toEqual(['ä & b.json']);
    expect(await other.list('nothing')).toEqual([]);
  });

  test('an artifact that nobody has kept is missing, by its address', async () => {
    const error = await thrownBy((await host()).locate('0'.repeat(64)));
    expect(error).toBeInstanceOf(ArtifactMissing);
    expect(error.message).toContain(`is not at s3://${BUCKET}/tests/00/${'0'.repeat(64)}; all hosts of a fleet`);
  });

  test('what was written over in the bucket is not taken, and leaves nothing in the cache', async () => {
    const { sha256 } = await (await host()).put(Buffer.from('true'));
    await writeFile(inBucket(`${sha256.slice(0, 2)}/${sha256}`), 'false');
    const dir = await folder();
    const error = await thrownBy((await host({}, dir)).locate(sha256));
    expect(error).toMatchObject({ name: 'StoreRefused', code: 'HashMismatch' });
    expect(error.message).toContain(`returns other bytes for ${sha256} than were stored`);
    expect((await readdir(dir, { recursive: true })).filter((name) => name.includes(sha256))).toEqual([]);
  });

  test('examining it reads every artifact in the bucket, and tells the damaged ones', async () => {
    const store = await host({ address: `s3://${BUCKET}/examined` });
    const refs = [await store.put(Buffer.from('one')), await store.put(Buffer.from('two'))];
    await store.write('runs/r/run.json', '{}');
    const [{ sha256 } = { sha256: '' }] = refs;
    await writeFile(join(server.dir, BUCKET, 'examined', sha256.slice(0, 2), sha256), 'other');
    const found = new Map<string, boolean>();
    for await (const { path, isWhole } of store.examine()) found.set(path, isWhole);
    const pathOf = (hash: string): string => `s3://${BUCKET}/examined/${hash.slice(0, 2)}/${hash}`;
    expect(found).toEqual(new Map(refs.map((ref, index) => [pathOf(ref.sha256), index === 1])));
  });

  test('a damaged file of the cache is fetched again, and what is kept again is whole', async () => {
    const dir = await folder();
    const store = await host({}, dir);
    const ref = await store.put(Buffer.from('kept'));
    const cached = join(dir, ref.sha256.slice(0, 2), ref.sha256);
    for (const read of [() => store.text(ref), async () => await readFile(await store.locate(ref.sha256), 'utf8')]) {
      await writeFile(cached, '');
      expect(await read()).toBe('kept');
    }
    await writeFile(cached, '');
    await store.put(Buffer.from('kept'));
    expect(await readFile(cached, 'utf8')).toBe('kept');
  });

  test('an upload whose bytes are not those of its hash is refused by the server', async () => {
    const path = join(await folder({ file: 'these' }), 'file');
    const bucket = bucketOf(server.endpoint);
    const error = await thrownBy(bucket.put('key', { path, sha256: sha('those'), bytes: 5 }));
    expect(error).toBeInstanceOf(StoreRefused);
    expect(error.message).toContain('a proxy between this host and the bucket changes the data');
  });

  test('the cache stays below its size: what was used least lately goes, what is in use stays', async () => {
    const dir = await folder();
    const parts = { bucket: bucketOf(server.endpoint), cache: new FolderStore(dir) };
    const kept: string[] = [];
    const fill = new BucketStore({ ...parts, limit: new CacheLimit(dir, 1 << 30) });
    for (let n = 0; n < 10; n += 1) kept.push((await fill.put(randomBytes(1000))).sha256);
    const paths = await Promise.all(kept.map((sha256) => fill.locate(sha256)));
    for (const [n, path] of paths.entries()) await utimes(path, new Date(), new Date(Date.now() - (20 - n) * 60_000));
    const tight = new BucketStore({ ...parts, limit: new CacheLimit(dir, 6000) });
    await tight.locate(kept[0]!); // used again: the oldest no more
    await tight.put(randomBytes(1000));
    const left = (await readdir(dir, { recursive: true })).map((name) => name.slice(3));
    expect(kept.filter((sha256) => left.includes(sha256))).toEqual([kept[0], kept[7], kept[8], kept[9]]);
    expect(await readFile(await tight.locate(kept[1]!))).toHaveLength(1000);
  });

  const bucketOf = (endpoint: string, idleMs?: number): S3Bucket =>
    new S3Bucket(
      { bucket: BUCKET, prefix: 'tests/', endpoint, region: 'us-east-1', pathStyle: true },
      { env: server.env, cwd: '/' },
      idleMs,
    );
  const storeOver = async (endpoint: string, idleMs?: number): Promise<BucketStore> => {
    const dir = await folder();
    return new BucketStore({
      bucket: bucketOf(endpoint, idleMs),
      cache: new FolderStore(dir),
      limit: new CacheLimit(dir, 1 << 30),
    });
  };

  test('a slow link is no trouble as long as something moves', async () => {
    const link = await SlowLink.to(server.endpoint, { bytesPerSecond: 1 << 20 });
    const bytes = randomBytes(1 << 20);
    const ref = await (await storeOver(link.endpoint, 1500)).put(bytes);
    expect(sha(await readFile(await (await storeOver(link.endpoint, 1500)).locate(ref.sha256)))).toBe(sha(bytes));
  });

  test('a link on which nothing moves any more is given up', async () => {
    const link = await SlowLink.to(server.endpoint, { bytesPerSecond: 1 << 20, stallAfter: 100_000 });
    const error = await thrownBy((await storeOver(link.endpoint, 300)).put(randomBytes(1 << 20)));
    expect(error).toBeInstanceOf(StoreUnreachable);
    expect(error.message).toContain('does not answer: no data for 0.3 s');
  });

  test.each<[string, (endpoint: string) => Promise<Partial<BucketSettings>>, string]>([
    [
      'a bucket that does not exist',
      () => Promise.resolve({ address: 's3://none/at-all' }),
      'rejects the request: NoSuchBucket',
    ],
    [
      'a secret that is wrong',
      () => Promise.resolve({ credentials: `echo '{"AccessKeyId":"raymond","SecretAccessKey":"wrong"}'` }),
      'rejects the request: SignatureDoesNotMatch',
    ],
    [
      'a key that nobody knows',
      () => Promise.resolve({ credentials: `echo '{"AccessKeyId":"nobody","SecretAccessKey":"wrong"}'` }),
      'correct the keys (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or s3_credentials)',
    ],
    ['keys that are no JSON', () => Promise.resolve({ credentials: 'echo secret' }), 'did not print a JSON object'],
  ])('%s is a refusal that names host, store and what to do', async (_what, wrong, message) => {
    const store = await host(await wrong(server.endpoint));
    const works = [() => store.put(Buffer.from('x')), () => store.read('runs/x'), () => store.list('runs')];
    for (const work of [...works, () => store.probe()]) {
      const error = await thrownBy(work());
      expect(error).toBeInstanceOf(StoreRefused);
      expect(error.message).toContain(message);
      expect(error.message).toMatch(/^host \S+: /);
    }
  });

  test('no keys at all are a refusal', async () => {
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    const store = openStore({ dir: await folder(), bucket: server.settings() }, {});
    expect((await thrownBy(store.list('runs'))).message).toContain('there are no keys for the bucket; set AWS_ACC');
  });

  test('a command is asked for keys again when those that it gave expire, and its failure may pass', async () => {
    const cwd = await folder();
    const keys = `"AccessKeyId":"raymond","SecretAccessKey":"not-a-secret"`;
    const asked = async (until: string): Promise<readonly number[]> => {
      const expiry = `$(date -u -d '${until}' +%Y-%m-%dT%H:%M:%SZ)`;
      const command = `echo x >>'${until}'; echo '{${keys},"Expiration":"'${expiry}'"}'`;
      const store = await host({ credentials: command, cwd });
      const lists = [() => store.list('runs'), () => store.list('runs')];
      const counts: number[] = [];
      for (const list of lists) {
        await list();
        counts.push((await readFile(join(cwd, until), 'utf8')).length);
      }
      return counts;
    };
    const [once = 0, twice = 0] = await asked('+30 seconds');
    expect(twice).toBeGreaterThan(once);
    expect(await asked('+1 hour')).toEqual([2, 2]);
    const failing = await host({ credentials: 'echo vault is away >&2; exit 3', cwd });
    const error = await thrownBy(failing.list('runs'));
    expect(error).toBeInstanceOf(StoreUnreachable);
    expect(error.message).toContain('the command of s3_credentials ended with exit 3: vault is away');
  });

  test('an endpoint at which nobody is cannot be reached', async () => {
    const store = await host({ endpoint: `http://127.0.0.1:${await freePort()}` });
    const error = await thrownBy(store.put(Buffer.from('x')));
    expect(error).toBeInstanceOf(StoreUnreachable);
    expect(error.message).toMatch(/does not answer: connect ECONNREFUSED .*; start it, or correct s3_endpoint/);
  });
});
