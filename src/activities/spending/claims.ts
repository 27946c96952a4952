// Marks the owner of a journal when its agent may move to another host: written next to the journal before anything is
// spent, so that the old host knows what to report (unreported.ts), and no later turn here counts it as its own
// (spending.ts).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makePrivateFolder, writeFileDurable } from '../../host/files.js';
import { jsonOf } from '../../protocol/text.js';
import { journalFolder } from '../attempt/attempt-names.js';
import type { Attempt } from '../attempt/attempt.js';
import { reporterOf } from '../attempt/receipts.js';

const claimantSchema = z.object({
  runId: z.string(),
  agentId: z.string(),
  turn: z.number(),
  workspace: z.string(),
  generation: z.number(),
  host: z.string(),
  activity: z.object({ workflowId: z.string(), workflowRunId: z.string(), activityId: z.string() }),
});

/** A turn of an agent with a workspace, and the host on which it ran. */
export type Claimant = z.infer<typeof claimantSchema>;

/** A journal with a claim, by the common name of its attempt's files. */
export interface SpendingClaim {
  readonly path: string;
  readonly name: string;
  /** Absent = a crash happened before any spending. */
  readonly claimant?: Claimant;
}

/** Records the owner of this attempt's journal, if its agent may move to another host. */
export async function claimJournal({ request, context, worker, fileName }: Attempt): Promise<void> {
  const { runId, agent } = request;
  const { workspace } = agent;
  const activity = reporterOf(context);
  if (workspace?.place === undefined || activity === undefined) return;
  const { host, generation } = workspace.place;
  const turn = agent.turn + 1;
  const whose = { runId, agentId: agent.id, turn, workspace: workspace.owner };
  const claimant: Claimant = { ...whose, generation, host, activity };
  const folder = claimFolder(worker.settings.raymondDir);
  await makePrivateFolder(folder);
  await writeFileDurable(join(folder, `${fileName}${ENDING}`), JSON.stringify(claimant));
}

/** All claims of this host; with `agent` only those of one agent, by the prefix of its files. */
export async function claimsIn(raymondDir: string, agent = ''): Promise<readonly SpendingClaim[]> {
  const folder = claimFolder(raymondDir);
  const names = await readdir(folder).catch(() => []); // no folder: there was no agent with files on this host
  const claims = names.filter((name) => name.endsWith(ENDING) && name.startsWith(agent));
  return await Promise.all(
    claims.map(async (file) => {
      const path = join(folder, file);
      const claimant = await claimantIn(path);
      return { path, name: file.slice(0, -ENDING.length), ...(claimant === undefined ? {} : { claimant }) };
    }),
  );
}

const ENDING = '.json';

function claimFolder(raymondDir: string): string {
  return join(journalFolder(raymondDir), 'owners');
}

async function claimantIn(path: string): Promise<Claimant | undefined> {
  const text = await readFile(path, 'utf8').catch(() => ''); // it has just been removed
  return claimantSchema.safeParse(jsonOf(text)).data;
}
