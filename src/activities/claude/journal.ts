// What earlier attempts of a turn spent without being able to report it: the result lines that the launcher wrote to disk.
// Must not count this attempt's own journal (invariant I4: every dollar exactly once).
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '../turn.js';
import { TurnTally } from './outcome.js';
import { ClaudeStream } from './stream.js';

/** The journal file of this attempt. */
export function journalFile(turn: Turn): string {
  return join(folderOf(turn), `${turn.attempt}.jsonl`);
}

/** Dollars of the earlier attempts of this activity. */
export async function unreportedUsd(turn: Turn): Promise<number> {
  const own = `${turn.attempt}.jsonl`;
  const files = (await readdir(folderOf(turn)).catch(() => [])).filter((name) => name !== own);
  const costs = await Promise.all(files.map(async (name) => costOf(await readFile(join(folderOf(turn), name)))));
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** Forgets the journals of a turn whose cost is about to be reported. */
export async function closeJournal(turn: Turn): Promise<void> {
  await rm(folderOf(turn), { recursive: true, force: true });
}

function folderOf(turn: Turn): string {
  return join(turn.bench.settings.raymondDir, 'journal', turn.activityKey);
}

function costOf(journal: Uint8Array): number {
  const stream = new ClaudeStream();
  const tally = new TurnTally();
  for (const event of [...stream.push(journal), ...stream.end()]) tally.add(event);
  return tally.output().costUsd;
}
