// What attempts of an agent spent without being able to report it: the result lines that the launcher wrote to disk.
// Must not count a dollar twice (invariant I4): an attempt's own journal is its own report, and what was reported is removed.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '../turn.js';
import { agentKey } from '../turn.js';
import { TurnTally } from './outcome.js';
import { ClaudeStream } from './stream.js';

/** The journal file of this attempt. */
export function journalFile(turn: Turn): string {
  return join(folderIn(turn.bench.settings.raymondDir), `${turn.fileName}.jsonl`);
}

/** Dollars of the agent's earlier attempts that nobody has reported. */
export async function unreportedUsd(turn: Turn): Promise<number> {
  const own = journalFile(turn);
  return await spentIn((await journalsOf(turn)).filter((file) => file !== own));
}

/** Forgets the agent's journals, whose cost is about to be reported. */
export async function closeJournal(turn: Turn): Promise<void> {
  await remove(await journalsOf(turn));
}

/** What the dead attempts of an agent spent. `booked` must be called when somebody has. Only for an agent without a living turn. */
export async function spentByDead(
  raymondDir: string,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<{ readonly usd: number; readonly booked: () => Promise<void> }> {
  const files = await filesIn(folderIn(raymondDir), agentKey(runId, agentId));
  return { usd: await spentIn(files), booked: () => remove(files) };
}

async function journalsOf({ bench, request: { runId, agent } }: Turn): Promise<readonly string[]> {
  return await filesIn(folderIn(bench.settings.raymondDir), agentKey(runId, agent.id));
}

function folderIn(raymondDir: string): string {
  return join(raymondDir, 'journal');
}

async function filesIn(folder: string, key: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []); // no folder: nothing has been spent yet
  return names.filter((name) => name.startsWith(`${key}-`)).map((name) => join(folder, name));
}

async function spentIn(files: readonly string[]): Promise<number> {
  const costs = await Promise.all(files.map(async (file) => costOf(await readFile(file))));
  return costs.reduce((sum, cost) => sum + cost, 0);
}

async function remove(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => rm(file, { force: true })));
}

function costOf(journal: Uint8Array): number {
  const stream = new ClaudeStream();
  const tally = new TurnTally();
  for (const event of [...stream.push(journal), ...stream.end()]) tally.add(event);
  return tally.output().costUsd;
}
