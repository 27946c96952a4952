// What tests of waiting agents share: looking at a run until it is as it should be, and starting a closed one again.
// Must not answer or wait for anything of its own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderStore } from '../../dist/store/folder.js';
import type { ArtifactStore } from '../../dist/store/store.js';
import { eventsOf } from '../../dist/history/events.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import type { Stage, Staged } from '../support/stage.js';
import { until } from '../support/until.js';

/** A bash script that ends with this tag. */
export const ends = (tag: string, before = ''): string => `${before}\necho '${tag}'\n`;

/** A script that notes its name in the file `done` and ends with this tag. */
export const notes = (name: string, tag: string, before = ''): string => ends(tag, `${before}\necho ${name} >> done`);
/** What those scripts have noted, in their order. */
export const readDone = async ({ cwd }: Staged): Promise<string> =>
  await readFile(join(cwd, 'done'), 'utf8').catch(() => '');

/** The artifacts of a stage's runs. */
export const artifactsOf = ({ raymondDir }: Stage): ArtifactStore => new FolderStore(join(raymondDir, 'artifacts'));

/** Waits until the run is seen like this. */
export async function seen(
  { link }: Stage,
  { runId }: Pick<Staged, 'runId'>,
  how: (now: RunView) => boolean,
): Promise<RunView> {
  return await until(async () => [await viewRun(link.client, runId)].find(how), { what: 'the view' });
}

/** True when the workflow of `main` has been told, and has done what follows from it. */
export async function hasHeard({ link }: Stage, { runId }: Pick<Staged, 'runId'>, signal: string): Promise<boolean> {
  let isTold = false;
  for await (const event of eventsOf(link.client, { workflowId: `${runId}/main` })) {
    isTold ||= event.workflowExecutionSignaledEventAttributes?.signalName === signal;
    if (isTold && event.workflowTaskCompletedEventAttributes) return true;
  }
  return false;
}

/** Starts a closed run again, and waits until it ends or is paused. */
export async function revived(stage: Stage, view: RunView, budget?: { readonly usd: number }): Promise<RunView> {
  await restartRun(stage.link.client, {
    view,
    artifacts: artifactsOf(stage),
    taskQueue: view.taskQueue,
    ...(budget === undefined ? {} : { budget }),
  });
  return await stage.end(view.runId);
}
