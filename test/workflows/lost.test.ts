// Invariant I6 on a real server: a run is open exactly as long as one of its agents is alive, whatever is terminated from outside.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FolderStore } from '../../dist/store/folder.js';
import { endedOutside, endStrays, MissingAgents, viewWithoutEnded } from '../../dist/client/steer/ended-outside.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { processesWith } from '../support/cli.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';

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
    await handleOf(staged, 'main_slow1').terminate('by a test');
    const view = await staged.ended;
    expect(view).toMatchObject({ status: 'failed', result: 'main is done', open: false });
    expect(statuses(view)).toEqual({ main: 'completed', main_slow1: 'lost' });
    await expect(handleOf(staged).result()).rejects.toMatchObject({
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
    await handleOf(staged, 'main').terminate('by a test');
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

  test('an agent that was deleted in the middle of a turn is lost at the second look: at the first it might not have started yet', async () => {
    const staged = await stage.start({ 'START.sh': 'touch started; sleep 600\n' });
    await made(staged, 'started');
    const { client, connection, namespace } = stage.link;
    const view = await viewRun(client, staged.runId);
    const workflowExecution = { workflowId: agentWorkflowId(staged.runId, 'main') };
    await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    const isGone = async (): Promise<boolean> =>
      await handleOf(staged, 'main')
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

  test('an agent whose run was terminated is ended, and nothing of its turn is left', async () => {
    const staged = await stage.start({ 'START.sh': 'touch started; sleep 600\n' });
    await made(staged, 'started');
    const { client } = stage.link;
    const { taskQueue } = await viewRun(client, staged.runId);
    const strays = (runs: readonly RunView[]): Promise<void> => endStrays(client, { taskQueue, runs });
    await strays([await viewRun(client, staged.runId)]);
    expect((await handleOf(staged, 'main').describe()).status.name).toBe('RUNNING');
    await handleOf(staged).terminate('by a test');
    await strays([]);
    expect((await handleOf(staged, 'main').describe()).status.name).toBe('TERMINATED');
    const marker = `RAYMOND_TURN_ID=${staged.runId}/main/1`;
    await until(async () => (await processesWith(marker)).length === 0, { what: 'the end of the script' });
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
    await handleOf(staged, 'main_slow1').terminate('by a test');
    const view = await staged.ended;
    expect(statuses(view)).toEqual({ main: 'completed', main_slow1: 'lost' });
    await writeFile(join(staged.cwd, 'go'), '');
    const artifacts = new FolderStore(join(stage.raymondDir, 'artifacts'));
    await restartRun(stage.link.client, { view, artifacts, taskQueue: view.taskQueue });
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
    await revive(failed);
    await made(staged, 'started');
    await handleOf(staged, 'main').terminate('by a test');
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
    await handleOf(staged, 'main_slow1').terminate('by a test');
    const busy = await until(async () => {
      const view = await viewRun(stage.link.client, staged.runId);
      return statuses(view)['main_slow1'] === 'lost' ? view : undefined;
    });
    expect(statuses(busy)['main']).toBe('running');
    await writeFile(join(staged.cwd, 'stop'), '');
    expect(await staged.ended).toMatchObject({ status: 'failed', result: 'stopped' });
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
    await handleOf(staged).terminate('by a test');
    await expect(staged.ended).resolves.toMatchObject({ status: 'failed' });
    expect(statuses(await viewRun(stage.link.client, staged.runId))).toEqual({ main: 'lost', main_slow1: 'lost' });
    await revive(await viewRun(stage.link.client, staged.runId));
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await stage.end(staged.runId);
    expect(view.status).toBe('completed');
    expect(JSON.parse(view.result as string)).toMatchObject([
      { id: 'main_slow1', status: 'completed', result: 'slow' },
    ]);
    expect(await readFile(join(staged.cwd, 'seen'), 'utf8')).toBe('main\n');
  });

  test('an agent that is only silent is not lost', async () => {
    const view = await stage.run({ 'START.sh': 'sleep 3.5; echo "<result>here I am</result>"\n' }, { probeSeconds: 1 });
    expect(view).toMatchObject({ status: 'completed', result: 'here I am' });
  });
});
