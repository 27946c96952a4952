// The keys that values in Temporal are encrypted with: lines `KEYID:base64 of 32 bytes` of a file, the first key encrypts. No error
// shows a key.
import { stat } from 'node:fs/promises';
import { MAX_BYTES, readPlainText, UnusableFileError } from '../host/plain-file.js';

/** A key and the name under which values remember it. */
export interface Key {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** All keys of a project, the one that encrypts first; `file` absent = the config names none. */
export interface Keyring {
  readonly keys: readonly Key[];
  readonly file?: string;
}

/** Nothing is encrypted, and nothing that is can be read. */
export const NO_KEYS: Keyring = { keys: [] };

/** The key of the config that names the file. */
export const KEYS_SETTING = 'encryption_keys';

/** Thrown when keys or the secret of a project cannot be used, or when a value cannot be read with them. */
export class KeyError extends Error {
  override readonly name: string = 'KeyError';
}

const KEY_BYTES = 32;

/** Only the owner may write it, and only the owner and group may read it. */
const FORBIDDEN_MODE = 0o027;

/** Reads a file of keys. Throws `KeyError` naming file and line. */
export async function readKeys(file: string): Promise<Keyring> {
  const text = await ownText(file);
  const keys: Key[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const position = `${file}:${index + 1}`;
    const key = keyOf(line.trim(), position);
    if (key === undefined) continue;
    if (keys.some(({ id }) => id === key.id)) throw new KeyError(`${position}: the key "${key.id}" is repeated`);
    keys.push(key);
  }
  if (keys.length === 0) throw new KeyError(`${file} (${KEYS_SETTING}) holds no key; ${HOW}`);
  return { keys, file };
}

const HOW = 'a line is KEYID:KEY, where "openssl rand -base64 32" makes the KEY';

async function ownText(file: string): Promise<string> {
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & FORBIDDEN_MODE) !== 0) {
      throw new KeyError(`${file} (${KEYS_SETTING}) is open to other users: chmod 600 ${file}`);
    }
    return await readPlainText(file, MAX_BYTES.settings);
  } catch (error) {
    if (error instanceof KeyError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const odd = error instanceof UnusableFileError ? error.why : 'it cannot be read';
    const why = code === 'ENOENT' ? 'there is no such file' : (code ?? odd);
    throw new KeyError(`the file of keys ${file} (${KEYS_SETTING}) cannot be read: ${why}`, { cause: error });
  }
}

function keyOf(line: string, position: string): Key | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const [, id, base64] = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*:\s*([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const secret = Buffer.from(base64 ?? '', 'base64');
  if (id === undefined || secret.length !== KEY_BYTES) {
    throw new KeyError(`${position}: this is no key of ${KEY_BYTES} bytes; ${HOW}`);
  }
  return { id, secret };
}
