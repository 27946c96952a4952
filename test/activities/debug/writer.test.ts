// A debug file as readers see it: whole at every moment, bounded, and never a trouble to the process that fills it.
import type { FileHandle } from 'node:fs/promises';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { JSON_ARRAY, PLAIN, Writer, type WriterParts } from '../../../src/activities/debug/writer.js';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';

const troubles: unknown[] = [];

async function writer(parts: Partial<WriterParts> = {}): Promise<{ path: string; file: Writer }> {
  const path = join(await folder(), 'file');
  const onFailure = (error: unknown): unknown => troubles.push(error);
  return { path, file: new Writer({ open: () => open(path, 'wx'), framing: JSON_ARRAY, onFailure, ...parts }) };
}

const json = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));
const text = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** A file handle whose writes are done by `write` first. */
function handle(file: FileHandle, write: () => void | Promise<void>): FileHandle {
  return new Proxy(file, {
    get: (target, name) => {
      const own = Reflect.get(target, name) as unknown;
      if (typeof own !== 'function') return own;
      return async (...args: unknown[]): Promise<unknown> => {
        if (name === 'write') await write();
        return await (own.apply(target, args) as Promise<unknown>);
      };
    },
  });
}

test('a JSON array is valid before, between and after its pieces', async () => {
  const { path, file } = await writer();
  await until(async () => (await text(path)) !== '', { what: 'the file' });
  expect(await json(path)).toEqual([]);
  for (let n = 1; n <= 20; n += 1) {
    file.add(JSON.stringify({ n }));
    await until(async () => (await text(path)).includes(`{"n":${n}}`), { what: `piece ${n}` });
    expect(await json(path)).toHaveLength(n);
  }
  file.add('{"a":"ä"}');
  file.add('{"b":2}');
  await file.close();
  expect((await json(path)) as unknown[]).toHaveLength(22);
  expect((await text(path)).split('\n').at(-3)).toBe('{"b":2}');
});

test('output stays as it is, byte by byte', async () => {
  const { path, file } = await writer({ framing: PLAIN });
  const bytes = Buffer.from([0, 255, 10, 13, 65]);
  file.add(bytes);
  file.add('ä\n');
  await file.close();
  expect(await readFile(path)).toEqual(Buffer.concat([bytes, Buffer.from('ä\n')]));
});

test('what a slow disk cannot take is dropped with a note where it was, and the rest follows', async () => {
  let free: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (free = resolve));
  const limits = { fileBytes: 1000, waitingBytes: 30 };
  const path = join(await folder(), 'file');
  const slow = async (): Promise<FileHandle> => handle(await open(path, 'wx'), () => gate);
  const { file } = await writer({ open: slow, limits });
  for (let n = 0; n < 10; n += 1) file.add(JSON.stringify({ n, pad: 'xxx' }));
  free();
  await until(async () => (await text(path)).includes('dropped'), { what: 'the note' });
  file.add('"after"');
  await file.close();
  expect(await json(path)).toEqual([{ n: 0, pad: 'xxx' }, { dropped_bytes: 9 * 19 }, 'after']);
});

test('a file that is full says so once, at its end', async () => {
  const { path, file } = await writer({ framing: PLAIN, limits: { fileBytes: 10, waitingBytes: 100 } });
  for (let n = 0; n < 5; n += 1) file.add('12345');
  await file.close();
  expect(await text(path)).toBe('1234512345\n[15 bytes were dropped here]\n');
});

test('a piece that is larger than what may wait is taken when nothing else waits', async () => {
  const { path, file } = await writer({ framing: PLAIN, limits: { fileBytes: 1000, waitingBytes: 10 } });
  await until(async () => (await open(path).catch(() => undefined))?.close().then(() => true), { what: 'the file' });
  file.add('x'.repeat(100));
  await file.close();
  expect(await text(path)).toBe('x'.repeat(100));
});

test('a disk that is full leaves the array valid, with what was written before, and is reported once', async () => {
  troubles.length = 0;
  const path = join(await folder(), 'file');
  let writes = 0;
  const full = async (): Promise<FileHandle> => {
    const file = await open(path, 'wx');
    return handle(file, async () => {
      writes += 1;
      if (writes !== 3) return;
      await file.write('broken off', 11);
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    });
  };
  const { file } = await writer({ open: full });
  file.add('{"n":1}');
  await until(async () => (await text(path)).includes('"n":1'), { what: 'the first piece' });
  file.add('{"n":2}');
  await until(() => troubles.length > 0, { what: 'the trouble' });
  file.add('{"n":3}');
  await file.close();
  expect(await json(path)).toEqual([{ n: 1 }]);
  expect(troubles).toHaveLength(1);
});

test('a file that cannot be opened is reported once, and takes everything in silence', async () => {
  troubles.length = 0;
  const { file } = await writer({ open: () => Promise.reject(new Error('no')) });
  file.add('1');
  await until(() => troubles.length > 0, { what: 'the trouble' });
  file.add('2');
  await file.close();
  expect(troubles).toEqual([new Error('no')]);
});
