// Invariant I6 on a real server: a run is open exactly as long as one of its agents is alive, whatever is terminated from outside.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { endedOutside, endStrays, viewWithoutEnded } from '../../dist/client/steer/ended-outside.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { processesWith } from '../support/cli.js';
import { until } from '../support/until.js';
import { LostStage, made, statuses, waits } from './lost-stage.js';

describe('what is terminated from outside', () => {
  const stage = new LostStage();

  test('a run notices that an agent was terminated, ends failed, and nothing of the agent is left', async () => {
    const staged = await stage.start(
      {
        'START.sh': 'echo "<fork next=\\"END\\">SLOW</fork>"\n',
        'END.sh': 'echo "<result>main is done</result>"\n',
        'SLOW.sh': 'touch started; sleep 600\n',
      },
      { probeSeconds: 1 },
    );
    await made(staged, 'started');
    await stage.handleOf(staged, 'main_slow1').terminate('by a test');
    const view = await staged.ended;
    expect(view).toMatchObject({ status: 'failed', result: 'main is done', open: false });
    expect(statuses(view)).toEqual({ main: 'completed', main_slow1: 'lost' });
    await expect(stage.handleOf(staged).result()).rejects.toMatchObject({
      cause: { type: 'RunFailed', message: 'main_slow1: lost: its Temporal workflow no longer exists' },
    });
    const marker = `RAYMOND_TURN_ID=${staged.runId}/main_slow1/1`;
    await until(async () => (await processesWith(marker)).length === 0, { what: 'the end of the script' });
  });

  test('an agent whose end its run has yet to read is not lost', async () => {
    const staged = await stage.start({ 'START.sh': 'echo "<result>done</result>"\n' });
    const view = await staged.ended;
    const before = {
      ...view,
      open: true,
      agents: view.agents.map((line) => ({ ...line, status: 'running' as const })),
    };
    expect(await endedOutside(stage.link.client, before)).toEqual([]);
  });

  test('a parked agent that was terminated is not shown as asking, and its run notices as soon as a user looks', async () => {
    const staged = await stage.start({
      'START.sh': 'echo "<ask next=\\"END\\">Well?</ask>"\n',
      'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    });
    const view = (): Promise<RunView> => viewRun(stage.link.client, staged.runId);
    await until(async () => statuses(await view())['main'] === 'asking', { what: 'the question' });
    expect(await endedOutside(stage.link.client, await view())).toEqual([]);
    await stage.handleOf(staged, 'main').terminate('by a test');
    const seen = await viewWithoutEnded(stage.link.client, await view());
    expect(seen.agents).toEqual([expect.not.objectContaining({ ask: expect.anything() })]);
    expect(statuses(seen)).toEqual({ main: 'lost' });
    expect(statuses(await stage.end(staged.runId))).toEqual({ main: 'lost' });
  });

  test('a run whose agent was deleted ends nevertheless, and keeps of it what there is', async () => {
    const staged = await stage.start({ 'START.sh': 'echo "<ask next=\\"START\\">Well?</ask>"\n' });
    const view = (): Promise<RunView> => viewRun(stage.link.client, staged.runId);
    await until(async () => statuses(await view())['main'] === 'asking', { what: 'the question' });
    const { connection, namespace } = stage.link;
    const workflowExecution = { workflowId: agentWorkflowId(staged.runId, 'main') };
    await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    const isLost = async (): Promise<boolean> =>
      statuses(await viewWithoutEnded(stage.link.client, await view()))['main'] === 'lost';
    await until(isLost, { what: 'the loss' });
    expect(statuses(await stage.end(staged.runId))).toEqual({ main: 'lost' });
  });

  test('an agent whose run was terminated is ended, and nothing of its turn is left', async () => {
    const staged = await stage.start({ 'START.sh': 'touch started; sleep 600\n' });
    await made(staged, 'started');
    const { client } = stage.link;
    const { taskQueue } = await viewRun(client, staged.runId);
    const strays = (runs: readonly RunView[]): Promise<void> => endStrays(client, { taskQueue, runs });
    await strays([await viewRun(client, staged.runId)]);
    expect((await stage.handleOf(staged, 'main').describe()).status.name).toBe('RUNNING');
    await stage.handleOf(staged).terminate('by a test');
    await strays([]);
    expect((await stage.handleOf(staged, 'main').describe()).status.name).toBe('TERMINATED');
    const marker = `RAYMOND_TURN_ID=${staged.runId}/main/1`;
    await until(async () => (await processesWith(marker)).length === 0, { what: 'the end of the script' });
  });

  test('a run that was terminated continues when it is resumed, with agents that are open and agents that are not', async () => {
    const staged = await stage.start({
      'START.sh': 'echo "<fork next=\\"ASK\\">SLOW</fork>"\n',
      'ASK.sh': 'echo main >> seen; echo "<await next=\\"SUM\\">"\n',
      'SUM.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'SLOW.sh': waits('<result>slow</result>'),
    });
    await made(staged, 'started');
    const waiting = async (): Promise<boolean> =>
      statuses(await viewRun(stage.link.client, staged.runId))['main'] === 'awaiting';
    await until(waiting, { what: 'main to wait' });
    await stage.handleOf(staged).terminate('by a test');
    await expect(staged.ended).resolves.toMatchObject({ status: 'failed' });
    expect(statuses(await viewRun(stage.link.client, staged.runId))).toEqual({ main: 'lost', main_slow1: 'lost' });
    await stage.revive(await viewRun(stage.link.client, staged.runId));
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await stage.end(staged.runId);
    expect(view.status).toBe('completed');
    expect(JSON.parse(view.result as string)).toMatchObject([
      { id: 'main_slow1', status: 'completed', result: 'slow' },
    ]);
    expect(await readFile(join(staged.cwd, 'seen'), 'utf8')).toBe('main\n');
  });
});
