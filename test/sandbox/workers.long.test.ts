// The attacks and the limits once more, with other workers: one of a user who is not root, to whom the kernel does not give
// what it gives root, and one of root without control groups. Their limits are kept by other means.
import { spawnSync } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { folder } from '../support/folder.js';
import { noSandbox, NO_ROOT, testUnless, WITHOUT_CONTROL_GROUPS } from '../support/unless.js';

const NOBODY = 65534;
const ROOT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const AS_NOBODY = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];

const unreadable = (): string | undefined =>
  spawnSync('setpriv', [...AS_NOBODY, 'test', '-r', `${ROOT_FOLDER}/package.json`]).status === 0
    ? undefined
    : 'an ordinary user cannot read this checkout';

/** Runs test files in a process of their own, behind these words. */
async function runTests(before: readonly string[], names: readonly string[], owner?: number): Promise<void> {
  const home = await folder();
  if (owner !== undefined) await chown(home, owner, owner);
  const jest = ['node_modules/jest/bin/jest.js', '--cacheDirectory', `${home}/jest`, '--maxWorkers', '1'];
  const tests = names.map((name) => `test/sandbox/${name}.test.ts`);
  const [command = '', ...words] = [...before, process.execPath, ...jest, ...tests];
  const { status, stderr } = spawnSync(command, words, {
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
}

testUnless(NO_ROOT ?? noSandbox() ?? unreadable())(
  'the attacks and limits of the sandbox "process" hold for an ordinary user',
  () => runTests(['setpriv', ...AS_NOBODY], ['attacks', 'kernel', 'limits'], NOBODY),
  300_000,
);

testUnless(NO_ROOT ?? noSandbox())(
  'the limits of the sandbox "process" hold for root without control groups',
  () => runTests(WITHOUT_CONTROL_GROUPS, ['limits']),
  300_000,
);
