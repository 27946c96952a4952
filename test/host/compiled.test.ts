// The bundle of the command line and its compiled code.
import { beforeEach, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const COMPILED = fileURLToPath(new URL('../../dist/host/compiled.js', import.meta.url));
/** Loads a bundle as bin/raymond.js does; V8 crashes are the process's own. */
const LOADER = `import { CompiledBundle } from ${JSON.stringify(COMPILED)};
const [dir, cacheDir, sdk] = process.argv.slice(2);
const bundle = new CompiledBundle({ dir, cacheDir, bundledSdk: sdk === 'bundled' });
process.stdout.write(String(await bundle.load('entry.cjs').main()));
bundle.keep();
`;

let [dir, cacheDir] = ['', ''];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'raymond-test-'));
  cacheDir = join(dir, 'cache');
  await writeFile(join(dir, 'loader.mjs'), LOADER);
  await writeFile(
    join(dir, 'entry.cjs'),
    `exports.main = async () => require('./part.cjs').sum(require('node:os').EOL.length, 1);`,
  );
  await writeFile(join(dir, 'part.cjs'), 'exports.sum = (a, b) => a + b;');
});

async function main(sdk?: 'bundled', flags: readonly string[] = []): Promise<string> {
  const args = [...flags, join(dir, 'loader.mjs'), dir, cacheDir, sdk ?? 'package'];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

async function cached(): Promise<readonly string[]> {
  return (await readdir(cacheDir)).toSorted();
}

test('a bundle loads its files and packages, and its code is kept for the next process', async () => {
  expect(await main()).toBe('2');
  expect(await cached()).toEqual([`entry.cjs.${process.version}`, `part.cjs.${process.version}`]);
  const { mtimeMs } = await stat(join(cacheDir, `entry.cjs.${process.version}`));
  expect(await main()).toBe('2');
  expect((await stat(join(cacheDir, `entry.cjs.${process.version}`))).mtimeMs).toBe(mtimeMs);
});

test('a process that holds its bundle loads the files that it had when it began, whatever replaces them', async () => {
  const late = `exports.main = async () => {
    const { renameSync, writeFileSync } = require('node:fs');
    writeFileSync(__dirname + '/part.new', 'exports.sum = () => "of another version";');
    renameSync(__dirname + '/part.new', __dirname + '/part.cjs');
    return require('./part.cjs').sum(1, 1);
  };`.replaceAll('__dirname', JSON.stringify(dir));
  await writeFile(join(dir, 'entry.cjs'), late);
  await writeFile(
    join(dir, 'loader.mjs'),
    LOADER.replace('process.stdout', "if (sdk === 'held') await bundle.hold();\nprocess.stdout"),
  );
  const held = async (): Promise<string> => {
    await writeFile(join(dir, 'part.cjs'), 'exports.sum = (a, b) => a + b;');
    return (await promisify(execFile)(process.execPath, [join(dir, 'loader.mjs'), dir, cacheDir, 'held'])).stdout;
  };
  expect(await main()).toBe('of another version');
  expect(await held()).toBe('2');
});

test('code of a changed source is compiled again, also of the same length', async () => {
  await main();
  await writeFile(join(dir, 'part.cjs'), 'exports.sum = (a, b) => a - b;');
  expect(await main()).toBe('0');
  expect(await main()).toBe('0');
});

test.each([
  ['cut off', (kept: Buffer) => kept.subarray(0, kept.length - 40)],
  ['empty', () => Buffer.alloc(0)],
  ['damaged', (kept: Buffer) => Buffer.from(kept).fill(255, 60, 400)],
])('a cache that is %s is written again', async (_name, broken) => {
  await main();
  for (const name of await cached()) {
    const path = join(cacheDir, name);
    await writeFile(path, broken(await readFile(path)));
  }
  expect(await main()).toBe('2');
  expect(await main()).toBe('2');
});

test('code that was compiled with other flags of V8 is kept beside it', async () => {
  expect(await main()).toBe('2');
  const kept = await cached();
  expect(await main(undefined, ['--max-semi-space-size=4'])).toBe('2');
  expect(await cached()).toEqual([...kept, ...kept.map((name) => `${name}--max-semi-space-size_4`)].toSorted());
});

test('without a folder for the cache, a bundle still loads', async () => {
  await writeFile(join(dir, 'file'), '');
  cacheDir = join(dir, 'file', 'cache');
  expect(await main()).toBe('2');
});

test("Temporal's client comes from the bundle, or from its package", async () => {
  await writeFile(join(dir, 'entry.cjs'), `exports.main = async () => require('@temporalio/common').from;`);
  await writeFile(join(dir, 'sdk.cjs'), `exports['@temporalio/common'] = { from: 'bundle' };`);
  const installed = join(dir, 'node_modules/@temporalio/common');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'index.js'), `exports.from = 'package';`);
  expect(await main('bundled')).toBe('bundle');
  expect(await main()).toBe('package');
});
