// Makes sure that the S3 server of the tests is there: versitygw, built once with Go into the user's cache. Run before the tests, so that
// none of them waits for it; where it cannot be built, the tests that need it are skipped, and this says so.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../dist/host/files.js';
import { acquireLock, waitForLock } from '../dist/host/lock.js';
import { versitygwPath, VERSION } from '../test/support/versitygw-path.mjs';

const MODULE = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`;
const WAIT_MS = 30 * 60_000;

const path = versitygwPath();
try {
  if (!(await exists(path))) await build();
  console.error(`versitygw: ${path}`);
} catch (error) {
  console.error(`versitygw: ${error.message}; tests that need a bucket are SKIPPED`);
}

async function build() {
  await mkdir(dirname(path), { recursive: true });
  const lockPath = `${path}.lock`;
  const lock = await acquireLock(lockPath);
  const held = lock.kind === 'acquired' ? lock : await waitForLock(lockPath, { timeoutMs: WAIT_MS });
  if (held.kind !== 'acquired') throw new Error(`process ${held.owner.pid} has been building it for too long`);
  try {
    if (!(await exists(path))) await install();
  } finally {
    await held.release();
  }
}

/** Built under another name and then renamed, so that the file is always complete. */
async function install() {
  console.error(`building versitygw ${VERSION} with go: this takes a minute or two, once`);
  const folder = await mkdtemp(join(dirname(path), 'install-'));
  try {
    const { status, error } = spawnSync('go', ['install', MODULE], {
      env: { ...process.env, GOBIN: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (error !== undefined) throw new Error(`it cannot be built: ${error.message}`);
    if (status !== 0) throw new Error(`it cannot be built: go install ended with exit ${status}`);
    await rename(join(folder, 'versitygw'), path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
