// Puts the pinned Temporal CLI into the user's cache: official download, else built with Go. One process at a time does it,
// in a folder of its own; the executable appears under its name only when it is whole and has run.
import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, makePrivateFolder } from '../host/files.js';
import { acquireLock, type LockResult, waitForLock } from '../host/lock.js';
import { buildCli } from './build.js';
import { CLI_VERSION, installFolder, installedCli } from './cache.js';
import { inspectCli, type TemporalCli, type Tried } from './cli.js';
import { downloadCli } from './download.js';
import type { Report } from './folder.js';

/** How the installation ended. */
export type Installation =
  | { readonly kind: 'installed'; readonly cli: TemporalCli }
  | { readonly kind: 'failed'; readonly tried: readonly Tried[] };

const WAYS = [
  { place: 'official download', fetch: downloadCli },
  { place: `go install (${CLI_VERSION})`, fetch: buildCli },
];
const WAIT_MS = 30 * 60_000;
const TEMPORARY = 'install-';

/** Installs the CLI, or takes the one that another process installs meanwhile. */
export async function installCli({ report }: { readonly report: Report }): Promise<Installation> {
  try {
    await makePrivateFolder(installFolder());
    const lock = await installLock(report);
    if (lock.kind === 'held')
      return failed(`process ${lock.owner.pid} has been installing it for more than 30 minutes`);
    try {
      return await installLocked(report);
    } finally {
      await lock.release();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return failed(`cannot write there (${code})`);
  }
}

async function installLock(report: Report): Promise<LockResult> {
  const path = join(installFolder(), 'install.lock');
  const lock = await acquireLock(path);
  if (lock.kind === 'acquired') return lock;
  report(`process ${lock.owner.pid} is installing the Temporal CLI: waiting for it`);
  return waitForLock(path, { timeoutMs: WAIT_MS });
}

async function installLocked(report: Report): Promise<Installation> {
  const present = await inspectCli(installedCli());
  if (present.kind === 'usable') return { kind: 'installed', cli: present.cli };
  await removeLeftovers();
  const tried: Tried[] = [];
  for (const { place, fetch } of WAYS) {
    const result = await installBy(fetch, report);
    if (result.kind === 'usable') {
      report(`installed the Temporal CLI ${CLI_VERSION}: ${result.cli.path}`);
      return { kind: 'installed', cli: result.cli };
    }
    report(`${place} failed: ${result.reason}`);
    tried.push({ place, reason: result.reason });
  }
  return { kind: 'failed', tried };
}

async function installBy(fetch: (typeof WAYS)[number]['fetch'], report: Report): ReturnType<typeof inspectCli> {
  const folder = await mkdtemp(join(installFolder(), TEMPORARY));
  try {
    const fetched = await fetch({ folder, report });
    if (fetched.kind === 'failed') return { kind: 'unusable', reason: fetched.reason };
    await chmod(fetched.path, 0o755);
    const inspection = await inspectCli(fetched.path);
    if (inspection.kind === 'unusable') return inspection;
    await rename(fetched.path, installedCli());
    return { kind: 'usable', cli: { ...inspection.cli, path: installedCli() } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Only under the lock: whatever an earlier installation left was left by one that was killed. */
async function removeLeftovers(): Promise<void> {
  const names = readdirSync(installFolder()).filter((name) => name.startsWith(TEMPORARY));
  for (const name of names) await rm(join(installFolder(), name), { recursive: true, force: true });
}

function failed(reason: string): Installation {
  return { kind: 'failed', tried: [{ place: installFolder(), reason }] };
}
