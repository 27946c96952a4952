// Runs that a person has deleted while Temporal still shows them: it deletes in the background, which takes a minute or
// more. A mark is an empty file in the project, named after an execution, so that a new run of the same id is shown.
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { makePrivateFolder } from '../../host/files.js';

/** The folder of the marks, by the connection of a project. */
const folders = new WeakMap<object, string>();

/** Temporal has deleted the execution long before. */
const KEPT_MS = 24 * 60 * 60_000;

/** What is deleted in this project is hidden from everything that is read by its connection. */
export function noteProject({ connection }: Client, raymondDir: string): void {
  folders.set(connection, join(raymondDir, 'deleted'));
}

/** Hides executions of runs. */
export async function hide({ connection }: Client, executionIds: readonly string[]): Promise<void> {
  const folder = folders.get(connection);
  if (folder === undefined) return;
  await makePrivateFolder(folder);
  await Promise.all(executionIds.map((id) => writeFile(join(folder, id), '', { mode: 0o600 })));
  for (const path of (await marksIn(folder)).map((id) => join(folder, id)))
    if ((await stat(path)).mtimeMs < Date.now() - KEPT_MS) await rm(path, { force: true });
}

/** Returns whether an execution is hidden. */
export async function hidden({ connection }: Client): Promise<(executionId: string) => boolean> {
  const folder = folders.get(connection);
  const ids = new Set(folder === undefined ? [] : await marksIn(folder));
  return (executionId) => ids.has(executionId);
}

async function marksIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []); // Nothing was deleted yet.
}
