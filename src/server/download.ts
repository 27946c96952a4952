// Downloads the official archive of the pinned Temporal CLI. Gives up early when the server cannot
// be reached; unpacks only the archive of the release, by its checksum.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ask } from '../host/ask.js';
import { proxiedFetch } from '../host/fetch.js';
import { errorCode, exists } from '../host/files.js';
import { sha256OfFile } from '../host/sha256.js';
import { TEMPORAL_CLI_ARCHIVES } from '../host/tested-versions.js';
import { CLI_NAME, DOWNLOADED_VERSION, type FetchResult, type Report } from './temporal-cli.js';

/** What a download needs; the time limits are for the first answer and for each pause in the stream. */
interface DownloadOptions {
  readonly folder: string;
  readonly report: Report;
  readonly answerMs?: number;
  readonly pauseMs?: number;
}

const OFFICIAL = 'https://temporal.download/cli/archive';
const PROGRESS_MS = 5_000;
const UNPACK_MS = 300_000;
const PLATFORMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Downloads and unpacks the CLI into `folder`; every failure is a reason, none is thrown. */
export async function downloadCli({
  folder,
  report,
  answerMs = 10_000,
  pauseMs = 20_000,
}: DownloadOptions): Promise<FetchResult> {
  const wanted = officialArchive();
  if (wanted === undefined)
    return failure(`Raymond knows no checksum of the one for ${process.platform} on ${process.arch}`);
  const { url, sha256 } = wanted;
  report(`downloading the Temporal CLI ${DOWNLOADED_VERSION} from ${url.host} (once, about 100 MB)`);
  const archive = join(folder, 'archive');
  const limit = new AbortController();
  const watchdog = setTimeout(
    () => limit.abort(new StallError(`no answer from ${url.host} within ${answerMs / 1000} s`)),
    answerMs,
  );
  try {
    const response = await proxiedFetch(url, { signal: limit.signal });
    if (!response.ok || response.body === null) return failure(`${url.href} answered ${response.status}`);
    clearTimeout(watchdog);
    const total = Number(response.headers.get('content-length') ?? Number.NaN);
    const body = Readable.fromWeb(response.body);
    await pipeline(body, watchStream({ total, pauseMs, limit, report }), createWriteStream(archive), {
      signal: limit.signal,
    });
    const actual = await sha256OfFile(archive);
    if (actual !== sha256)
      return failure(
        `the SHA-256 of the archive from ${url.host} is ${actual}, but that of the release is ${sha256}: it was not used, because a proxy or a mirror may have changed it`,
      );
    return await unpack(archive, folder);
  } catch (error) {
    return failure(reason(limit.signal.aborted ? limit.signal.reason : error, url.host));
  } finally {
    clearTimeout(watchdog);
  }
}

/** The archive for this machine, with its checksum; a mirror of archives packed otherwise has its own. */
function officialArchive(): { readonly url: URL; readonly sha256: string } | undefined {
  const platform = PLATFORMS[process.platform];
  const architecture = ARCHITECTURES[process.arch];
  const sha256 =
    process.env.RAYMOND_TEMPORAL_DOWNLOAD_SHA256?.toLowerCase() || TEMPORAL_CLI_ARCHIVES[`${platform}_${architecture}`];
  if (platform === undefined || architecture === undefined || sha256 === undefined) return undefined;
  const base = process.env.RAYMOND_TEMPORAL_DOWNLOAD_URL || OFFICIAL;
  const query = `platform=${platform}&arch=${architecture}`;
  return { url: new URL(`${base.replace(/\/$/, '')}/${DOWNLOADED_VERSION}?${query}`), sha256 };
}

class StallError extends Error {}

interface Watch {
  readonly total: number;
  readonly pauseMs: number;
  readonly limit: AbortController;
  readonly report: Report;
}

/** Forwards the bytes, reports progress, and aborts when no more arrive. */
function watchStream({
  total,
  pauseMs,
  limit,
  report,
}: Watch): (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
  return async function* (source) {
    let received = 0;
    let reported = Date.now();
    const watchdog = setTimeout(
      () => limit.abort(new StallError(`it stalled for ${pauseMs / 1000} s after ${megabytes(received)}`)),
      pauseMs,
    );
    try {
      for await (const chunk of source) {
        watchdog.refresh();
        received += chunk.length;
        if (Date.now() - reported > PROGRESS_MS) {
          reported = Date.now();
          report(`downloaded ${megabytes(received)}${Number.isNaN(total) ? '' : ` of ${megabytes(total)}`}`);
        }
        yield chunk;
      }
    } finally {
      clearTimeout(watchdog);
    }
  };
}

async function unpack(archive: string, folder: string): Promise<FetchResult> {
  // On Windows the archive is a zip, which its bsdtar detects.
  const mode = process.platform === 'win32' ? '-xf' : '-xzf';
  const { error, stderr } = await ask('tar', [mode, archive, '-C', folder], { timeoutMs: UNPACK_MS });
  if (error !== undefined) {
    const words = stderr.trim().split('\n')[0];
    return failure(`the archive cannot be unpacked: ${words || errorCode(error) || error.message}`);
  }
  const path = join(folder, CLI_NAME);
  return (await exists(path)) ? { kind: 'fetched', path } : failure(`the archive holds no ${CLI_NAME}`);
}

function reason(error: unknown, host: string): string {
  if (error instanceof StallError) return error.message;
  const cause = (error as { cause?: unknown }).cause ?? error;
  return `cannot download from ${host}: ${errorCode(cause) ?? (cause as Error).message}`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

function failure(reason: string): FetchResult {
  return { kind: 'failed', reason };
}
