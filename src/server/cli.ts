// What an executable is: a Temporal CLI with a server that is new enough, or why not. Its answer is remembered in the
// user's cache by path, time and size, because asking costs 60 ms and more.
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errorCode, makePrivateFolder, readJsonFile, writeFileAtomic } from '../host/files.js';
import { cacheFolder } from './cache.js';
import { serverEnvironment } from './flags.js';

/** A usable Temporal CLI. */
export interface TemporalCli {
  readonly path: string;
  /** The version of the server inside, e.g. `1.29.1`. */
  readonly serverVersion: string;
}

/** What became of looking at an executable. */
export type Inspection =
  { readonly kind: 'usable'; readonly cli: TemporalCli } | { readonly kind: 'unusable'; readonly reason: string };

/** A place where no usable CLI was found, and why. */
export interface Tried {
  readonly place: string;
  readonly reason: string;
}

/** What one way of installing gave: an executable that was not looked at yet, or why there is none. */
export type Fetched =
  { readonly kind: 'fetched'; readonly path: string } | { readonly kind: 'failed'; readonly reason: string };

interface Remembered {
  readonly mtimeMs: number;
  readonly size: number;
  readonly serverVersion: string;
}

const OLDEST_SERVER = { major: 1, minor: 25 };
const ANSWER_MS = 20_000;

/** Looks at an executable; `timeoutMs` bounds its answer to `--version`. */
export async function inspectCli(path: string, timeoutMs = ANSWER_MS): Promise<Inspection> {
  const file = executableFile(path);
  if (typeof file === 'string') return unusable(file);
  const known = remembered(path, file);
  if (known !== undefined) return judge(path, known);
  const answer = await askVersion(path, timeoutMs);
  if ('failure' in answer) return unusable(answer.failure);
  await remember(path, { mtimeMs: file.mtimeMs, size: file.size, serverVersion: answer.serverVersion });
  return judge(path, answer.serverVersion);
}

function judge(path: string, serverVersion: string): Inspection {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  const { major: oldestMajor, minor: oldestMinor } = OLDEST_SERVER;
  const tooOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  const needed = `${oldestMajor}.${oldestMinor} or newer is needed`;
  return tooOld
    ? unusable(`its server is ${serverVersion}, ${needed}`)
    : { kind: 'usable', cli: { path, serverVersion } };
}

function askVersion(path: string, timeout: number): Promise<{ serverVersion: string } | { failure: string }> {
  return new Promise((resolve) => {
    const options = { timeout, killSignal: 'SIGKILL', env: serverEnvironment(), windowsHide: true } as const;
    execFile(path, ['--version'], options, (error, stdout, stderr) => {
      const serverVersion = /\bserver v?(\d+\.\d+\.\d+[\w.-]*)/i.exec(stdout)?.[1];
      if (error === null && serverVersion !== undefined) return resolve({ serverVersion });
      if (error === null) return resolve({ failure: 'it is not the Temporal CLI: `--version` names no server' });
      if (error.killed) return resolve({ failure: `it did not answer \`--version\` within ${timeout / 1000} s` });
      const words = stderr.trim().split('\n')[0];
      resolve({
        failure: `it does not run: ${words || (typeof error.code === 'number' ? `exit ${error.code}` : error.message)}`,
      });
    });
  });
}

/** The file's data, or why it cannot be executed. */
function executableFile(path: string): Stats | string {
  try {
    const file = statSync(path);
    if (!file.isFile()) return 'it is not a file';
    accessSync(path, constants.X_OK);
    return file;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'there is no such file' : `it is not executable (${errorCode(error)})`;
  }
}

function memory(): Record<string, Remembered | undefined> {
  try {
    const value = readJsonFile(join(cacheFolder(), 'versions.json'));
    return typeof value === 'object' && value !== null ? (value as Record<string, Remembered>) : {};
  } catch {
    return {}; // an unreadable cache costs time only
  }
}

function remembered(path: string, file: Stats): string | undefined {
  const known = memory()[path];
  return known?.mtimeMs === file.mtimeMs && known.size === file.size ? known.serverVersion : undefined;
}

async function remember(path: string, entry: Remembered): Promise<void> {
  try {
    await makePrivateFolder(cacheFolder());
    const others = Object.entries(memory()).filter(([other]) => existsSync(other));
    const text = JSON.stringify({ ...Object.fromEntries(others), [path]: entry });
    await writeFileAtomic(join(cacheFolder(), 'versions.json'), text);
  } catch {
    // A cache that cannot be written costs time only.
  }
}

function unusable(reason: string): Inspection {
  return { kind: 'unusable', reason };
}
