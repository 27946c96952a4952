// The pending value of a turn: its text, and a private file that holds it whole.
// Must not interpret it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PendingText } from '../protocol/environment.js';
import type { Turn } from './turn.js';

/** The value that the state was given, or undefined. */
export async function pendingOf(turn: Turn): Promise<(PendingText & { readonly text: string }) | undefined> {
  const { pending } = turn.request.agent;
  if (pending === undefined) return undefined;
  const text = await turn.bench.artifacts.text(pending.value);
  const file = join(await turn.temporaryFolder(), 'input');
  await writeFile(file, text, { mode: 0o600 });
  return { text, file, returning: pending.returning };
}
