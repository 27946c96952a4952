// Invariant I1 on a real server: wherever an agent is torn off, by itself or with its run, it continues after the turns that were over.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import proto from '@temporalio/proto';
import { pendingTurns } from '../../dist/client/steer/dead-worker.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { launchRun } from '../../dist/client/start/start.js';
import { FolderStore } from '../../dist/store/folder.js';
import type { AgentState } from '../../dist/protocol/machine/agent.js';
import type { LedgerSnapshot, RunInput } from '../../dist/contract/runs.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { processesWith } from '../support/cli.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith, statesOf } from '../support/fakes.js';
import { folder } from '../support/folder.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { ends, revived } from './waiting.js';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** A bash script that waits for the file `go` and then ends with this tag. */
const waits = (tag: string): string => ends(tag, 'touch started; until [ -f ${GO-go} ]; do sleep 0.05; done');

const made = ({ cwd }: Staged, name: string): Promise<unknown> =>
  until(() => readdir(cwd).then((names) => names.includes(name)), { what: `the file ${name}` });

describe('a turn that was over is not done again by a resumption', () => {
  let fake: FakeClaude;
  const stage = new Stage({
    env: async () => {
      fake = await fakeWith();
      return { ...fake.env };
    },
  });
  const handleOf = ({ runId }: Staged, agentId?: string) =>
    stage.link.client.workflow.getHandle(agentId === undefined ? runId : agentWorkflowId(runId, agentId));
  const statuses = ({ agents }: RunView): Readonly<Record<string, string>> =>
    Object.fromEntries(agents.map(({ id, status }) => [id, status]));
  /** Terminates the run while its first turn is under way, and resumes it as soon as that has ended the agent. */
  const resumedAfter = async (staged: Staged): Promise<RunView> => {
    await handleOf(staged).terminate('by a test');
    await staged.ended;
    await writeFile(join(staged.cwd, 'go'), '');
    await handleOf(staged, 'main')
      .result()
      .catch(() => undefined); // whether it failed or completed
    return await revived(stage, await viewRun(stage.link.client, staged.runId));
  };
  const linesOf = async ({ cwd }: Staged, name: string): Promise<number> =>
    (await readFile(join(cwd, name), 'utf8')).split('\n').length - 1;

  test('when it asked for a result', async () => {
    const staged = await stage.start({ 'START.sh': `echo x >> seen\n${waits('<result>kept</result>')}` });
    await made(staged, 'started');
    expect(await resumedAfter(staged)).toMatchObject({ status: 'completed', result: 'kept' });
    expect(await linesOf(staged, 'seen')).toBe(1);
  });

  test('when it asked for agents: each is started once', async () => {
    const staged = await stage.start({
      'START.sh': `echo x >> seen\n${waits('<fork>WORKER</fork><fork>WORKER</fork><goto>END</goto>')}`,
      'WORKER.sh': 'echo x >> worked; echo "<result>worked</result>"\n',
      'END.sh': ends('<await next="SUM">'),
      'SUM.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    });
    await made(staged, 'started');
    const view = await resumedAfter(staged);
    expect(statuses(view)).toEqual({ main: 'completed', main_worker1: 'completed', main_worker2: 'completed' });
    expect(await linesOf(staged, 'seen')).toBe(1);
    expect(await linesOf(staged, 'worked')).toBe(2);
  });

  test('when it was a prompt, whose report nobody took', async () => {
    const go = join(await folder(), 'go');
    await fake.setRules([{ text: '<goto input="kept">END</goto>', waitFor: go }]);
    const staged = await stage.start({
      'START.md': 'Begin.\n',
      'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
    });
    await until(async () => (await fake.calls()).length > 0, { what: 'the call' });
    const resumed = resumedAfter(staged);
    await writeFile(go, '');
    expect(await resumed).toMatchObject({ status: 'completed', result: 'kept', costUsd: 0.01 });
    expect(statesOf(await fake.calls())).toEqual(['START.md']);
  });

  test('when its agent was terminated before it heard of the end', async () => {
    const staged = await stage.start(
      {
        'START.sh': 'echo x >> seen; touch started; sleep 600\n',
        'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      },
      { probeSeconds: 1 },
    );
    await made(staged, 'started');
    const turn = (await pendingTurns(stage.link, { runId: staged.runId, agentId: 'main' })).find(
      ({ started }) => started,
    );
    if (turn === undefined) throw new Error('no turn is under way');
    const { workflowId, workflowRunId: runId, activityId } = turn;
    const transition = { kind: 'goto', target: 'END.sh', input: 'kept' };
    const report = { outcome: { kind: 'transition', transition }, costUsd: 0, durationMs: 1, stateSha256: '' };
    const drained = stage.worker?.drain();
    await stage.link.client.activity.complete({ workflowId, runId, activityId }, report);
    await drained;
    await handleOf(staged, 'main').terminate('by a test');
    await stage.work();
    const view = await staged.ended;
    expect(statuses(view)).toEqual({ main: 'lost' });
    expect(await revived(stage, view)).toMatchObject({ status: 'completed', result: 'kept' });
    expect(await linesOf(staged, 'seen')).toBe(1);
  });

  test('when it had started some of its agents: those are not started again', async () => {
    const staged = await stage.start({
      'START.sh': 'echo "<fork next=\\"END\\">WORKER</fork>"\n',
      'WORKER.sh': `echo x >> worked\n${waits('<result>worked</result>')}`,
      'END.sh': 'echo "<result>main</result>"\n',
    });
    await made(staged, 'started');
    await until(async () => statuses(await viewRun(stage.link.client, staged.runId))['main'] === 'completed');
    const { input, ledger } = await handleOf(staged).query<{ input: RunInput; ledger: LedgerSnapshot }>('ledger');
    await handleOf(staged).terminate('by a test');
    await staged.ended;
    const worker = { target: 'WORKER.sh', attributes: {} };
    const transition = {
      kind: 'fork',
      forks: [worker, { ...worker, attributes: { GO: 'later' } }],
      next: 'END.sh',
    } as const;
    const agent: AgentState = { ...input.main, turn: 1, hold: { kind: 'pending', transition } };
    const artifacts = new FolderStore(join(stage.raymondDir, 'artifacts'));
    const record = await artifacts.put(Buffer.from(JSON.stringify({ agent })));
    const main = { id: 'main', state: 'START.sh', costUsd: 0, status: { kind: 'cancelled', record } } as const;
    const second = { id: 'main_worker2', parent: 'main', number: 2, state: 'WORKER.sh', costUsd: 0 };
    const lost = { ...second, status: { kind: 'lost' } } as const;
    const others = ledger.agents.filter(({ id }) => id !== 'main');
    const torn = { ...ledger, agents: [main, ...others, lost] };
    const { taskQueue } = await viewRun(stage.link.client, staged.runId);
    const resumed = { ...input, ledger: torn, restart: true };
    await launchRun(stage.link.client, {
      input: resumed,
      ledger: torn,
      taskQueue,
      reuse: 'ALLOW_DUPLICATE_FAILED_ONLY',
    });
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await handleOf(staged, 'main_worker1').result()).toBe('worked');
    await writeFile(join(staged.cwd, 'later'), '');
    // The first one may have ended before the resumption archived what had ended: then it is listed no longer.
    expect(statuses(await stage.end(staged.runId))).toMatchObject({ main: 'completed', main_worker2: 'completed' });
    expect(await linesOf(staged, 'worked')).toBe(2);
  });
});

describe('a turn that continues while the server gives it to its next attempt', () => {
  let fake: FakeClaude;
  const stage = new Stage({
    env: async () => {
      fake = await fakeWith();
      return { ...fake.env };
    },
  });
  /** What the server does when it has heard nothing of a turn for too long, as after a sleep; resolves when the next attempt is here. */
  const givenOn = async ({ runId }: Staged): Promise<void> => {
    const turn = (await pendingTurns(stage.link, { runId, agentId: 'main' })).find(({ started }) => started);
    if (turn === undefined) throw new Error('no turn is under way');
    const { workflowId, activityId } = turn;
    const failure = { message: 'silent', applicationFailureInfo: { type: 'WorkerLost', nonRetryable: false } };
    const { client, namespace } = stage.link;
    const request = { namespace, workflowId, activityId, failure, identity: 'a test' };
    await client.connection.workflowService.respondActivityTaskFailedById(request);
    const next = async (): Promise<boolean> => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      const [pending] = raw.pendingActivities ?? [];
      return pending?.attempt === 2 && pending.state === PENDING_ACTIVITY_STATE_STARTED;
    };
    await until(next, { what: 'the next attempt' });
  };

  test('is not started again when it is a script', async () => {
    const staged = await stage.start({ 'START.sh': `echo x >> seen\n${waits('<result>kept</result>')}` });
    await made(staged, 'started');
    await givenOn(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'kept' });
    expect(await readFile(join(staged.cwd, 'seen'), 'utf8')).toBe('x\n');
  });

  test('is paid once when it is a prompt', async () => {
    const go = join(await folder(), 'go');
    await fake.setRules([{ text: '<result>kept</result>', waitFor: go }]);
    const staged = await stage.start({ 'START.md': 'Begin.\n' });
    await until(async () => (await fake.calls()).length > 0, { what: 'the call' });
    await givenOn(staged);
    await writeFile(go, '');
    const ended = await staged.ended;
    expect(statesOf(await fake.calls())).toEqual(['START.md']);
    expect(ended).toMatchObject({ status: 'completed', result: 'kept', costUsd: 0.01 });
  });

  test('is ended when its agent is cancelled after that', async () => {
    const staged = await stage.start({ 'START.sh': 'touch started; sleep 600\n' });
    await made(staged, 'started');
    await givenOn(staged);
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    expect(await staged.ended).toMatchObject({ status: 'cancelled' });
    const marker = `RAYMOND_TURN_ID=${staged.runId}/main/1`;
    await until(async () => (await processesWith(marker)).length === 0, { what: 'the end of the script' });
  });
});
