// The files of the page, read once at the start: no request leads to a file on disk.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { answerOf } from './answers.js';

interface PageFile {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Its name contains a hash of its content. */
  readonly isHashed: boolean;
}

/** The page: files by path, `/` is its entry. */
export type Page = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Reads the page of a folder; empty when there is none. */
export async function readPage(folder: string): Promise<Page> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []); // The page was not built.
  const files = entries.filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined);
  const read = files.map(async ({ name, parentPath }) => {
    const path = join(parentPath, name);
    const plain = new Uint8Array(await readFile(path));
    const at = `/${relative(folder, path).split(sep).join('/')}`;
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    const file: PageFile = {
      type,
      plain,
      packed: new Uint8Array(gzipSync(plain)),
      isHashed: at.startsWith('/assets/'),
    };
    return [at === '/index.html' ? '/' : at, file] as const;
  });
  return new Map(await Promise.all(read));
}

/** Returns a file of the page; any other address returns the page itself, which interprets the address. */
export function pageResponse(page: Page, request: Request): Response {
  const { pathname } = new URL(request.url);
  const file = page.get(pathname) ?? (extname(pathname) === '' ? page.get('/') : undefined);
  if (file === undefined) return withoutPage(pathname);
  const isPacked = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  const headers = {
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
  };
  return answerOf(isPacked ? file.packed : file.plain, { headers });
}

function withoutPage(pathname: string): Response {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  if (pathname !== '/') return new Response('there is no page here\n', { status: 404, headers });
  return new Response('Raymond serves its API at /api; /api/openapi.json describes it. Its page was not built.\n', {
    headers,
  });
}
