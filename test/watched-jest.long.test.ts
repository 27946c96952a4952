// The test command counts the files of a Jest that hangs or dies, and leaves no process of it behind.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runJest } from '../scripts/test/jest.mjs';
import { folder } from './support/folder.js';
import { until } from './support/until.js';

const ENDS = `test('passes', () => undefined);\ntest('fails', () => { throw new Error('on purpose'); });\n`;
/** Waits for ever, with an engine of its own that outlives it. */
const HANGS = `test('hangs', async () => {
  const { spawn } = require('node:child_process');
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  require('node:fs').writeFileSync('engine', String(child.pid));
  await new Promise(() => undefined);
}, 1e8);
`;
const KILLS = `test('kills Jest', async () => {
  while (!require('node:fs').existsSync('engine')) await new Promise((go) => setTimeout(go, 10));
  process.kill(process.ppid, 'SIGKILL');
});
`;

async function filesOf(tests: Readonly<Record<string, string>>): Promise<{ root: string; ended: readonly string[] }> {
  const config = `module.exports = { transform: {}, testEnvironment: 'node' };\n`;
  const root = await folder({ 'package.json': '{}', 'jest.config.js': config, ...tests });
  const { files } = await runJest({ root, args: ['--maxWorkers=2'], silentMs: 10_000, stdio: 'ignore' });
  const ended = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => `${basename(name)}: ${fullName} (${status})`),
  );
  return { root, ended: ended.sort() };
}

test('a file that hangs is killed with all that it has started, and the others keep their results', async () => {
  const { root, ended } = await filesOf({ 'ends.test.js': ENDS, 'hangs.test.js': HANGS });
  expect(ended).toEqual([
    'ends.test.js: fails (failed)',
    'ends.test.js: passes (passed)',
    'hangs.test.js: the file did not end (failed)',
  ]);
  await noEngineRuns(root);
});

test('the files of a Jest that dies count as failed', async () => {
  const { root, ended } = await filesOf({ 'kills.test.js': KILLS, 'hangs.test.js': HANGS });
  expect(ended).toEqual([
    'hangs.test.js: the file did not end (failed)',
    'kills.test.js: the file did not end (failed)',
  ]);
  await noEngineRuns(root);
});

async function noEngineRuns(root: string): Promise<void> {
  const pid = Number(await readFile(join(root, 'engine'), 'utf8'));
  await until(async () => !(await isRunning(pid)), { what: 'the end of the engine' });
}

/** A zombie of a container without a reaping init has ended. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s+Z/m.test(status);
}
