// Loading a state: its text as it is now, its hash, and the names beside it. Read at every turn, so that edits take effect.
// Must not run or parse it.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../protocol/agent.js';
import type { Platform } from '../protocol/resolve.js';
import { turnFailure } from './failure.js';
import { whyUnreadable } from './scope/error.js';

/** A state file as read: `path` is absolute, `text` decoded, without a byte order mark. */
export interface LoadedState {
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
}

/** The platform whose scripts this worker runs. */
export const PLATFORM: Platform = process.platform === 'win32' ? 'windows' : 'unix';

/** The names of the files in a scope; sub-folders are not part of it. */
export async function listScope(scope: Scope): Promise<readonly string[]> {
  try {
    const entries = await readdir(scope.path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    throw unreadable(scope.path, error);
  }
}

/** Reads a state of a scope. Throws `StateUnreadable` naming path and host. */
export async function loadState(scope: Scope, file: string): Promise<LoadedState> {
  const path = join(scope.path, file);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return { path, text: decode(path, bytes), sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Throws unless `path` is a directory that exists on this worker. */
export async function requireDirectory(path: string): Promise<void> {
  if (!(await isDirectory(path))) {
    throw turnFailure('StateUnreadable', `there is no directory ${path} on host ${hostname()}; create it, then resume`);
  }
}

/** True when `path` is a directory on this worker. */
export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw turnFailure('StateUnreadable', `${path} is not UTF-8 text; save it as UTF-8, then resume`);
  }
}

function unreadable(path: string, error: unknown): Error {
  return turnFailure('StateUnreadable', `cannot read ${path} on host ${hostname()}: ${whyUnreadable(error)}`);
}
