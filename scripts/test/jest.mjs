// Runs Jest and watches it: when no test ends for a while, Jest and all that it has started are killed. The files that
// have not ended count as failed. Jest may wait for ever for a file that it lost when it replaced a worker.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const JEST = fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url));
const REPORTER = fileURLToPath(new URL('reporter.mjs', import.meta.url));
const NODE = ['--experimental-vm-modules', '--no-warnings', JEST];
/** In the environment of Jest and of all that it starts, by which they are found. */
const RESULTS = 'JEST_RESULTS';
/** No single test may take that long. */
const SILENT_MS = 10 * 60_000;

/** The results of each file; `failed` = 1 when Jest failed without a failed file. */
export async function runJest({ root, args, silentMs = SILENT_MS, stdio = 'inherit' }) {
  const folder = await mkdtemp(join(tmpdir(), 'raymond-tests-'));
  const results = join(folder, 'results.jsonl');
  await writeFile(results, '');
  try {
    const { status, how } = await watched({ root, args, results, silentMs, stdio });
    const written = (await readFile(results, 'utf8')).split('\n').filter((line) => line !== '');
    const lines = written.map((line) => JSON.parse(line));
    const done = lines.flatMap(({ file }) => file ?? []);
    const isWhole = lines.some(({ ended }) => ended);
    if (!isWhole) await killStarted(results);
    const files = isWhole ? done : [...done, ...unfinished({ root, args, done, how })];
    return { files, failed: status === 0 || files.some((file) => file.status === 'failed') ? 0 : 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function watched({ root, args, results, silentMs, stdio }) {
  const env = { ...process.env, [RESULTS]: results };
  const reporters = ['--reporters=default', `--reporters=${REPORTER}`];
  const jest = spawn(process.execPath, [...NODE, ...args, ...reporters], { cwd: root, stdio, env });
  let how = 'Jest ended before its tests';
  const look = setInterval(
    async () => {
      const { mtimeMs } = await stat(results);
      if (Date.now() - mtimeMs < silentMs) return;
      clearInterval(look);
      how = `Jest was killed, because no test had ended for ${silentMs / 1000} s`;
      jest.kill('SIGKILL');
    },
    Math.min(silentMs / 4, 10_000),
  );
  const [status] = await once(jest, 'exit');
  clearInterval(look);
  return { status, how };
}

/** What Jest had started. */
async function killStarted(results) {
  const { listProcesses } = await import('../../dist/launcher/process-list.js');
  const entries = listProcesses();
  const found = new Set();
  // A server does not have the variable, but its parent may.
  const isOurs = ({ ppid, variable }) => found.has(ppid) || variable(RESULTS) === results;
  let size;
  do {
    size = found.size;
    for (const entry of entries) if (isOurs(entry)) found.add(entry.pid);
  } while (found.size > size);
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** What the other files are is asked of Jest: it tells no reporter of files that have not begun. */
function unfinished({ root, args, done, how }) {
  const { stdout } = spawnSync(process.execPath, [...NODE, ...args, '--listTests', '--json'], { cwd: root });
  const ended = new Set(done.map(({ name }) => name));
  const names = JSON.parse(String(stdout)).filter((name) => !ended.has(name));
  console.log([`${how}; these files had not ended:`, ...names.map((name) => relative(root, name))].join('\n  '));
  const assertionResults = [{ status: 'failed', fullName: 'the file did not end' }];
  return names.map((name) => ({ name, status: 'failed', startTime: 0, endTime: 0, assertionResults }));
}
