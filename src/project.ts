// Finds the project around a run: its `.raymond`, with its config. The command line overrides the config with its
// flags.
import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from './host/sha256.js';
import { ClientError } from './client/error.js';
import type { Config } from './config.js';
import { isDirectory, errorCode, explainingWrites, makePrivateFolder } from './host/files.js';
import { MAX_BYTES, readPlainFile, readPlainText } from './host/plain-file.js';
import { whyUnreadable } from './packages/error.js';

/** A project: its root, its `.raymond` folder (which may not exist yet), and its config. */
export interface Project {
  readonly root: string;
  readonly raymondDir: string;
  readonly configFile?: string;
  readonly config: Config;
  /** Warnings about the config, for the user. */
  readonly warnings?: readonly string[];
}

/**
 * Finds the project of a folder: the nearest `.raymond` upward, not beyond a `.git`; else the folder with `.git`, else
 * `cwd`.
 */
export async function findProject(cwd: string): Promise<Project> {
  const { root, raymondDir } = await projectAt(cwd);
  const configFile = join(raymondDir, 'config.toml');
  const text = await readPlainText(configFile, MAX_BYTES.settings).catch((error: unknown) => absent(error, configFile));
  if (text === undefined) return { root, raymondDir, config: {} };
  // Checking a config loads libraries that a project without one does not need.
  const { parseConfig } = await import('./config.js');
  const { config, warnings } = parseConfig(text, configFile);
  return { root, raymondDir, configFile, config, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Distinguishes the config that an engine has read from the current one. */
export async function configVersion(configFile: string | undefined): Promise<string> {
  if (configFile === undefined) return '';
  const text = await readPlainFile(configFile, MAX_BYTES.settings).catch((error: unknown) => absent(error, configFile));
  return text === undefined ? '' : sha256Of(text).slice(0, 16);
}

/** The project of a folder, without reading its config. */
export async function projectAt(cwd: string): Promise<Pick<Project, 'root' | 'raymondDir'>> {
  const root = await projectRoot(cwd);
  return { root, raymondDir: join(root, '.raymond') };
}

/**
 * Creates the project's folder and excludes it from git: it contains large values, conversations and keys. Throws
 * `UnwritableError`.
 */
export async function makeRaymondDir(raymondDir: string): Promise<void> {
  await makePrivateFolder(raymondDir);
  const file = join(raymondDir, '.gitignore');
  await explainingWrites(file, async () => {
    await writeFile(file, '*\n', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  });
}

async function projectRoot(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await isDirectory(join(folder, '.raymond'))) return folder;
    // In a work tree `.git` may be a file.
    if ((await stat(join(folder, '.git')).catch(() => undefined)) !== undefined) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

function absent(error: unknown, file: string): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw new ClientError('InvalidUsage', `cannot read ${file}: ${whyUnreadable(error)}`);
}
