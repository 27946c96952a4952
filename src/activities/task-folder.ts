// The task folder of an agent: a place of its own for the files of its work, told to every turn and made before it.
// Must not be removed by Raymond: what is in it belongs to the author.
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makePrivateFolder } from '../host/files.js';
import { taskOf } from '../protocol/names.js';
import { renderTemplate } from '../protocol/template.js';
import type { TurnRequest } from './types.js';
import type { WorkbenchSettings } from './workbench.js';

/** Makes the folder; gives its absolute path. A pattern of the config is relative to the project's root. */
export async function taskFolder(
  { raymondDir, taskFolder: pattern }: WorkbenchSettings,
  { runId, agent }: Pick<TurnRequest, 'runId' | 'agent'>,
): Promise<string> {
  const names = { workflow_id: runId, agent_id: taskOf(agent) };
  const own = join(raymondDir, 'tasks');
  // What is in a task folder is the author's; who has one is nobody else's business.
  if (pattern === undefined) await makePrivateFolder(own);
  const path =
    pattern === undefined
      ? join(own, runId, names.agent_id)
      : resolve(dirname(raymondDir), renderTemplate(pattern, names).text);
  await mkdir(path, { recursive: true });
  return path;
}
