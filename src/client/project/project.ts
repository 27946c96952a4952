// Finds the project around a run: its `.raymond`, with its config. The command line overrides the config with its
// flags.
import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '../../host/sha256.js';
import { ClientError } from '../error.js';
import type { Config } from './config.js';
import { isDirectory, errorCode, exists, explainingWrites, makePrivateFolder } from '../../host/files.js';
import { MAX_BYTES, readPlainText } from '../../host/plain-file.js';
import { whyUnreadable } from '../../packages/error.js';

/** A project: its root, its `.raymond` folder (which may not exist yet), and its config. */
export interface Project {
  readonly root: string;
  readonly raymondDir: string;
  /** The files of the config that exist; the first one that sets a key decides its value. */
  readonly configFiles: readonly ConfigFile[];
  readonly config: Config;
  /** Warnings about the config, for the user. */
  readonly warnings?: readonly string[];
}

/** A file of the config, with the keys that it sets. */
interface ConfigFile {
  readonly path: string;
  readonly config: Config;
}

/** The config that git keeps: at the project root, for all who use the repository. */
const SHARED_CONFIG = 'raymond.toml';

/** Where a config can be, the deciding file first: that of this checkout, then the shared one. */
function configPaths(root: string): readonly string[] {
  return [join(root, '.raymond', 'config.toml'), join(root, SHARED_CONFIG)];
}

/**
 * Finds the project of a folder: the nearest `.raymond` or `raymond.toml` upward, not beyond a `.git`; else the folder
 * with `.git`, else `cwd`.
 */
export async function findProject(cwd: string): Promise<Project> {
  const place = await projectAt(cwd);
  const texts = await configTexts(place.root);
  if (texts.length === 0) return { ...place, configFiles: [], config: {} };
  // Checking a config loads libraries that a project without one does not need.
  const { parseConfig } = await import('./config.js');
  const parsed = texts.map(({ path, text }) => ({ path, ...parseConfig(text, path) }));
  const configFiles = parsed.map(({ path, config }) => ({ path, config }));
  const config = Object.assign({}, ...configFiles.map((file) => file.config).reverse()) as Config;
  const warnings = parsed.flatMap((file) => file.warnings);
  return { ...place, configFiles, config, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Distinguishes the config that an engine has read from the current one; "" = there is none. */
export async function configVersion(root: string): Promise<string> {
  const texts = await configTexts(root);
  return texts.length === 0 ? '' : sha256Of(JSON.stringify(texts)).slice(0, 16);
}

/** The files of the config that exist. */
async function configTexts(root: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const texts = await Promise.all(
    configPaths(root).map(async (path) => {
      const text = await readPlainText(path, MAX_BYTES.settings).catch((error: unknown) => absent(error, path));
      return text === undefined ? [] : [{ path, text }];
    }),
  );
  return texts.flat();
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
    if (await exists(join(folder, SHARED_CONFIG))) return folder;
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
