// The events of a run that wait for their hooks, when their file was damaged.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { HookRecord, type Pending } from '../../../src/cli/hooks/record.js';
import { folder } from '../../support/folder.js';

const item = (key: string): Pending => ({ key, event: { event: 'run.completed' } as unknown as Pending['event'] });
const whole = JSON.stringify({ seen: ['a', 'b'], pending: [item('b')] });

test.each([
  ['whole', whole, ['b'], true],
  ['cut', whole.slice(0, -20), [], false],
  ['empty', '', [], false],
  ['other JSON', '[]', [], false],
  ['damaged in an event', JSON.stringify({ seen: ['a', 7], pending: [null, { key: 'x' }, item('b')] }), ['b'], true],
])('a file that is %s keeps what can be read of it, and takes the next event', async (...[, text, keys, knows]) => {
  const raymondDir = await folder({ 'runs/r.hooks.json': text });
  const record = await HookRecord.open(raymondDir, 'r');
  expect(record?.pending.map(({ key }) => key)).toEqual(keys);
  expect(record?.knows('a')).toBe(knows);
  await record?.add([item('c')]);
  await record?.close();
  const { pending } = JSON.parse(await readFile(join(raymondDir, 'runs/r.hooks.json'), 'utf8')) as {
    readonly pending: readonly Pending[];
  };
  expect(pending.map(({ key }) => key)).toEqual([...keys, 'c']);
});
