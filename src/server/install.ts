// Installs the pinned Temporal CLI into the user's cache: official download, else a build with Go.
// One process at a time does it, in its own folder; the executable appears under its name only when
// it is complete and has run.
import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { errorCode, exists, makePrivateFolder } from '../host/files.js';
import { acquireLock, type LockResult, waitForLock } from '../host/lock.js';
import { downloadCli } from './download.js';
import {
  BUILT_VERSION,
  CLI_NAME,
  DOWNLOADED_VERSION,
  type FetchResult,
  inspectCli,
  installedCli,
  installedClis,
  installFolder,
  type Miss,
  type Report,
  type TemporalCli,
} from './temporal-cli.js';

/** How the installation ended. */
type Installation =
  | { readonly kind: 'installed'; readonly cli: TemporalCli }
  | { readonly kind: 'failed'; readonly tried: readonly Miss[] };

const WAYS = [
  { location: 'official download', version: DOWNLOADED_VERSION, fetch: downloadCli },
  { location: `go install (${BUILT_VERSION})`, version: BUILT_VERSION, fetch: buildCli },
] as const;
const WAIT_MS = 30 * 60_000;
const MODULE = `github.com/temporalio/cli/cmd/temporal@${BUILT_VERSION}`;
const ERROR_LINES = 5;
const TEMPORARY = 'install-';

/** Installs the CLI, or uses the one that another process installs in the meantime. */
export async function installCli({ report }: { readonly report: Report }): Promise<Installation> {
  try {
    await makePrivateFolder(installFolder());
    const lock = await installLock(report);
    if (lock.kind === 'held')
      return failure(`process ${lock.owner.pid} has been installing it for more than 30 minutes`);
    try {
      return await installLocked(report);
    } finally {
      await lock.release();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return failure(`cannot write there (${code})`);
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
  for (const path of installedClis()) {
    const present = await inspectCli(path);
    if (present.kind === 'usable') return { kind: 'installed', cli: present.cli };
  }
  await removeLeftovers();
  const tried: Miss[] = [];
  for (const way of WAYS) {
    const { location, version } = way;
    const result = await installBy(way, report);
    if (result.kind === 'usable') {
      report(`installed the Temporal CLI ${version}: ${result.cli.path}`);
      return { kind: 'installed', cli: result.cli };
    }
    report(`${location} failed: ${result.reason}`);
    tried.push({ location, reason: result.reason });
  }
  return { kind: 'failed', tried };
}

async function installBy({ version, fetch }: (typeof WAYS)[number], report: Report): ReturnType<typeof inspectCli> {
  const folder = await mkdtemp(join(installFolder(), TEMPORARY));
  try {
    const fetched = await fetch({ folder, report });
    if (fetched.kind === 'failed') return { kind: 'unusable', reason: fetched.reason };
    await chmod(fetched.path, 0o755);
    const inspection = await inspectCli(fetched.path);
    if (inspection.kind === 'unusable') return inspection;
    const path = installedCli(version);
    await makePrivateFolder(installFolder(version));
    await rename(fetched.path, path);
    return { kind: 'usable', cli: { ...inspection.cli, path } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Only under the lock: leftovers of an earlier installation are from a process that was killed. */
async function removeLeftovers(): Promise<void> {
  const names = readdirSync(installFolder()).filter((name) => name.startsWith(TEMPORARY));
  for (const name of names) await rm(join(installFolder(), name), { recursive: true, force: true });
}

function failure(reason: string): Installation {
  return { kind: 'failed', tried: [{ location: installFolder(), reason }] };
}

/** What a build needs. */
interface BuildOptions {
  readonly folder: string;
  readonly report: Report;
  /** How often progress is reported. */
  readonly everyMs?: number;
}

/** Builds the CLI from its Go module into `folder`, which takes minutes; every failure is a reason, none is thrown. */
export async function buildCli({ folder, report, everyMs = 15_000 }: BuildOptions): Promise<FetchResult> {
  report(`building the Temporal CLI ${BUILT_VERSION} with go: this takes three to four minutes, once`);
  const started = Date.now();
  const lines: string[] = [];
  const progress = setInterval(() => {
    report(
      `building the Temporal CLI: ${Math.round((Date.now() - started) / 1000)} s, go: ${lines.at(-1) ?? 'starting'}`,
    );
  }, everyMs);
  try {
    const exit = await goInstall(folder, (line) => lines.push(line) > ERROR_LINES && lines.shift());
    const path = join(folder, CLI_NAME);
    if (exit === undefined && (await exists(path))) return { kind: 'fetched', path };
    return { kind: 'failed', reason: [exit ?? 'go built no executable', ...lines].join('\n      ') };
  } finally {
    clearInterval(progress);
  }
}

/** Runs `go install`; resolves with what went wrong, or undefined. */
async function goInstall(folder: string, onLine: (line: string) => void): Promise<string | undefined> {
  // Settings for cross-compiling would build for another machine, and Go would reject GOBIN.
  const { GOOS: _os, GOARCH: _arch, ...env } = process.env;
  // -v names each package as it is compiled. In our own process group: Ctrl-C ends it with us.
  const go = execa('go', ['install', '-v', MODULE], {
    cwd: folder,
    env: { ...env, GOBIN: folder },
    extendEnv: false,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: WAIT_MS,
    buffer: false,
    reject: false,
  });
  for await (const line of go.iterable({ from: 'stderr' })) onLine(line);
  const { failed, code, signal, exitCode, shortMessage } = await go;
  if (!failed) return undefined;
  if (code === 'ENOENT') return 'there is no `go` on PATH (Go 1.25 or newer is needed)';
  return code === undefined ? `go install ended with ${signal ?? `exit ${exitCode ?? '?'}`}` : shortMessage;
}
