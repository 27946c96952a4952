// Keeps the files of a trial for the search for a cause: the verdict with all that was noted, the events of all its workflows, and what the
// workers of all hosts have said. In the folder for temporary files, by the seed.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Cluster } from './cluster.js';
import { temporalAt } from './services.js';

const { History } = proto.temporal.api.history.v1;
const AS_TEXT = { enums: String, longs: String, bytes: String };

/** Writes all of it. */
export async function dump(cluster: Cluster, seed: number, trial: unknown): Promise<void> {
  await writeFile(pathOf(seed, 'trial.json'), JSON.stringify(trial, null, 1));
  await writeFile(pathOf(seed, 'histories.json'), await historiesOf(cluster));
  await writeFile(pathOf(seed, 'workers.log'), await saidIn(cluster.folder));
}

const pathOf = (seed: number, name: string): string => join(tmpdir(), `raymond-fleet-${seed}-${name}`);

/** The histories of all executions that the server knows, each with its workflow's id. */
async function historiesOf({ machines }: Cluster): Promise<string> {
  const connection = await Connection.connect({ address: temporalAt(machines.temporal.link) });
  try {
    const { workflow } = new Client({ connection });
    const histories: unknown[] = [];
    for await (const { workflowId, runId } of workflow.list()) {
      const history = await workflow.getHandle(workflowId, runId).fetchHistory();
      histories.push({ workflowId, runId, history: History.toObject(History.fromObject(history), AS_TEXT) });
    }
    return JSON.stringify(histories);
  } finally {
    await connection.close();
  }
}

async function saidIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('notes-')).sort();
  const said = await Promise.all(
    names.map(async (name) => `== ${name}\n${await readFile(join(folder, name, 'log'), 'utf8').catch(() => '')}`),
  );
  return said.join('');
}
