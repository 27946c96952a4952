// The attacks and the limits once more, with a worker of a user who is not root: the kernel does not give such a user what it
// gives root, and keeps its limits by other means.
import { spawnSync } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { folder } from '../support/folder.js';
import { noSandbox, NO_ROOT, testUnless } from '../support/unless.js';

const NOBODY = 65534;
const ROOT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const AS_NOBODY = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];

const unreadable = (): string | undefined =>
  spawnSync('setpriv', [...AS_NOBODY, 'test', '-r', `${ROOT_FOLDER}/package.json`]).status === 0
    ? undefined
    : 'an ordinary user cannot read this checkout';

testUnless(NO_ROOT ?? noSandbox() ?? unreadable())(
  'the attacks and limits of the sandbox "process" hold for an ordinary user',
  async () => {
    const home = await folder();
    await chown(home, NOBODY, NOBODY);
    const jest = ['node_modules/jest/bin/jest.js', '--cacheDirectory', `${home}/jest`, '--maxWorkers', '1'];
    const tests = ['attacks', 'kernel', 'limits'].map((name) => `test/sandbox/${name}.test.ts`);
    const { status, stderr } = spawnSync('setpriv', [...AS_NOBODY, process.execPath, ...jest, ...tests], {
      cwd: ROOT_FOLDER,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: home,
        TMPDIR: home,
        NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
      },
      encoding: 'utf8',
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  },
  300_000,
);
