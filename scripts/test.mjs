// The test command: builds what the tests run (dist), makes sure a Temporal CLI is there, then runs Jest and sums up.
// Arguments go to Jest. The last line is "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
const fail = () => {
  console.log('0 passed, 1 failed');
  process.exit(1);
};

if (run('npm', ['run', '--silent', 'build']) !== 0) fail();
// Found, downloaded or built here once, so that no single test waits minutes for it.
if (run(process.execPath, ['scripts/temporal-cli.mjs']) !== 0) fail();

const report = join(tmpdir(), `raymond-tests-${process.pid}.json`);
const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...process.argv.slice(2)];
const status = run(process.execPath, ['--experimental-vm-modules', '--no-warnings', ...jest]);
const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(await readFile(report, 'utf8'));
await rm(report, { force: true });
const failed = numFailedTests + numRuntimeErrorTestSuites;
console.log(`${numPassedTests} passed, ${failed === 0 && status !== 0 ? 1 : failed} failed`);
process.exit(status === 0 && numPassedTests > 0 ? 0 : 1);
