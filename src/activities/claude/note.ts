// The line that Raymond adds to a journal when an attempt reports it: which activity the server must no longer wait for before it may go.
// Must not decide whether it may.
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Reporter } from '../receipts.js';

const TYPE = 'raymond';
const LONGEST_BYTES = 8 << 10;

const noteSchema = z.object({
  type: z.literal(TYPE),
  reporter: z.object({ workflowId: z.string(), workflowRunId: z.string(), activityId: z.string() }),
});

/** The line, after whatever Claude printed last. */
export function noteOf(reporter: Reporter): string {
  return `\n${JSON.stringify({ type: TYPE, reporter })}\n`;
}

/** Whose report the journal belongs to; undefined when it has no such line. Throws what the file system says. */
export async function notedIn(journal: string): Promise<Reporter | undefined> {
  const handle = await open(journal);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, LONGEST_BYTES);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const last = buffer.toString('utf8').trimEnd().split('\n').at(-1) ?? '';
    return noteSchema.safeParse(json(last)).data?.reporter;
  } finally {
    await handle.close();
  }
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // what Claude printed, cut
  }
}
