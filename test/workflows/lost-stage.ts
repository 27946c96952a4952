// A stage whose runs and agents are ended from outside, for the tests of what is lost.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { FolderStore } from '../../dist/store/folder.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import type { RunView } from '../../dist/client/look/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';

/** A bash script that waits for the file `go` and then ends with this tag. */
export const waits = (tag: string): string => `touch started; until [ -f go ]; do sleep 0.05; done\necho '${tag}'\n`;

/** Waits until a run has made this file. */
export const made = ({ cwd }: Staged, name: string): Promise<unknown> =>
  until(() => readdir(cwd).then((names) => names.includes(name)), { what: `the file ${name}` });

/** The statuses of a run's agents, by their ids. */
export const statuses = ({ agents }: RunView): Readonly<Record<string, string>> =>
  Object.fromEntries(agents.map(({ id, status }) => [id, status]));

/** A stage on which a test reaches the workflows of a run, and starts a closed run again. */
export class LostStage extends Stage {
  handleOf({ runId }: Staged, agentId?: string): WorkflowHandle {
    return this.link.client.workflow.getHandle(agentId === undefined ? runId : agentWorkflowId(runId, agentId));
  }

  async revive(view: RunView): Promise<void> {
    const artifacts = new FolderStore(join(this.raymondDir, 'artifacts'));
    await restartRun(this.link.client, { view, artifacts, taskQueue: view.taskQueue });
  }
}
