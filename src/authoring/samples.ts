// The sample workflows that are shipped with Raymond, and copies of them that their owners may change.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '../client/error.js';
import { exists } from '../host/files.js';
import { shippedFolder } from '../host/self.js';
import { filesOfFolder } from '../packages/convert/files.js';
import { put } from '../packages/convert/write.js';
import { nearest } from '../protocol/text.js';

/** The names of all samples, sorted. */
export async function sampleNames(): Promise<readonly string[]> {
  const entries = await readdir(shippedFolder('workflows'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(({ name }) => name).sort();
}

/** Copies a sample to `path`; gives the names of its files, undefined when something is there already. Throws `InvalidUsage` for no sample. */
export async function copySample(name: string, path: string): Promise<readonly string[] | undefined> {
  const names = await sampleNames();
  if (!names.includes(name)) {
    const near = nearest(name, names);
    const hint = near === undefined ? '' : `, did you mean ${near}?`;
    throw new ClientError('InvalidUsage', `there is no sample "${name}"${hint} (the samples are ${names.join(', ')})`);
  }
  if (await exists(path)) return undefined;
  const files = await filesOfFolder(join(shippedFolder('workflows'), name), new Set());
  await put({ kind: 'folder', files }, { path, force: false });
  return [...files.keys()];
}
