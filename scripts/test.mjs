// The test command: builds what the tests run (dist), makes sure a Temporal CLI, an S3 server, Chromium and bubblewrap are there, then runs Jest and sums up.
// A Jest that hangs is killed (test/jest.mjs); the files that had not ended count as failed.
// Arguments go to Jest, but for --record-durations: it keeps how long each file took, by which the next run orders them.
// Files named *.long.test.ts are left out; --long runs only them, and --all runs both, one part after the other, for one sum.
// --rerun-failed runs up to three failed files again, alone, and reports what passes then as flaky: CI refuses faults, not the load of its machine.
// The last line is "N passed, N failed", or "N passed, N failed, N skipped" after the names of those that this machine cannot run.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './test/jest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const SLOWEST = 10;
// More than this is no accident.
const MOST_RERUN = 3;
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
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
run(process.execPath, ['scripts/sandbox.mjs']);

const SHORT = '--testPathIgnorePatterns=\\.long\\.test\\.ts$';
const LONG = '--testMatch=**/*.long.test.ts';
const OPTIONS = { '--long': [LONG], '--all': [SHORT, LONG] };
const RECORD = '--record-durations';
const RERUN = '--rerun-failed';
const given = process.argv.slice(2);
const args = given.filter((argument) => ![RECORD, RERUN].includes(argument) && !(argument in OPTIONS));
const parts = OPTIONS[given.find((argument) => argument in OPTIONS)] ?? [SHORT];

let results = [];
for (const part of parts) results.push(await resultsOf(part));
if (given.includes(RERUN)) await rerunFailed();
const testResults = results.flatMap((result) => result.testResults);

const files = testResults.map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000]);
files.sort(([, one], [, other]) => other - one);
const slowest = files.slice(0, SLOWEST).map(([name, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${name}`);
if (files.length > SLOWEST) console.log(['the slowest files:', ...slowest].join('\n'));
if (given.includes(RECORD)) await recordDurations(files);

const skipped = args.length > 0 ? [] : testResults.flatMap(skippedIn);
if (skipped.length > 0) console.log(['skipped, for want of something on this machine:', ...skipped].join('\n  '));

const sum = (name) => results.reduce((total, result) => total + result[name], 0);
const also = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
console.log(`${sum('passed')} passed, ${sum('failed')} failed${also}`);
process.exit(sum('failed') === 0 && sum('passed') > 0 ? 0 : 1);

/** Runs one part. A file that fails without a failed test counts as one failure. */
async function resultsOf(...part) {
  const { files, failed } = await runJest({ root, args: [...args, ...part] });
  const of = (wanted) =>
    files.flatMap((file) => file.assertionResults.filter(({ status }) => status === wanted)).length;
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed)).length;
  return { passed: of('passed'), failed: of('failed') + broken + failed, testResults: files };
}

function isFailed({ status }) {
  return status === 'failed';
}

/** Replaces the results of failed files by those of a second run, if few have failed and each part has a report. */
async function rerunFailed() {
  const failed = results.flatMap(({ testResults }) => testResults.filter(({ status }) => status === 'failed'));
  const isWhole = results.every(({ failed, testResults }) => failed === 0 || testResults.length > 0);
  if (!isWhole || failed.length === 0 || failed.length > MOST_RERUN) return;
  const paths = failed.map(({ name }) => name);
  console.log(
    `these files failed, and are run again alone:\n  ${paths.map((path) => relative(root, path)).join('\n  ')}`,
  );
  const again = await resultsOf('--runInBand', '--runTestsByPath', ...paths);
  const titles = failed.flatMap(({ name, assertionResults }) => {
    const these = assertionResults.filter(isFailed);
    return these.map(({ fullName }) => `${relative(root, name)}: ${fullName}`);
  });
  if (again.failed === 0) console.log(['flaky: failed once, and passed when run again alone:', ...titles].join('\n  '));
  results = [...results.map((result) => without(result, paths)), again];
}

/** The results of the other files, of which none has failed. */
function without({ testResults, ...result }, paths) {
  const others = testResults.filter(({ name }) => !paths.includes(name));
  const passed = others.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed').length;
  return { ...result, passed, failed: 0, testResults: others };
}

/** True when dist/ is newer than everything that it is made of, folders included: they tell of files that are gone. */
async function isBuilt() {
  const built = await stat(join(root, 'dist/program/raymond.cjs')).catch(() => undefined);
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

/** A command that names tests skips the others on purpose. */
function skippedIn({ name, assertionResults }) {
  const pending = assertionResults.filter(({ status }) => status === 'pending');
  return pending.map(({ fullName }) => `${relative(root, name)}: ${fullName}`);
}

/** Whole seconds, of files that take any: what is shorter may run in any order. Files of the other part keep theirs. */
async function recordDurations(files) {
  const path = join(root, 'test', 'support', 'durations.json');
  const before = Object.entries(JSON.parse(await readFile(path, 'utf8')));
  const known = new Set(files.map(([name]) => name));
  const others = before.filter(([name]) => !known.has(name) && existsSync(join(root, name)));
  const all = [...files, ...others].map(([name, seconds]) => [name, Math.round(seconds)]);
  const long = all.filter(([, seconds]) => seconds > 0).sort(([, one], [, other]) => other - one);
  await writeFile(path, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
}
