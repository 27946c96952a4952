// Deletes a run that has ended: its executions in Temporal, and the files that only it has. What its artifacts share
// with other runs is left to `raymond gc`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameOfRun } from '../../protocol/ids.js';
import { notEnded } from '../error.js';
import { hide } from '../look/deleted.js';
import { findRun } from '../look/runs.js';
import { artifactDirOf, type Raymond } from '../open.js';
import { DEBUG_FOLDER, namesOf, RUN_FILE } from './garbage.js';

/** Deletes it. Throws `RunOpen` for a run that has not ended. */
export async function deleteRun(raymond: Raymond, name: string): Promise<void> {
  const { link, project, artifacts } = raymond;
  const { runId, open } = await findRun(link.client, name, artifacts);
  if (open) throw notEnded(runId);
  await deleteExecutions(raymond, runId);
  const stem = fileNameOfRun(runId);
  const folder = artifactDirOf(project);
  const own = [join(folder, 'runs', stem), join(folder, 'places', stem), join(project.raymondDir, 'tasks', stem)];
  await Promise.all(own.map((path) => rm(path, { recursive: true, force: true })));
  for (const [name, pattern] of [
    ['debug', DEBUG_FOLDER],
    ['runs', RUN_FILE],
  ] as const)
    await removeNamed(join(project.raymondDir, name), (entry) => pattern.exec(entry)?.[1] === stem);
}

async function deleteExecutions({ link: { client, namespace } }: Raymond, runId: string): Promise<void> {
  const query = `WorkflowId = "${runId}" OR WorkflowId STARTS_WITH "${runId}/"`;
  const ofRun: string[] = [];
  for await (const { workflowId, runId: executionId } of client.workflow.list({ query })) {
    await client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId, runId: executionId },
    });
    if (workflowId === runId) ofRun.push(executionId);
  }
  await hide(client, ofRun);
}

async function removeNamed(folder: string, isOwn: (entry: string) => boolean): Promise<void> {
  const names = await namesOf(folder);
  await Promise.all(names.filter(isOwn).map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
}
