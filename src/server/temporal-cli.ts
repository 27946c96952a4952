// The Temporal CLI: which one the user named, where the installed one is, and whether an executable
// has a server that is new enough. The answer is cached by path, time and size, because asking
// takes 60 ms and more; the cache can be deleted at any time.
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ask } from '../host/ask.js';
import { errorCode, exists, makePrivateFolder, readJsonFile, writeFileAtomic } from '../host/files.js';
import { TESTED } from '../host/tested-versions.js';
import { serverEnvironment } from './flags.js';

/**
 * The versions that are installed when no Temporal CLI is found: the newest one where it can be downloaded, else the newest that
 * `go install` accepts.
 */
export const DOWNLOADED_VERSION = TESTED.temporalCliDownload;
export const BUILT_VERSION = TESTED.temporalCliBuild;

type InstalledVersion = typeof DOWNLOADED_VERSION | typeof BUILT_VERSION;

/** The executable's file name on this system. */
export const CLI_NAME = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** The folder for everything about the Temporal CLI, the same for all projects of the user. */
function cacheFolder(): string {
  return join(userCache(), 'raymond', 'temporal');
}

/** The folder of a version that Raymond installs. */
export function installFolder(version: InstalledVersion = DOWNLOADED_VERSION): string {
  return join(cacheFolder(), version);
}

/** The executable of such a version, when it is installed. */
export function installedCli(version: InstalledVersion = DOWNLOADED_VERSION): string {
  return join(installFolder(version), CLI_NAME);
}

/** Where each of them is, the preferred one first. */
export function installedClis(): readonly string[] {
  return [installedCli(DOWNLOADED_VERSION), installedCli(BUILT_VERSION)];
}

/** The user's folder for data that can be created again. */
export function userCache(): string {
  const named = process.env.XDG_CACHE_HOME;
  if (named !== undefined && isAbsolute(named)) return named; // the standard says: ignore a relative one
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  return join(homedir(), '.cache');
}

/** The environment variable that names the executable; it wins over the configuration. */
export const CLI_VARIABLE = 'RAYMOND_TEMPORAL_CLI';

/**
 * The executable that the user named, absolute, and where it was named; undefined when Raymond must
 * find one.
 */
export function namedCli(
  configured: string | undefined,
): { readonly path: string; readonly source: string } | undefined {
  const variable = process.env[CLI_VARIABLE];
  if (variable) return { path: resolve(variable), source: CLI_VARIABLE };
  return configured === undefined
    ? undefined
    : { path: resolve(configured), source: '`temporal_cli` in the configuration' };
}

/** Takes one line of progress for people: a first start may take minutes. */
export type Report = (line: string) => void;

/** A usable Temporal CLI. */
export interface TemporalCli {
  readonly path: string;
  /** The version of the server inside, e.g. `1.29.1`. */
  readonly serverVersion: string;
}

/** The result of inspecting an executable. */
type Inspection =
  { readonly kind: 'usable'; readonly cli: TemporalCli } | { readonly kind: 'unusable'; readonly reason: string };

/** A place where no usable CLI was found, and why. */
export interface Miss {
  readonly location: string;
  readonly reason: string;
}

/**
 * The result of an installation: an executable that was not inspected yet, or why there is none.
 */
export type FetchResult =
  { readonly kind: 'fetched'; readonly path: string } | { readonly kind: 'failed'; readonly reason: string };

interface MemoryEntry {
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
  const known = recall(path, file);
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

async function askVersion(path: string, timeoutMs: number): Promise<{ serverVersion: string } | { failure: string }> {
  const { error, stdout, stderr } = await ask(path, ['--version'], { timeoutMs, env: serverEnvironment() });
  const serverVersion = /\bserver v?(\d+\.\d+\.\d+[\w.-]*)/i.exec(stdout)?.[1];
  if (error === undefined && serverVersion !== undefined) return { serverVersion };
  if (error === undefined) return { failure: 'it is not the Temporal CLI: `--version` names no server' };
  if (error.killed === true) return { failure: `it did not answer \`--version\` within ${timeoutMs / 1000} s` };
  const words = stderr.trim().split('\n')[0];
  return {
    failure: `it does not run: ${words || (typeof error.code === 'number' ? `exit ${error.code}` : error.message)}`,
  };
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

function memory(): Record<string, MemoryEntry | undefined> {
  try {
    const value = readJsonFile(join(cacheFolder(), 'versions.json'));
    return typeof value === 'object' && value !== null ? (value as Record<string, MemoryEntry>) : {};
  } catch {
    return {}; // an unreadable cache costs time only
  }
}

function recall(path: string, file: Stats): string | undefined {
  const known = memory()[path];
  return known?.mtimeMs === file.mtimeMs && known.size === file.size ? known.serverVersion : undefined;
}

async function remember(path: string, entry: MemoryEntry): Promise<void> {
  try {
    await makePrivateFolder(cacheFolder());
    const others = Object.entries(memory());
    const there = await Promise.all(others.map(([other]) => exists(other)));
    const kept = others.filter((_, index) => there[index]);
    const text = JSON.stringify({ ...Object.fromEntries(kept), [path]: entry });
    await writeFileAtomic(join(cacheFolder(), 'versions.json'), text);
  } catch {
    // A cache that cannot be written only costs time.
  }
}

function unusable(reason: string): Inspection {
  return { kind: 'unusable', reason };
}
