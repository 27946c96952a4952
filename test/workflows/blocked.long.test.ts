// A mistake in our workflow code on a real server: the workflow waits for a worker with the fix, loses nothing, and says why it waits. The worker
// with the mistake runs the shipped bundle with one line more.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { liveAgents } from '../../dist/client/look/agents.js';
import { blockedRuns } from '../../dist/client/look/blocked.js';
import { listRuns, viewRun } from '../../dist/client/look/runs.js';
import { pendingTurns } from '../../dist/client/steer/dead-worker.js';
import type { Raymond } from '../../dist/client/open.js';
import { byNode } from '../support/by-node.js';
import { Stage, type Staged, type StageOptions } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends } from './waiting.js';

const { Worker } = await byNode('@temporalio/worker');

const BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

/** The bundle with a mistake at the beginning of a function. */
async function bundleWith(begin: string, mistake: string): Promise<string> {
  const code = await readFile(BUNDLE, 'utf8');
  const [before, after, ...more] = code.split(begin);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`not once in the bundle: ${begin}`);
  return `${before}${begin} ${mistake};${after}`;
}

/** A script that waits for the file `go` and then ends with this tag. */
const waits = (tag: string): string => ends(tag, 'echo x >> seen; touch started; until [ -f go ]; do sleep 0.05; done');

describe('a mistake of Raymond', () => {
  const stage = new Stage();
  const raymond = (): Raymond => ({ link: stage.link, artifacts: artifactsOf(stage) }) as unknown as Raymond;
  const STATES = { 'START.sh': waits('<goto>END</goto>'), 'END.sh': 'echo "<result>kept</result>"\n' };

  /** A run whose first turn is in progress. */
  const begun = async (options: StageOptions = {}): Promise<Staged> => {
    const staged = await stage.start(STATES, options);
    const made = async (): Promise<boolean> => (await readdir(staged.cwd)).includes('started');
    await until(made, { what: 'the first turn' });
    return staged;
  };
  /** Lets the worker go, and reports the turn that it was at. */
  const reportedWithoutWorker = async ({ runId }: Staged, more: object = {}): Promise<void> => {
    const turn = (await pendingTurns(stage.link, { runId, agentId: 'main' })).find(({ started }) => started);
    if (turn === undefined) throw new Error('no turn is in progress');
    const { workflowId, workflowRunId, activityId } = turn;
    const outcome = { kind: 'transition', transition: { kind: 'goto', target: 'END.sh' } };
    const report = { outcome, costUsd: 0, durationMs: 1, ...more };
    const drained = stage.worker?.drain();
    await stage.link.client.activity.complete({ workflowId, runId: workflowRunId, activityId }, report);
    await drained;
  };
  /** Lets a worker interpret the run with this mistake until the workflow is blocked. */
  const blockedBy = async (
    { runId }: Staged,
    { workflowId = runId, code }: { readonly workflowId?: string; readonly code: string },
  ): Promise<void> => {
    const { connection, namespace, dataConverter, client } = stage.link;
    const { taskQueue } = await viewRun(client, runId);
    const worker = await Worker.create({ connection, namespace, dataConverter, taskQueue, workflowBundle: { code } });
    await worker.runUntil(
      until(
        async () =>
          Number((await client.workflow.getHandle(workflowId).describe()).raw.pendingWorkflowTask?.attempt) > 1,
      ),
    );
  };

  test('blocks its agent until a worker with the fix comes; without any worker everybody sees why', async () => {
    const code = await bundleWith('function recordTurn(agent, { report, pending }) {', "throw new TypeError('a slip')");
    const slipped = async (): Promise<Staged> => {
      const staged = await begun();
      await reportedWithoutWorker(staged);
      await blockedBy(staged, { workflowId: `${staged.runId}/main`, code });
      const view = await viewRun(stage.link.client, staged.runId);
      if ((await liveAgents(raymond(), view)).get('main')?.blocked !== undefined) return staged;
      // The worker that was leaving had begun the task: Temporal has recorded that it timed out, and no later failure.
      await stage.work();
      await staged.ended;
      return await slipped();
    };
    const staged = await slipped();
    const view = await viewRun(stage.link.client, staged.runId);
    expect(view).toMatchObject({ status: 'running', open: true, agents: [{ id: 'main', status: 'running' }] });
    expect(view.blocked).toBeUndefined();
    expect((await liveAgents(raymond(), view)).get('main')?.blocked).toBe('a slip');
    const listed = (await listRuns(stage.link.client, { openOnly: true })).filter(
      ({ runId }) => runId === staged.runId,
    );
    expect([...(await blockedRuns(stage.link.client, listed))]).toEqual([[staged.runId, 'main: a slip']]);
    await stage.work();
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'kept' });
    expect(await readFile(join(staged.cwd, 'seen'), 'utf8')).toBe('x\n');
  });

  test('blocks its agent, too, when its worker has done another turn than comes next; a run whose agent is deleted closes', async () => {
    const staged = await begun({ probeSeconds: 1 });
    const report = { outcome: { kind: 'transition', transition: { kind: 'result', payload: 'odd' } }, costUsd: 0 };
    const odd = { state: 'ODD.sh', turn: 2, afterMs: 1, end: { kind: 'report', report } };
    await reportedWithoutWorker(staged, { chain: [odd] });
    await stage.work();
    const why = 'main, END.sh: turn 2 is next, but the worker did ODD.sh as 2';
    const blocked = async (): Promise<boolean> => {
      const view = await viewRun(stage.link.client, staged.runId);
      return view.agents[0]?.status === 'running' && (await liveAgents(raymond(), view)).get('main')?.blocked === why;
    };
    await until(blocked, { what: 'the blocked agent' });
    const { client, connection, namespace } = stage.link;
    const { workflowId, runId } = await client.workflow.getHandle(`${staged.runId}/main`).describe();
    // With this report in its history no version of Raymond can replay it.
    await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } });
    expect(await staged.ended).toMatchObject({ status: 'failed', agents: [{ id: 'main', status: 'lost' }] });
  });

  test('blocks its run in the same way', async () => {
    const staged = await begun();
    await stage.worker?.drain();
    const code = await bundleWith('function statusOf(ledger, stopping) {', "throw new TypeError('another slip')");
    await stage.link.client.workflow.getHandle(staged.runId).signal('budget', { usd: 5 });
    await blockedBy(staged, { code });
    const view = await viewRun(stage.link.client, staged.runId);
    expect(view).toMatchObject({ status: 'running', open: true, blocked: 'another slip' });
    expect((await liveAgents(raymond(), view)).get('main')?.blocked).toBeUndefined();
    expect([...(await blockedRuns(stage.link.client, [view]))]).toEqual([[staged.runId, 'another slip']]);
    await writeFile(join(staged.cwd, 'go'), '');
    await stage.work();
    expect(await staged.ended).toMatchObject({ status: 'completed', result: 'kept', budgetUsd: 5 });
    expect((await viewRun(stage.link.client, staged.runId)).blocked).toBeUndefined();
  });
});
