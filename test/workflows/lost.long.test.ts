// Resets with Temporal's own tools, and agents whose run was terminated, at each point at which either may come.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../dist/store/folder.js';
import { viewWithoutEnded } from '../../dist/client/steer/ended-outside.js';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { listRuns, viewRun, type RunView } from '../../dist/client/look/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { byNode } from '../support/by-node.js';

const { WorkflowFailedError } = await byNode('@temporalio/client');

/** A bash script that waits for the file `go` and then ends with this tag. */
const waits = (tag: string): string => `touch started; until [ -f go ]; do sleep 0.05; done\necho '${tag}'\n`;

const made = ({ cwd }: Staged, name: string): Promise<unknown> =>
  until(() => readdir(cwd).then((names) => names.includes(name)), { what: `the file ${name}` });

describe('what is terminated from outside', () => {
  const stage = new Stage();
  const handleOf = ({ runId }: Staged, agentId?: string) =>
    stage.link.client.workflow.getHandle(agentId === undefined ? runId : agentWorkflowId(runId, agentId));
  const revive = (view: RunView): Promise<unknown> => {
    const artifacts = new FolderStore(join(stage.raymondDir, 'artifacts'));
    return restartRun(stage.link.client, { view, artifacts, taskQueue: view.taskQueue });
  };
  const statuses = ({ agents }: RunView): Readonly<Record<string, string>> =>
    Object.fromEntries(agents.map(({ id, status }) => [id, status]));

  describe("what is reset with Temporal's own tools does nothing again", () => {
    const ASKS = {
      'START.sh': 'echo x >> turns; echo "<goto>ASK</goto>"\n',
      'ASK.sh': 'echo x >> turns; echo "<ask next=\\"END\\">Well?</ask>"\n',
      'END.sh': 'echo x >> turns; echo "<result>$RAYMOND_INPUT</result>"\n',
    };
    /** What `temporal workflow reset` does: the execution begins again at its first workflow task, or at its latest. */
    const reset = async (staged: Staged, agentId: string | undefined, where: 'first' | 'last'): Promise<void> => {
      const { connection, namespace } = stage.link;
      const handle = handleOf(staged, agentId);
      const { workflowId, runId } = await handle.describe();
      const { events = [] } = await handle.fetchHistory();
      const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
      await connection.workflowService.resetWorkflowExecution({
        namespace,
        workflowExecution: { workflowId, runId },
        workflowTaskFinishEventId: (where === 'first' ? tasks[0] : tasks.at(-1))?.eventId ?? null,
        reason: 'by a test',
        requestId: randomUUID(),
      });
      const isOver = async (): Promise<boolean> => {
        const now = await handle.describe();
        return now.runId !== runId && now.status.name === 'FAILED';
      };
      await until(isOver, { what: 'the end of what the reset has made' });
    };
    const asking = ({ runId }: Staged): Promise<unknown> =>
      until(async () => statuses(await viewRun(stage.link.client, runId))['main'] === 'asking', {
        what: 'the question',
      });
    const answered = async ({ runId }: Staged): Promise<RunView> => {
      const answer = { askId: 'ask_main_2', text: 'fine', files: [] };
      await sendAnswer(stage.link.client, { runId, agentId: 'main', answer });
      return await stage.end(runId);
    };
    const turnsIn = async ({ cwd }: Staged): Promise<number> => (await readFile(join(cwd, 'turns'), 'utf8')).length / 2;

    test.each(['first', 'last'] as const)('an agent, at its %s task', async (where) => {
      const staged = await stage.start(ASKS, { chain: false });
      await asking(staged);
      await reset(staged, 'main', where);
      const seen = await viewWithoutEnded(stage.link.client, await viewRun(stage.link.client, staged.runId));
      expect(statuses(seen)).toEqual({ main: 'lost' });
      await revive(await stage.end(staged.runId));
      await asking(staged);
      expect(await answered(staged)).toMatchObject({ status: 'completed', result: 'fine' });
      expect(await turnsIn(staged)).toBe(3);
    });

    test('a run, whose agents continue when it is resumed', async () => {
      const staged = await stage.start(ASKS);
      await asking(staged);
      await reset(staged, undefined, 'first');
      await reset(staged, undefined, 'first');
      const view = await viewRun(stage.link.client, staged.runId);
      expect(view).toMatchObject({ status: 'failed', open: false, trouble: { type: 'WorkflowReset' } });
      expect(view.trouble?.message).toContain(`raymond resume ${staged.runId}`);
      expect(view.agents).toMatchObject([{ id: 'main', status: 'lost', state: 'ASK.sh' }]);
      const listed = await listRuns(stage.link.client);
      expect(listed.filter(({ runId }) => runId === staged.runId)).toMatchObject([{ status: 'failed' }]);
      await revive(view);
      await asking(staged);
      expect(await answered(staged)).toMatchObject({ status: 'completed', result: 'fine' });
      expect(await turnsIn(staged)).toBe(3);
    });

    test.each([undefined, 'main'])('a completed run stays as it was (%s)', async (agentId) => {
      const staged = await stage.start({ 'START.sh': 'echo x >> turns; echo "<result>done</result>"\n' });
      const ended = await staged.ended;
      await reset(staged, agentId, 'first');
      expect(await viewRun(stage.link.client, staged.runId)).toEqual(ended);
      expect(await turnsIn(staged)).toBe(1);
    });
  });

  describe('the agents of a run that was terminated end themselves', () => {
    const goneWhen = async (staged: Staged): Promise<unknown> => {
      await made(staged, 'started');
      await handleOf(staged).terminate('by a test');
      await writeFile(join(staged.cwd, 'go'), '');
      const error = await handleOf(staged, 'main')
        .result()
        .catch((thrown: unknown) => thrown);
      return error instanceof WorkflowFailedError ? error.cause : error;
    };

    test('before they fork', async () => {
      const staged = await stage.start({
        'START.sh': waits('<fork next="END">WORKER</fork>'),
        'WORKER.sh': 'touch worked; echo "<result>x</result>"\n',
        'END.sh': 'touch ended; echo "<result>x</result>"\n',
      });
      expect(await goneWhen(staged)).toMatchObject({
        type: 'RunGone',
        message: `the run ${staged.runId} is no longer open, so the agent ends`,
      });
      expect((await readdir(staged.cwd)).sort()).toEqual(['go', 'started']);
    });

    test('before they ask Claude', async () => {
      const staged = await stage.start({ 'START.sh': waits('<goto>ASK</goto>'), 'ASK.md': 'Say something.\n' });
      expect(await goneWhen(staged)).toMatchObject({ type: 'RunGone' });
    });

    test('after some turns at the latest, when they are scripts without end', async () => {
      const staged = await stage.start(
        {
          'START.sh': waits('<goto>LOOP</goto>'),
          'LOOP.sh': 'echo x >> turns; sleep 0.05; echo "<goto>LOOP</goto>"\n',
        },
        { turnsPerHistory: 4, chain: false },
      );
      expect(await goneWhen(staged)).toMatchObject({ type: 'RunGone' });
      expect((await readFile(join(staged.cwd, 'turns'), 'utf8')).length / 2).toBeLessThanOrEqual(4);
    });

    test('with their result, when that is the next thing they do', async () => {
      const staged = await stage.start({ 'START.sh': waits('<result>for nobody</result>') });
      expect(await goneWhen(staged)).toEqual({ result: 'for nobody', state: 'START.sh' });
    });
  });
});
