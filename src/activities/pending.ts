// The pending value of a turn: its text, and a private file that holds it whole.
// Must not interpret it.
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Pending } from '../protocol/agent.js';
import type { PendingText } from '../protocol/environment.js';
import { askFolder } from './shown-files.js';
import type { Turn } from './turn.js';

/** The value that the state was given, or undefined; what a person sent along with it lies in the task folder then. */
export async function pendingOf(
  turn: Turn,
  { taskFolder }: { readonly taskFolder: string },
): Promise<(PendingText & { readonly text: string }) | undefined> {
  const { pending } = turn.request.agent;
  if (pending === undefined) return undefined;
  await placeFiles(turn, { ...pending, taskFolder });
  const text = await turn.bench.artifacts.text(pending.value);
  const file = join(await turn.temporaryFolder(), 'input');
  await writeFile(file, text, { mode: 0o600 });
  return { text, file, returning: pending.returning };
}

async function placeFiles(
  { bench }: Turn,
  { askId, files = [], taskFolder }: Pending & { readonly taskFolder: string },
): Promise<void> {
  if (askId === undefined) return;
  for (const { name, sha256 } of files) {
    const path = join(askFolder(taskFolder, askId), name);
    await mkdir(dirname(path), { recursive: true });
    await copyFile(await bench.artifacts.locate(sha256), path);
    // The author's own file: the artifact that it was copied from must never change.
    await chmod(path, 0o600);
  }
}
