// The SHA-256 of bytes, streams and files, in lower-case hexadecimal digits.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { errorCode } from './files.js';

/** The SHA-256 of bytes, or of a text in UTF-8. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The SHA-256 of a stream. */
export async function sha256OfChunks(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** The SHA-256 of a file. Throws the file system's error. */
export async function sha256OfFile(path: string): Promise<string> {
  return await sha256OfChunks(createReadStream(path));
}

/** The SHA-256 of a file; undefined when there is none. */
export async function sha256IfThere(path: string): Promise<string | undefined> {
  return await sha256OfFile(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}
