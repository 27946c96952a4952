// Downloads a package once, within limits of size, time and redirects, checks the SHA-256 in its address, and keeps it
// as <cacheDir>/<sha256>.zip. The file gets that name only after all bytes were checked.
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { proxiedFetch, type DownloadAnswer } from '../host/fetch.js';
import { errorCode, makePrivateFolder, temporaryName } from '../host/files.js';
import { readPlainFile } from '../host/plain-file.js';
import { hashInName, lastPart, readRemote } from '../protocol/scope.js';
import { sha256Of } from '../host/sha256.js';
import { ScopeError, whyUnreadable } from './error.js';
import { MAX_PACKAGE_BYTES } from './limits.js';
import { messageOf } from '../protocol/text.js';

/** Where packages are kept, and the limits of a download. */
export interface FetchOptions {
  readonly cacheDir: string;
  readonly limits?: Partial<DownloadLimits>;
}

/** A package that is now on this host. */
interface FetchedPackage {
  readonly path: string;
  readonly url: string;
  readonly sha256: string;
}

/**
 * Returns the package at `url`, from the cache if it is there. Two simultaneous downloads both succeed: each renames a
 * whole file into place.
 */
export async function fetchPackage(url: string, { cacheDir, limits }: FetchOptions): Promise<FetchedPackage> {
  const sha256 = promisedHash(url);
  const path = join(cacheDir, `${sha256}.zip`);
  if (!(await isCached(path, sha256))) {
    await store({ url, sha256, path, limits: { ...DOWNLOAD_LIMITS, ...limits } }, cacheDir);
  }
  return { path, url, sha256 };
}

function promisedHash(url: string): string {
  const remote = readRemote(url);
  if (remote.kind === 'invalid') throw new ScopeError('InvalidName', remote.message);
  const hash = hashInName(lastPart(new URL(url).pathname));
  if (hash.kind === 'hash') return hash.sha256;
  throw new ScopeError('InvalidName', `${url} names a state; fetch the zip file without it`);
}

async function isCached(path: string, sha256: string): Promise<boolean> {
  try {
    // A damaged file does not count; a new download replaces it.
    return sha256Of(await readPlainFile(path, MAX_PACKAGE_BYTES)) === sha256;
  } catch {
    return false; // Absent or unreadable: the download writes it, or reports why it cannot.
  }
}

interface Download {
  readonly url: string;
  readonly sha256: string;
  readonly path: string;
  readonly limits: DownloadLimits;
}

async function store({ url, sha256, path, limits }: Download, cacheDir: string): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await makePrivateFolder(cacheDir);
    const received = await receive({ url, temporary, limits });
    if (received !== sha256) {
      const message = `${url} does not match the SHA-256 in its name: the download has ${received}; ask its publisher`;
      throw new ScopeError('HashMismatch', message);
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // The original error says more.
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

/** The limits of a download: bytes; ms to the first answer, between two chunks, and in total; redirects. */
interface DownloadLimits {
  readonly bytes: number;
  readonly answerMs: number;
  readonly pauseMs: number;
  readonly totalMs: number;
  readonly redirects: number;
}

/** Enough for the largest package over a slow connection. */
const DOWNLOAD_LIMITS: DownloadLimits = {
  bytes: MAX_PACKAGE_BYTES,
  answerMs: 15_000,
  pauseMs: 20_000,
  totalMs: 300_000,
  redirects: 5,
};

/** All bytes at `url`. Throws `Download` or `TooLarge`. */
export async function* download(url: string, limits: DownloadLimits): AsyncGenerator<Uint8Array> {
  const abort = new AbortController();
  const stop = (reason: string): void => abort.abort(new StallError(reason));
  const total = setTimeout(() => stop(`it took more than ${limits.totalMs / 1000} s`), limits.totalMs);
  const answer = setTimeout(() => stop(`no answer within ${limits.answerMs / 1000} s`), limits.answerMs);
  try {
    const response = await follow(url, { signal: abort.signal, redirects: limits.redirects });
    clearTimeout(answer);
    yield* body(response, { url, limits, stop });
  } catch (error) {
    if (error instanceof ScopeError) throw error;
    throw failed(url, abort.signal.aborted ? abort.signal.reason : error);
  } finally {
    clearTimeout(total);
    clearTimeout(answer);
    abort.abort(); // Closes a connection whose body was not read to its end.
  }
}

async function follow(
  url: string,
  { signal, redirects }: { readonly signal: AbortSignal; readonly redirects: number },
): Promise<DownloadAnswer> {
  let at = new URL(url);
  for (let count = 0; ; count += 1) {
    const response = await proxiedFetch(at, { signal, redirect: 'manual' });
    if (response.status === 200) return response;
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) {
      throw new AnswerError(`${at.host} answered ${response.status}`);
    }
    if (count === redirects) throw new AnswerError(`more than ${redirects} redirects`);
    at = redirected(location, at);
  }
}

function redirected(location: string, from: URL): URL {
  const to = new URL(location, from);
  if (!/^https?:$/.test(to.protocol) || (from.protocol === 'https:' && to.protocol !== 'https:')) {
    throw new AnswerError(`${from.host} redirects to ${to.protocol}//, which is not followed from ${from.protocol}//`);
  }
  return to;
}

interface BodyOptions {
  readonly url: string;
  readonly limits: DownloadLimits;
  readonly stop: (reason: string) => void;
}

async function* body(response: DownloadAnswer, { url, limits, stop }: BodyOptions): AsyncGenerator<Uint8Array> {
  if (Number(response.headers.get('content-length') ?? 0) > limits.bytes) throw tooLarge(url, limits);
  let received = 0;
  const pause = setTimeout(() => stop(`it stalled for ${limits.pauseMs / 1000} s`), limits.pauseMs);
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      pause.refresh();
      received += chunk.length;
      if (received > limits.bytes) throw tooLarge(url, limits);
      yield chunk;
    }
  } finally {
    clearTimeout(pause);
  }
}

/** The answer, or its absence, ends the download. */
class AnswerError extends Error {}
class StallError extends Error {}

function failed(url: string, error: unknown): ScopeError {
  const message = `cannot fetch ${url}: ${reasonOf(error)}; try again, or download the zip file and start that`;
  return new ScopeError('Download', message, { cause: error });
}

function reasonOf(error: unknown): string {
  if (error instanceof AnswerError || error instanceof StallError) return error.message;
  const cause = (error as { readonly cause?: unknown }).cause ?? error;
  return errorCode(cause) ?? messageOf(cause);
}

function tooLarge(url: string, { bytes }: DownloadLimits): ScopeError {
  return new ScopeError('TooLarge', `${url} has more than ${bytes} bytes, which no package may have`);
}
