// A git command that does not end.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { git } from '../../src/workspaces/git.js';
import { folder } from '../support/folder.js';

const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };

test('a command whose filter hangs ends with its time', async () => {
  const cwd = await folder({ '.gitattributes': '*.bin filter=slow\n' });
  await git(['init', '--quiet'], { cwd, env });
  await git(['config', 'filter.slow.clean', 'exec sleep 20'], { cwd, env });
  await writeFile(join(cwd, 'one.bin'), 'content');
  await expect(git(['add', '.'], { cwd, env, limitMs: 300 })).rejects.toThrow('it did not end within 0.3 s');
});
