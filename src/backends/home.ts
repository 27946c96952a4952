// Where a backend keeps its conversations, below the home in its environment. Checked before a prompt starts: an answer
// whose conversation cannot be saved would be paid for nothing.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, whyFull, whyUnwritable } from '../host/files.js';
import { messageOf } from '../protocol/text.js';

type Environment = Readonly<Record<string, string>>;

/** A backend's folder: from a variable, else a folder in the user's home. */
interface BackendHome {
  readonly title: string;
  readonly variable: string;
  readonly inHome: string;
}

/** Thrown before a prompt starts whose conversation could not be saved. */
export class HomeUnusable extends Error {
  override readonly name = 'HomeUnusable';
}

/** The folder of a backend; undefined when the environment names no home. */
export function folderOf({ variable, inHome }: BackendHome, env: Environment): string | undefined {
  const home = env['HOME'] || env['USERPROFILE'];
  return env[variable] || (home ? join(home, inHome) : undefined);
}

/** Makes sure that a folder below the backend's is writable. Throws `HomeUnusable`, and errors of a full disk. */
export async function requireHome(home: BackendHome, { env, name }: { env: Environment; name: string }): Promise<void> {
  const { title, variable } = home;
  const folder = folderOf(home, env);
  const what = `${title} cannot save its conversation`;
  if (folder === undefined)
    throw new HomeUnusable(`${what}: HOME is not set; set HOME or ${variable} to a writable folder`);
  const path = join(folder, name);
  try {
    await makePrivateFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (whyFull(error) !== undefined) throw error;
    const why = whyUnwritable(error) ?? messageOf(error);
    const next = `make it writable, or set HOME or ${variable} to a writable folder`;
    throw new HomeUnusable(`${what} in ${path}: ${why}; ${next}`, { cause: error });
  }
}
