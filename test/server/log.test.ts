// The log of a server that runs for months.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { keepLogShort } from '../../src/server/index.js';
import { folder } from '../support/folder.js';

test('a log that has become too long is emptied while its server writes on; its lines are kept once', async () => {
  const log = join(await folder(), 'server.log');
  const held = openSync(log, 'a');
  writeSync(held, 'first\n');
  keepLogShort({ log });
  expect(readFileSync(log, 'utf8')).toBe('first\n');
  writeSync(held, 'x'.repeat(2 ** 20));
  keepLogShort({ log });
  writeSync(held, 'last\n');
  closeSync(held);
  expect(readFileSync(log, 'utf8')).toBe('last\n');
  expect(readFileSync(`${log}.old`, 'utf8')).toHaveLength(2 ** 20 + 6);
});
