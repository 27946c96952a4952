// The project around a run: where `.raymond` is, and what its config.toml says. Invalid or unknown keys are errors with file and line.
// Must not read flags; the command line lays them over what it finds here.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { whyUnreadable } from './packages/error.js';
import { ClientError } from './client/error.js';
import { configKeys, type Config } from './configKeys.js';

export type { Config } from './configKeys.js';

const schema = z.strictObject(
  Object.fromEntries(configKeys().map(({ name, schema: accepted }) => [name, accepted.optional()])),
);

/** A project: its root, its `.raymond` folder (which may not exist yet), and its config. */
export interface Project {
  readonly root: string;
  readonly raymondDir: string;
  readonly configFile?: string;
  readonly config: Config;
}

/** Finds the project of a folder: the nearest `.raymond` upward, not beyond a `.git`; else the folder with `.git`, else `cwd`. */
export async function findProject(cwd: string): Promise<Project> {
  const root = await projectRoot(cwd);
  const raymondDir = join(root, '.raymond');
  const configFile = join(raymondDir, 'config.toml');
  const text = await readFile(configFile, 'utf8').catch((error: unknown) => absent(error, configFile));
  if (text === undefined) return { root, raymondDir, config: {} };
  return { root, raymondDir, configFile, config: parseConfig(text, configFile) };
}

/** Reads a config text. Throws `InvalidUsage` naming file and line. */
export function parseConfig(text: string, file: string): Config {
  const table = toml(text, file);
  const stranger = Object.keys(table).find((key) => key !== 'raymond');
  if (stranger !== undefined) {
    throw invalid(
      `${file}:${lineOf(text, stranger)}: unknown table or key "${stranger}"; all keys belong under [raymond]`,
    );
  }
  const checked = schema.safeParse(table['raymond'] ?? {});
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  if (issue === undefined) throw invalid(`${file}: invalid`);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    throw invalid(
      `${file}:${lineOf(text, key)}: unknown key "${key}"; the keys are ${Object.keys(schema.shape).join(', ')}`,
    );
  }
  const key = String(issue.path[0] ?? 'raymond');
  throw invalid(`${file}:${lineOf(text, key)}: ${key}: ${issue.message}`);
}

async function projectRoot(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await isDirectory(join(folder, '.raymond'))) return folder;
    // A work tree's `.git` may be a file.
    if ((await stat(join(folder, '.git')).catch(() => undefined)) !== undefined) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

function toml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) throw invalid(`${file}:${error.line}: ${error.message.split('\n')[0]}`);
    throw error;
  }
}

function lineOf(text: string, key: string): number {
  const found = text.split('\n').findIndex((line) => keyOf(line) === key);
  return found < 0 ? 1 : found + 1;
}

/** The key that a line sets, or the table that it opens, without brackets and quotes and relative to [raymond]. */
function keyOf(line: string): string | undefined {
  return /^\s*\[*\s*(?:raymond\s*\.\s*)?["']?([^\s"'=.\]]+)/.exec(line)?.[1];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function absent(error: unknown, file: string): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw invalid(`cannot read ${file}: ${whyUnreadable(error)}`);
}

function invalid(message: string): ClientError {
  return new ClientError('InvalidUsage', message);
}
