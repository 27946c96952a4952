// The allowed users: tokens with a name and a role each, from a file, or one that is created at the first start. A
// token is a secret; a cookie's value is derived from it and opens nothing else.
import { randomBytes } from 'node:crypto';
import { unwatchFile, watchFile, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '../../client/error.js';
import { errorCode, makePrivateFolder, writeFileAtomic } from '../../host/files.js';
import { MAX_BYTES, readPlainText } from '../../host/plain-file.js';
import { operator } from '../../host/process.js';
import { sha256Of } from '../../host/sha256.js';
import { whyUnreadable } from '../../packages/error.js';
import { cookieOf, type Identity } from './identity.js';
import type { ViewLinks } from './links.js';
import { ROLES } from './roles.js';
import { messageOf } from '../../protocol/text.js';

/** A user with their token. */
type Known = Identity & { readonly token: string };

/** The tokens of a server. */
export class Tokens {
  private byToken: ReadonlyMap<string, Identity> = new Map();
  private byCookie: ReadonlyMap<string, Identity> = new Map();

  constructor(
    tokens: readonly Known[],
    private readonly links?: ViewLinks,
  ) {
    this.replace(tokens);
  }

  /** Replaces all tokens. */
  replace(tokens: readonly Known[]): void {
    const people = tokens.map(({ token, ...identity }) => ({ token, identity }));
    this.byToken = new Map(people.map(({ token, identity }) => [sha256Of(token), identity]));
    this.byCookie = new Map(people.map(({ token, identity }) => [sha256Of(cookieOf(token)), identity]));
  }

  /** The owner of a token. The lookup by hash takes the same time for all tokens. */
  bearer(token: string): Identity | undefined {
    const hash = sha256Of(token);
    return this.byToken.get(hash) ?? this.links?.whose(hash, 'token');
  }

  /** The owner of a cookie. */
  cookie(value: string): Identity | undefined {
    const hash = sha256Of(value);
    return this.byCookie.get(hash) ?? this.links?.whose(hash, 'cookie');
  }
}

/** The token of the project's user in a private file, created when it is missing. */
export async function ownToken(folder: string): Promise<Known> {
  await makePrivateFolder(folder);
  const path = join(folder, 'token');
  // A full disk may have left an empty file, which must not be accepted.
  const token = (await tokenOf(path)) ?? (await writtenToken(path));
  return { token, name: operator(), role: 'operate' };
}

async function writtenToken(path: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await writeFileAtomic(path, `${token}\n`);
  return token;
}

async function tokenOf(path: string): Promise<string | undefined> {
  const text = await readPlainText(path, MAX_BYTES.settings).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return '';
  });
  return text.trim() === '' ? undefined : text.trim();
}

const SHORTEST = 20;
const LINE_FORM = 'NAME ROLE TOKEN, such as "anna answer 3a91…"';

/** The tokens of a file: `NAME ROLE TOKEN` per line. Throws `InvalidUsage` naming the line. */
export async function readTokens(path: string): Promise<readonly Known[]> {
  const text = await readPlainText(path, MAX_BYTES.settings).catch((error: unknown) => {
    throw new ClientError('InvalidUsage', `--token-file: cannot read ${path}: ${whyUnreadable(error)}`);
  });
  if (((await stat(path)).mode & 0o077) !== 0)
    throw new ClientError('InvalidUsage', `--token-file: other users can read ${path}; run: chmod 600 ${path}`);
  const tokens = text.split('\n').flatMap((line, index) => tokenIn(line, `${path}:${index + 1}`));
  if (tokens.length > 0) return tokens;
  throw new ClientError('InvalidUsage', `--token-file: ${path} has no tokens; write a line for each: ${LINE_FORM}`);
}

const LOOK_EVERY_MS = 1000;

/**
 * Reads the file again when it changes; an invalid one leaves the old tokens in effect. Calls `changed`; returns a
 * function that stops it.
 */
export function followTokens(
  path: string,
  {
    tokens,
    report,
    changed,
  }: { readonly tokens: Tokens; readonly report: (line: string) => void; readonly changed: () => void },
): () => void {
  const read = async (): Promise<void> => {
    tokens.replace(await readTokens(path));
    changed();
    report(`the tokens of ${path} have changed and are now in effect`);
  };
  const onChange = (now: Stats, before: Stats): void => {
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino && now.mode === before.mode) return;
    read().catch((error: unknown) => report(`${messageOf(error)}; the previous tokens stay in effect`));
  };
  watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, onChange);
  return () => unwatchFile(path, onChange);
}

function tokenIn(line: string, position: string): readonly Known[] {
  const words = line.trim().split(/\s+/);
  if (line.trim() === '' || line.trim().startsWith('#')) return [];
  const [name, written, token, ...more] = words;
  const role = ROLES.find((one) => one === written);
  if (name === undefined || token === undefined || more.length > 0 || role === undefined)
    throw new ClientError('InvalidUsage', `${position}: expected ${LINE_FORM}; roles are ${ROLES.join(', ')}`);
  if (token.length < SHORTEST)
    throw new ClientError(
      'InvalidUsage',
      `${position}: the token of ${name} has less than ${SHORTEST} characters; make one with: openssl rand -base64 32`,
    );
  return [{ name, role, token }];
}
