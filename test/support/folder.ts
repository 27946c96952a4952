// Temporary folders of a test file: made with files in them, removed when the file is done.
// What lives in a folder (a server) must be ended before it is removed: `beforeRemoval`.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from '@jest/globals';

const made: string[] = [];
const endings: (() => Promise<void>)[] = [];

// One hook for both: hooks of the same file run in the order in which they were added, and this one is the first.
afterAll(async () => {
  // The last first: what was begun on a server ends before the server, for whose answer it would wait.
  for (const end of endings.splice(0).reverse()) await end();
  await Promise.all(made.splice(0).map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
}, 120_000);

/** Runs before the folders are removed. */
export function beforeRemoval(end: () => Promise<void>): void {
  endings.push(end);
}

/** A new folder with these files (paths relative to it); scripts are not marked executable, as nobody must. */
export async function folder(files: Readonly<Record<string, string | Buffer>> = {}): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'raymond-test-')));
  made.push(path);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}
