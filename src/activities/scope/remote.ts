// A package from the web: fetched once, known by the SHA-256 in its address, kept as <cacheDir>/<sha256>.zip.
// Must not look into it; nothing gets that name before all of its bytes were checked.
import { createHash } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, temporaryName } from '../../host/files.js';
import { readRemote } from '../../protocol/specifier.js';
import { hashInName } from '../../protocol/hash-name.js';
import { lastPart } from '../../protocol/scope.js';
import { download, DOWNLOAD_LIMITS, type DownloadLimits } from './download.js';
import { ScopeError, sha256Of, whyUnreadable } from './error.js';

/** Where packages are kept, and what a download may cost. */
export interface FetchOptions {
  readonly cacheDir: string;
  readonly limits?: Partial<DownloadLimits>;
}

/** A package that is on this host now. */
export interface FetchedPackage {
  readonly path: string;
  readonly url: string;
  readonly sha256: string;
}

/** Gives the package at `url`, from the cache if it is there. Two at once both succeed: the file is put in its place whole. */
export async function fetchPackage(url: string, { cacheDir, limits }: FetchOptions): Promise<FetchedPackage> {
  const sha256 = promisedHash(url);
  const path = join(cacheDir, `${sha256}.zip`);
  if (!(await isCached(path, sha256))) {
    await store({ url, sha256, path, limits: { ...DOWNLOAD_LIMITS, ...limits } }, cacheDir);
  }
  return { path, url, sha256 };
}

function promisedHash(url: string): string {
  const place = readRemote(url);
  if (place.kind === 'mistake') throw new ScopeError('InvalidName', place.message);
  const hash = hashInName(lastPart(new URL(url).pathname));
  if (hash.kind === 'hash') return hash.sha256;
  throw new ScopeError('InvalidName', `${url} names a state; fetch the zip file without it`);
}

async function isCached(path: string, sha256: string): Promise<boolean> {
  try {
    // A damaged file is no hit: it is replaced by a new download.
    return sha256Of(await readFile(path)) === sha256;
  } catch {
    return false; // not there or unreadable: the download makes it, or says why it cannot
  }
}

interface Wanted {
  readonly url: string;
  readonly sha256: string;
  readonly path: string;
  readonly limits: DownloadLimits;
}

async function store({ url, sha256, path, limits }: Wanted, cacheDir: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await makePrivateFolder(cacheDir);
    const received = await receive({ url, temporary, limits });
    if (received !== sha256) {
      const message = `${url} is not what its name promises: what came has the SHA-256 ${received}; ask who publishes it`;
      throw new ScopeError('HashMismatch', message);
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error says more
    if (error instanceof ScopeError) throw error;
    throw new ScopeError('Unreadable', `cannot keep ${url} in ${cacheDir}: ${whyUnreadable(error)}`, { cause: error });
  }
}

async function receive({
  url,
  temporary,
  limits,
}: {
  readonly url: string;
  readonly temporary: string;
  readonly limits: DownloadLimits;
}): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(temporary, 'wx', 0o600);
  try {
    for await (const chunk of download(url, limits)) {
      hash.update(chunk);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}
