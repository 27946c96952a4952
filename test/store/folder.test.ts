// The artifact store on a real folder: what is inline, what is a file, and that a file that is there never changes.
import { chmod, mkdtemp, truncate, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { FolderStore } from '../../src/store/folder.js';
import { ArtifactMissing, StoreDamaged, type ArtifactStore } from '../../src/store/store.js';
import { MAX_INLINE_BYTES } from '../../src/protocol/text.js';
import { folder } from '../support/folder.js';

const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const COMPILED = new URL('../../dist/store/folder.js', import.meta.url).href;
const ABSENT = '0'.repeat(64);

let dir: string;
let store: ArtifactStore;
beforeEach(async () => {
  dir = join(await folder(), 'artifacts');
  store = new FolderStore(dir);
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const filesIn = async (path: string): Promise<readonly string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).map(({ name }) => name);

describe('a value', () => {
  test.each([
    ['', 'inline'],
    ['x'.repeat(MAX_INLINE_BYTES), 'inline'],
    ['é'.repeat(MAX_INLINE_BYTES / 2), 'inline'],
    ['x'.repeat(MAX_INLINE_BYTES + 1), 'an artifact'],
    ['é'.repeat(MAX_INLINE_BYTES / 2) + 'x', 'an artifact'],
    ['\u{1f600}'.repeat(MAX_INLINE_BYTES / 2), 'an artifact'],
  ])('case %#: is kept by its bytes and read back whole', async (text, kept) => {
    const value = await store.value(text);
    expect(typeof value === 'string' ? 'inline' : 'an artifact').toBe(kept);
    if (typeof value !== 'string') expect(value.bytes).toBe(Buffer.byteLength(text));
    expect(await store.text(value)).toBe(text);
  });

  test('that is small writes nothing', async () => {
    await store.value('small');
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('keeping', () => {
  test('bytes are named by their SHA-256, in a folder of their first digits, for the owner only', async () => {
    expect(await store.put(Buffer.from('hello'))).toEqual({ sha256: HELLO, bytes: 5 });
    const path = join(dir, '2c', HELLO);
    expect(await store.locate(HELLO)).toBe(path);
    expect(await readFile(path, 'utf8')).toBe('hello');
    expect([await modeOf(path), await modeOf(join(dir, '2c')), await modeOf(dir)]).toEqual([0o600, 0o700, 0o700]);
  });

  test('what a killed process left half written goes after a day', async () => {
    await store.put(Buffer.from('hello'));
    const left = (name: string): string => join(dir, 'incoming', name);
    for (const name of ['old', 'new']) await writeFile(left(name), 'half');
    const long = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(left('old'), long, long);
    await new FolderStore(dir).put(Buffer.from('more'));
    expect(await readdir(join(dir, 'incoming'))).toEqual(['new']);
  });

  test('a process that is killed while it writes a document leaves nothing beside it', async () => {
    const faults = join(dirname(dir), 'faults');
    await writeFile(faults, 'artifact-written 1 x');
    const write = `new FolderStore(${JSON.stringify(dir)}).write('runs/r/a.json', '[]')`;
    const code = `import { FolderStore } from ${JSON.stringify(COMPILED)}; await ${write};`;
    const killed = await execa(process.execPath, ['--input-type=module', '-e', code], {
      env: { RAYMOND_FAULTS: faults },
      reject: false,
    });
    expect(killed.signal).toBe('SIGKILL');
    expect(await readdir(join(dir, 'runs/r'))).toEqual([]);
    expect(await readdir(join(dir, 'incoming'))).toHaveLength(1);
  });

  test('the same bytes twice are one file, whose time says that it was needed again', async () => {
    await store.put(Buffer.from('hello'));
    const path = join(dir, '2c', HELLO);
    const before = await stat(path);
    await utimes(path, new Date(0), new Date(0));
    await store.put(Buffer.from('hello'));
    const after = await stat(path);
    expect(after.ino).toBe(before.ino);
    expect(after.mtimeMs).toBeGreaterThan(before.mtimeMs - 1000);
    expect(await filesIn(dir)).toEqual([HELLO]);
  });

  test('many at once, the same and others, leave whole files and nothing else', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => `${n % 8} `.repeat(20_000));
    const refs = await Promise.all(texts.map((text) => store.put(Buffer.from(text))));
    const stored = await Promise.all(refs.map(async (ref) => await store.text(ref)));
    expect(stored.every((text, n) => text === texts[n])).toBe(true);
    expect([...(await filesIn(dir))].sort()).toEqual([...new Set(refs.map(({ sha256 }) => sha256))].sort());
  });

  test('a file is copied, private whatever its own mode is, and stays where it was', async () => {
    const source = join(await folder({ 'transcript.jsonl': 'hello' }), 'transcript.jsonl');
    await chmod(source, 0o644);
    expect(await store.putFile(source)).toEqual({ sha256: HELLO, bytes: 5 });
    await writeFile(source, 'changed');
    expect(await store.text({ sha256: HELLO, bytes: 5 })).toBe('hello');
    expect(await modeOf(join(dir, '2c', HELLO))).toBe(0o600);
  });

  test('a file that cannot be read leaves nothing behind', async () => {
    await expect(store.putFile(join(dir, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('an artifact that is not there', () => {
  test.each<[string, (store: ArtifactStore) => Promise<unknown>]>([
    ['reading it', (store) => store.text({ sha256: ABSENT, bytes: 1 })],
    ['locating it', (store) => store.locate(ABSENT)],
    ['materialising it', (store) => store.materialise(ABSENT, join(dir, 'out'))],
  ])('%s is an error that names it, its path, and what to look at', async (_what, read) => {
    const error = await read(store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArtifactMissing);
    expect((error as Error).message).toBe(
      `the artifact ${ABSENT} is not at ${join(dir, '00', ABSENT)}; on several hosts the artifact folder must be shared`,
    );
  });
});

describe('an artifact whose file does not hold what its hash says', () => {
  const path = (): string => join(dir, '2c', HELLO);
  test.each<[string, () => Promise<void>]>([
    ['cut', () => truncate(path(), 3)],
    ['emptied', () => truncate(path(), 0)],
    ['changed in place', () => writeFile(path(), 'hallo')],
  ])(
    '%s: each way to read it is an error that names the file, and keeping the right bytes repairs it',
    async (_what, damage) => {
      const ref = await store.put(Buffer.from('hello'));
      await store.locate(HELLO);
      await damage();
      const out = join(await folder(), 'out');
      for (const read of [() => store.text(ref), () => store.locate(HELLO), () => store.materialise(HELLO, out)]) {
        const error = await read().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StoreDamaged);
        expect((error as Error).message).toMatch(`${path()} is damaged: its SHA-256 is not ${HELLO}; `);
      }
      await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await store.put(Buffer.from('hello'))).toEqual(ref);
      expect(await store.text(ref)).toBe('hello');
      expect(await filesIn(dir)).toEqual([HELLO]);
    },
  );

  test('is replaced by the right file, too', async () => {
    await store.put(Buffer.from('hello'));
    await truncate(path(), 0);
    await store.putFile(join(await folder({ file: 'hello' }), 'file'));
    expect(await readFile(await store.locate(HELLO), 'utf8')).toBe('hello');
  });
});

describe('materialising', () => {
  test('gives the same file under another name, with its folders, without copying', async () => {
    const { sha256 } = await store.put(Buffer.from('hello'));
    const path = join(await folder(), 'a', 'b', 'parent.jsonl');
    await store.materialise(sha256, path);
    expect((await stat(path)).ino).toBe((await stat(await store.locate(sha256))).ino);
    expect(await modeOf(join(path, '..'))).toBe(0o700);
  });

  test('onto another file system gives a copy for the owner only', async () => {
    const { sha256 } = await store.put(Buffer.from('hello'));
    // A memory file system on Linux; elsewhere this is the same case as above.
    const elsewhere = await mkdtemp(
      join((await stat('/dev/shm').catch(() => undefined)) ? '/dev/shm' : dir, 'raymond-'),
    );
    try {
      const path = join(elsewhere, 'parent.jsonl');
      await store.materialise(sha256, path);
      expect(await readFile(path, 'utf8')).toBe('hello');
      expect(await modeOf(path)).toBe(0o600);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  test('under a name that is taken replaces that name, and no other artifact', async () => {
    const [one, two] = [await store.put(Buffer.from('one')), await store.put(Buffer.from('two'))];
    const path = join(await folder(), 'parent.jsonl');
    await store.materialise(one.sha256, path);
    await store.materialise(two.sha256, path);
    expect(await readFile(path, 'utf8')).toBe('two');
    expect([await store.text(one), await store.text(two)]).toEqual(['one', 'two']);
  });
});
