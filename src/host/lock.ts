// An exclusive lock between processes of one host: a file that names its owner by pid and start time, so that the lock of
// a killed process is free at once and a reused pid never blocks.
//
// Why it is safe: a lock file appears whole (link of a finished file, which fails when the name exists). A living owner's
// file is removed by its owner only. A dead owner's file is replaced only under a second lock of the same kind
// (`<path>.takeover`), after it was read again, so two processes can never both replace it.
import { randomUUID } from 'node:crypto';
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, explainingWrites, readJsonFile, temporaryName } from './files.js';
import { identifySelf, isAlive, type ProcessIdentity } from './process.js';

/** What the owner of a lock says about itself, e.g. `{ purpose: 'build' }`. */
type LockNote = Readonly<Record<string, string>>;

/** A living process that holds a lock. */
interface LockOwner extends ProcessIdentity {
  readonly note?: LockNote;
}

/** A lock that is ours until `release`, or another process's. */
export type LockResult =
  { readonly kind: 'acquired'; release(): Promise<void> } | { readonly kind: 'held'; readonly owner: LockOwner };

interface LockContent extends LockOwner {
  readonly id: string;
}

const WAIT_STEP_MS = 25;

/** Takes the lock when no living process holds it; the folder of `path` must exist. Throws `UnwritableError`. */
export async function acquireLock(path: string, note?: LockNote): Promise<LockResult> {
  const content: LockContent = { ...identifySelf(), id: randomUUID(), ...(note && { note }) };
  const finished = temporaryName(path);
  return await explainingWrites(path, async () => {
    try {
      await writeFile(finished, JSON.stringify(content), { mode: 0o600, flag: 'wx' });
      const owner = await claim(path, finished);
      if (owner !== undefined) return { kind: 'held', owner };
      return { kind: 'acquired', release: () => explainingWrites(path, () => release(path, content.id)) };
    } finally {
      await rm(finished, { force: true }).catch(() => undefined); // Leftovers are harmless.
    }
  });
}

/** Like `acquireLock`, but waits while another process holds the lock; after `timeoutMs` the answer names it. */
export async function waitForLock(
  path: string,
  { timeoutMs, note }: { readonly timeoutMs: number; readonly note?: LockNote },
): Promise<LockResult> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await acquireLock(path, note);
    if (result.kind === 'acquired' || Date.now() >= deadline) return result;
    do await delay(WAIT_STEP_MS);
    while (Date.now() < deadline && readLockOwner(path) !== undefined);
  }
}

/** The living owner of the lock, or undefined when it is free (no file, a dead owner, an unreadable file). */
export function readLockOwner(path: string): LockOwner | undefined {
  const content = readContent(path);
  if (content === undefined || !isAlive(content)) return undefined;
  const { pid, startTime, note } = content;
  return { pid, startTime, ...(note && { note }) };
}

/** Links the finished file to the lock's name; returns the current owner, or undefined on success. */
async function claim(path: string, finished: string): Promise<LockOwner | undefined> {
  if (await tryLink(finished, path)) return undefined;
  const owner = readLockOwner(path);
  if (owner !== undefined) return owner;
  const takeover = await acquireLock(`${path}.takeover`);
  // The process that takes over now will own the lock in an instant: for us it counts as held.
  if (takeover.kind === 'held') return takeover.owner;
  try {
    return await replaceDead(path, finished);
  } finally {
    await takeover.release();
  }
}

/** Only under the takeover lock: no other process can replace a dead owner's file between the read and the rename. */
async function replaceDead(path: string, finished: string): Promise<LockOwner | undefined> {
  if (await tryLink(finished, path)) return undefined; // Its owner released it, or another takeover ended, since we read it.
  const owner = readLockOwner(path);
  if (owner !== undefined) return owner;
  await rename(finished, path);
  return undefined;
}

async function tryLink(finished: string, path: string): Promise<boolean> {
  try {
    await link(finished, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function release(path: string, id: string): Promise<void> {
  // Another host that shares the folder may have considered us dead: its lock is not ours to remove.
  if (readContent(path)?.id === id) await rm(path, { force: true });
}

function readContent(path: string): LockContent | undefined {
  const value = readJsonFile(path) as Partial<LockContent> | null | undefined;
  const valid = typeof value?.pid === 'number' && typeof value.startTime === 'string' && typeof value.id === 'string';
  return valid ? (value as LockContent) : undefined;
}
