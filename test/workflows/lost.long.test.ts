// Resets with Temporal's own tools, and agents whose run was terminated, at each point at which either may come; agents that are lost at rarer
// moments.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { endedOutside, endStrays, MissingAgents, viewWithoutEnded } from '../../dist/client/steer/ended-outside.js';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import { listRuns, viewRun, type RunView } from '../../dist/client/look/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import type { Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { byNode } from '../support/by-node.js';
import { LostStage, made, statuses, waits } from './lost-stage.js';

const { WorkflowFailedError } = await byNode('@temporalio/client');

describe('what is terminated from outside', () => {
  const stage = new LostStage();

  describe("what is reset with Temporal's own tools does nothing again", () => {
    const ASKS = {
      'START.sh': 'echo x >> turns; echo "<goto>ASK</goto>"\n',
      'ASK.sh': 'echo x >> turns; echo "<ask next=\\"END\\">Well?</ask>"\n',
      'END.sh': 'echo x >> turns; echo "<result>$RAYMOND_INPUT</result>"\n',
    };
    /** What `temporal workflow reset` does: the execution begins again at its first workflow task, or at its latest. */
    const reset = async (staged: Staged, agentId: string | undefined, where: 'first' | 'last'): Promise<void> => {
      const { connection, namespace } = stage.link;
      const handle = stage.handleOf(staged, agentId);
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
      await stage.revive(await stage.end(staged.runId));
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
      await stage.revive(view);
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
      await stage.handleOf(staged).terminate('by a test');
      await writeFile(join(staged.cwd, 'go'), '');
      const error = await stage
        .handleOf(staged, 'main')
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

  test('an agent that was deleted in the middle of a turn is lost at the second look: at the first it might not have started yet', async () => {
    const staged = await stage.start({ 'START.sh': 'touch started; sleep 600\n' });
    await made(staged, 'started');
    const { client, connection, namespace } = stage.link;
    const view = await viewRun(client, staged.runId);
    const workflowExecution = { workflowId: agentWorkflowId(staged.runId, 'main') };
    await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    const isGone = async (): Promise<boolean> =>
      await stage
        .handleOf(staged, 'main')
        .describe()
        .then(
          () => false,
          () => true,
        );
    await until(isGone, { what: 'the deletion' });
    const missing = new MissingAgents();
    const look = (): Promise<readonly string[]> => (missing.lookAgain(), endedOutside(client, view, missing));
    expect([await look(), await look()]).toEqual([[], ['main']]);
    const { taskQueue } = view;
    await endStrays(client, { taskQueue, runs: [view], missing });
    expect(statuses(await stage.end(staged.runId))).toEqual({ main: 'lost' });
  });

  test('an agent that was lost continues with the run when that is resumed, after its last recorded turn', async () => {
    const staged = await stage.start(
      {
        'START.sh': 'echo "<fork next=\\"END\\">SLOW</fork>"\n',
        'END.sh': 'echo "<result>main is done</result>"\n',
        'SLOW.sh': 'echo x >> slow; echo "<goto input=\\"kept\\">REST</goto>"\n',
        'REST.sh': waits('<result>slow is done, $RAYMOND_INPUT</result>').replaceAll("'", '"'),
      },
      { probeSeconds: 1 },
    );
    await made(staged, 'started');
    await stage.handleOf(staged, 'main_slow1').terminate('by a test');
    const view = await staged.ended;
    expect(statuses(view)).toEqual({ main: 'completed', main_slow1: 'lost' });
    await writeFile(join(staged.cwd, 'go'), '');
    await stage.revive(view);
    const resumed = await stage.end(staged.runId);
    expect(statuses(resumed)).toEqual({ main: 'completed', main_slow1: 'completed' });
    expect(resumed.agents[1]).toMatchObject({ result: 'slow is done, kept' });
    expect(await readFile(join(staged.cwd, 'slow'), 'utf8')).toBe('x\n');
  });

  test('an agent that is lost after a resumption, before it said a word, is noticed as well', async () => {
    const staged = await stage.start(
      { 'START.sh': '[ -f again ] || { touch again; exit 1; }\ntouch started; sleep 600\n' },
      { probeSeconds: 1 },
    );
    const failed = await staged.ended;
    expect(statuses(failed)).toEqual({ main: 'failed' });
    await stage.revive(failed);
    await made(staged, 'started');
    await stage.handleOf(staged, 'main').terminate('by a test');
    expect(statuses(await stage.end(staged.runId))).toEqual({ main: 'lost' });
  });

  test('an agent that is lost is noticed while others keep the run busy', async () => {
    const staged = await stage.start(
      {
        'START.sh': 'echo "<fork next=\\"LOOP\\">SLOW</fork>"\n',
        'LOOP.sh': '[ -f stop ] && echo "<result>stopped</result>" || echo "<fork next=\\"LOOP\\">QUICK</fork>"\n',
        'QUICK.sh': 'sleep 0.2; echo "<result>quick</result>"\n',
        'SLOW.sh': 'touch started; sleep 600\n',
      },
      { probeSeconds: 1 },
    );
    await made(staged, 'started');
    await stage.handleOf(staged, 'main_slow1').terminate('by a test');
    const busy = await until(async () => {
      const view = await viewRun(stage.link.client, staged.runId);
      return statuses(view)['main_slow1'] === 'lost' ? view : undefined;
    });
    expect(statuses(busy)['main']).toBe('running');
    await writeFile(join(staged.cwd, 'stop'), '');
    expect(await staged.ended).toMatchObject({ status: 'failed', result: 'stopped' });
  });

  test('an agent that is only silent is not lost', async () => {
    const view = await stage.run({ 'START.sh': 'sleep 3.5; echo "<result>here I am</result>"\n' }, { probeSeconds: 1 });
    expect(view).toMatchObject({ status: 'completed', result: 'here I am' });
  });
});
