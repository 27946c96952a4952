// A host that refuses files, modes or space: one line says what to do.
import { statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { folder } from '../support/folder.js';
import { testOnTinyDisk, withTinyDisk } from '../support/tiny-disk.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': 'echo "<goto>END</goto>"\n',
    'flow/END.sh': 'touch went; echo "<result>x</result>"\n',
  });
});

describe('one line says what to do when', () => {
  test.each([['list'], ['--help'], ['start', 'flow'], ['doctor']])(
    'the current folder was deleted: raymond %s',
    async (...args) => {
      const cwd = join(place.cwd, 'deleted');
      await mkdir(cwd, { recursive: true });
      const inside = ['sh', '-c', 'rmdir "$PWD"; exec "$0" "$@"'];
      expect(await place.bin(args, { cwd, before: inside })).toEqual({
        stdout: '',
        stderr: 'raymond: the current folder no longer exists; change to another folder and try again',
        exitCode: 64,
      });
      await rm(cwd, { recursive: true, force: true });
    },
  );

  test('hardly any file may be opened', async () => {
    // How many files a short command needs depends on what of it is compiled already.
    let result: unknown;
    for (let files = 24, code: number | undefined = 64; code === 64; files -= 1) {
      const before = ['sh', '-c', `ulimit -n ${files}; exec "$0" "$@"`];
      const done = await place.bin(['status', 'none'], { before });
      [result, code] = [done, done.exitCode];
    }
    expect(result).toEqual({
      stdout: '',
      stderr:
        'raymond: this process may not open more files (EMFILE); raise the limit, for example with: ulimit -n 1024',
      exitCode: 69,
    });
  });
});

test.each(['0777', '0377'])('what is made under a umask of %s its user can use', async (umask) => {
  const fresh = await folder({});
  const before = ['sh', '-c', `umask ${umask}; exec "$0" "$@"`];
  expect(await place.bin(['init', '--config-only'], { cwd: fresh, before })).toMatchObject({ exitCode: 0 });
  const modes = ['.raymond', '.raymond/config.toml'].map((name) => statSync(join(fresh, name)).mode & 0o700);
  expect(modes).toEqual([0o700, 0o600]);
});

testOnTinyDisk('doctor names a project that this user may not write', async () => {
  const fresh = await folder({});
  const { stdout, stderr, exitCode } = await place.bin(['doctor'], {
    cwd: fresh,
    before: withTinyDisk({ folder: fresh, size: 'read-only' }),
  });
  expect(stdout).toMatch(
    new RegExp(`failed +disk +cannot write ${fresh}: the file system is read-only\\n +→ make ${fresh} writable`),
  );
  expect({ exitCode, said: stderr }).toEqual({
    exitCode: 69,
    said: expect.stringMatching(/not ready, missing: .*disk/),
  });
});
