// Copies what is shipped with Raymond: samples, which belong to the user afterwards, and the skill that teaches an
// agent to write workflows. A skill file that the user changed is not touched; an unchanged one is updated.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClientError } from '../client/error.js';
import { exists, explainingWrites, readJsonFile, writeFileAtomic } from '../host/files.js';
import { MAX_BYTES, readPlainFile } from '../host/plain-file.js';
import { shippedFolder } from '../host/self.js';
import { sha256Of } from '../host/sha256.js';
import { filesOfFolder } from '../packages/convert/files.js';
import { put } from '../packages/convert/write.js';
import { nearest } from '../protocol/text.js';

/** The names of all samples, sorted. */
async function sampleNames(): Promise<readonly string[]> {
  const entries = await readdir(shippedFolder('workflows'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(({ name }) => name).sort();
}

/**
 * Copies a sample to `path`; returns the names of its files, undefined when `path` exists. Throws `InvalidUsage` for an
 * unknown sample.
 */
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

/** The result of an installation, by paths relative to the folder. */
interface InstalledSkill {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
}

/** A file beside the skill: the hashes of the files as they were copied. */
const RECORD = '.installed.json';

/** Copies the skill into `folder`. Throws `InvalidUsage` that lists the files which the user changed, unless forced. */
export async function installSkill(folder: string, { force }: { readonly force: boolean }): Promise<InstalledSkill> {
  const shipped = await shippedFiles();
  const record = readRecord(join(folder, RECORD));
  const there = new Map<string, string>();
  for (const name of new Set([...shipped.keys(), ...record.keys()])) {
    const found = await readPlainFile(join(folder, name), MAX_BYTES.settings).catch(() => undefined); // Absent; an unreadable one fails when it is written.
    if (found !== undefined) there.set(name, sha256Of(found));
  }
  const isNew = (name: string): boolean => there.get(name) !== shipped.get(name)?.sha256;
  const changed = [...there.keys()].filter((name) => isNew(name) && there.get(name) !== record.get(name));
  if (changed.length > 0 && !force) throw refusal(folder, changed);
  const written = [...shipped.keys()].filter(isNew);
  const removed = [...there.keys()].filter((name) => !shipped.has(name));
  for (const name of written) await write(join(folder, name), shipped.get(name)?.content ?? Buffer.alloc(0));
  for (const name of removed) await explainingWrites(join(folder, name), () => rm(join(folder, name)));
  const hashes = Object.fromEntries([...shipped].map(([name, { sha256 }]) => [name, sha256]));
  await writeFileAtomic(join(folder, RECORD), `${JSON.stringify(hashes, undefined, 2)}\n`);
  return { written, unchanged: [...shipped.keys()].filter((name) => !written.includes(name)), removed };
}

function refusal(folder: string, changed: readonly string[]): ClientError {
  const names = changed.map((name) => join(folder, name)).join(', ');
  const what = changed.length === 1 ? 'was changed' : 'were changed';
  return new ClientError('InvalidUsage', `${names} ${what}; move it away, or overwrite it with --force`);
}

interface ShippedFile {
  readonly content: Buffer;
  readonly sha256: string;
}

async function shippedFiles(): Promise<ReadonlyMap<string, ShippedFile>> {
  const folder = shippedFolder('skill');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
  const files = new Map<string, ShippedFile>();
  for (const name of names.sort()) {
    const content = await readFile(join(folder, name));
    files.set(name, { content, sha256: sha256Of(content) });
  }
  return files;
}

function readRecord(path: string): ReadonlyMap<string, string> {
  const value = readJsonFile(path);
  if (typeof value !== 'object' || value === null) return new Map();
  // Only plain names: any program may have written the file.
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return new Map(
    entries.flatMap(([name, hash]) =>
      typeof hash === 'string' && !name.includes('..') ? [[name, hash] as const] : [],
    ),
  );
}

async function write(path: string, content: Buffer): Promise<void> {
  await explainingWrites(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  });
}
