// The test command: builds what the tests run (dist), makes sure a Temporal CLI, an S3 server and Chromium are there, then runs Jest and sums up.
// Arguments go to Jest, but for --record-durations: it keeps how long each file took, by which the next run orders them.
// The last line is "N passed, N failed", or "N passed, N failed, N skipped" after the names of those that this machine cannot run.
import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SLOWEST = 10;
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
const fail = () => {
  console.log('0 passed, 1 failed');
  process.exit(1);
};

// `npm ci` has just built it, mostly.
if (!(await isBuilt()) && run('npm', ['run', '--silent', 'build']) !== 0) fail();
// Found, downloaded or built here once, so that no single test waits minutes for it.
if (run(process.execPath, ['scripts/temporal-cli.mjs']) !== 0) fail();
run(process.execPath, ['scripts/versitygw.mjs']);
run(process.execPath, ['scripts/chromium.mjs']);

const report = join(tmpdir(), `raymond-tests-${process.pid}.json`);
const RECORD = '--record-durations';
const args = process.argv.slice(2).filter((argument) => argument !== RECORD);
const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...args];
const status = run(process.execPath, ['--experimental-vm-modules', '--no-warnings', ...jest]);
const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
  await readFile(report, 'utf8'),
);
await rm(report, { force: true });

const files = testResults.map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000]);
files.sort(([, one], [, other]) => other - one);
const slowest = files.slice(0, SLOWEST).map(([name, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${name}`);
if (files.length > SLOWEST) console.log(['the slowest files:', ...slowest].join('\n'));
if (process.argv.includes(RECORD)) await recordDurations(files);

const skipped = args.length > 0 ? [] : testResults.flatMap(skippedIn);
if (skipped.length > 0) console.log(['skipped, for want of something on this machine:', ...skipped].join('\n  '));

const failed = numFailedTests + numRuntimeErrorTestSuites;
const also = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
console.log(`${numPassedTests} passed, ${failed === 0 && status !== 0 ? 1 : failed} failed${also}`);
process.exit(status === 0 && numPassedTests > 0 ? 0 : 1);

/** True when dist/ is newer than everything that it is made of, folders included: they tell of files that are gone. */
async function isBuilt() {
  const built = await stat(join(root, 'dist/program/raymond.js')).catch(() => undefined);
  if (built === undefined) return false;
  const sources = ['src', 'scripts'].map(async (folder) => {
    const names = await readdir(join(root, folder), { recursive: true });
    return ['', ...names].map((name) => join(root, folder, name));
  });
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const paths = [...(await Promise.all(sources)).flat(), ...files.map((name) => join(root, name))];
  const times = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
  return Math.max(...times) < built.mtimeMs;
}

/** Whoever names tests on the command line knows that the others are skipped. */
function skippedIn({ name, assertionResults }) {
  const pending = assertionResults.filter(({ status }) => status === 'pending');
  return pending.map(({ fullName }) => `${relative(root, name)}: ${fullName}`);
}

/** Whole seconds, of files that take any: what is shorter may run in any order. */
async function recordDurations(files) {
  const long = files.map(([name, seconds]) => [name, Math.round(seconds)]).filter(([, seconds]) => seconds > 0);
  const text = JSON.stringify(Object.fromEntries(long), null, 2);
  await writeFile(join(root, 'test', 'support', 'durations.json'), `${text}\n`);
}
