// The secret of a project, with which its own clients and workers mark what they put into the embedded server: 32 random bytes in a file
// that only the owner can read, made when it is first needed.
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, flushToDisk, makePrivateFolder, temporaryName, whyUnwritable } from '../host/files.js';
import { KeyError } from './keys.js';

/** The bytes, and the file that holds them. */
export interface Secret {
  readonly bytes: Uint8Array;
  readonly file: string;
}

const BYTES = 32;

/** Only the owner. */
const FORBIDDEN_MODE = 0o077;

/** Reads the project's secret, or makes it: of several processes that do so at once all get the same. Throws `KeyError`. */
export async function projectSecret(raymondDir: string): Promise<Secret> {
  const file = join(raymondDir, 'secret');
  return (await readSecret(file)) ?? (await makeSecret(file));
}

async function readSecret(file: string): Promise<Secret | undefined> {
  try {
    const { mode } = await stat(file);
    if ((mode & FORBIDDEN_MODE) !== 0 && (await keepsModes(file))) throw new KeyError(OPEN(file));
    const bytes = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
    if (bytes.length === BYTES) return { bytes, file };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof KeyError) throw error;
    const why = errorCode(error) ?? 'it cannot be read';
    throw new KeyError(`the secret of the project, ${file}, cannot be read: ${why}`, { cause: error });
  }
  throw new KeyError(`${file} holds no secret of ${BYTES} bytes; put the right file back, or remove it: ${LOST}`);
}

/** False on Windows and on its disks in Linux, where every file looks open: there the folder's own rights count. */
async function keepsModes(file: string): Promise<boolean> {
  const probe = temporaryName(file);
  try {
    await writeFile(probe, '', { mode: 0o600, flag: 'wx' });
    return ((await stat(probe)).mode & FORBIDDEN_MODE) === 0;
  } finally {
    await rm(probe, { force: true });
  }
}

const LOST = 'then existing runs are rejected';
const OPEN = (file: string): string =>
  `${file}, the secret of the project, is open to other users: if they may have read it, remove it (${LOST}), else chmod 600 ${file}`;

async function makeSecret(file: string): Promise<Secret> {
  const temporary = temporaryName(file);
  try {
    await makePrivateFolder(dirname(file));
    await writeFile(temporary, `${randomBytes(BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    await flushToDisk(temporary);
    // A link, not a rename: who comes second must not replace what the first one uses already.
    await link(temporary, file).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await flushToDisk(dirname(file));
  } catch (error) {
    const why = whyUnwritable(error) ?? errorCode(error) ?? 'it cannot be written';
    throw new KeyError(`the secret of the project, ${file}, cannot be created: ${why}`, { cause: error });
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined); // no folder: nothing in it
  }
  const made = await readSecret(file);
  if (made === undefined) throw new KeyError(`the secret of the project, ${file}, was deleted while it was created`);
  return made;
}
