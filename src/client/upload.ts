// The files that go along with an answer: read, recognised, checked against what the question takes, and kept as artifacts.
// Must not send anything.
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime';
import type { ArtifactStore } from '../store/folder.js';
import { whyUnreadable } from '../packages/error.js';
import type { Answer } from '../protocol/wait.js';
import { uploadMistake, type SentFile, type Upload } from '../protocol/ask-files.js';
import { ClientError } from './error.js';

/** No question takes larger files than this by default; a bucket may name another limit. */
const LARGEST_BYTES = 1024 ** 3;

/** Reads `NAME=PATH` arguments (or `PATH` alone, under its own name). Throws `InvalidUsage` naming the file. */
export async function uploads(
  written: readonly string[],
  {
    artifacts,
    upload,
    known,
  }: { readonly artifacts: ArtifactStore; readonly upload?: Upload; readonly known: boolean },
): Promise<Answer['files']> {
  const files = await Promise.all(written.map(async (argument) => await describe(argument)));
  // The agent checks once more; a question that is not known here is checked only there.
  const mistake = known ? uploadMistake(upload, files) : undefined;
  if (mistake !== undefined) throw new ClientError('AnswerRefused', mistake);
  return await Promise.all(
    files.map(async ({ path, ...file }) => ({ ...file, sha256: (await artifacts.putFile(path)).sha256 })),
  );
}

async function describe(argument: string): Promise<SentFile & { readonly path: string }> {
  const at = argument.indexOf('=');
  const path = argument.slice(at + 1);
  const name = at < 0 ? basename(path) : argument.slice(0, at);
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new ClientError('InvalidUsage', `${path} is not a file`);
    if (found.size > LARGEST_BYTES)
      throw new ClientError('InvalidUsage', `${path} is larger than ${LARGEST_BYTES} bytes`);
    return { name, path, bytes: found.size, type: await typeOf(path) };
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw new ClientError('InvalidUsage', `cannot read ${path}: ${whyUnreadable(error)}`);
  }
}

/** The MIME type by content; text has no marks of its own, so there the extension tells which. */
async function typeOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  const found = await fileTypeFromBuffer(bytes);
  if (found !== undefined) return found.mime;
  if (!isText(bytes)) return 'application/octet-stream';
  const named = mime.getType(path) ?? 'text/plain';
  return /^(text\/|application\/(json|xml|yaml|toml|javascript))|\+(json|xml)$/.test(named) ? named : 'text/plain';
}

function isText(bytes: Buffer): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0');
  } catch {
    return false; // not UTF-8: no text that anything here could read
  }
}
