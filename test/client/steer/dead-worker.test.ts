// What is done with the activities that a dead worker has left: only turns are completed for it, and everything that it had begun fails, so
// that another worker takes it at once.
import { expect, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { ClientLink } from '../../../src/client/connect.js';
import { moveAgent } from '../../../src/client/steer/control.js';
import { openWorkflows, pendingTurns, recoverActivities } from '../../../src/client/steer/dead-worker.js';
import type { RunView } from '../../../src/client/look/runs.js';

const [SCHEDULED, STARTED] = [1, 2];

type Pending = readonly [id: string, type: string, state: number];

/** A server that knows these pending activities, by workflow; `failed` and `signalled` are what it was told. */
function serverWith(pending: Readonly<Record<string, readonly Pending[]>>, closed: ReadonlySet<string> = new Set()) {
  const failed: string[] = [];
  const signalled: string[] = [];
  const activities = (id: string): readonly object[] =>
    (pending[id] ?? []).map(([activityId, name, state]) => ({ activityId, activityType: { name }, state }));
  const getHandle = (id: string) => ({
    describe: async () => {
      if (pending[id] === undefined) throw new WorkflowNotFoundError('gone', id, undefined);
      return await Promise.resolve({
        runId: 'execution',
        status: { name: closed.has(id) ? 'TERMINATED' : 'RUNNING' },
        raw: { pendingActivities: activities(id) },
      });
    },
    signal: async (name: string) => await Promise.resolve(void signalled.push(name)),
  });
  const respondActivityTaskFailedById = async (asked: { readonly workflowId: string; readonly activityId: string }) =>
    await Promise.resolve(void failed.push(`${asked.workflowId}#${asked.activityId}`));
  const connection = { workflowService: { respondActivityTaskFailedById } };
  const link = { client: { workflow: { getHandle }, connection }, namespace: 'default' } as unknown as ClientLink;
  return { link, failed, signalled };
}

const line = { state: 'A.sh', costUsd: 0 };
const view = {
  runId: 'r',
  status: 'running',
  open: true,
  agents: [
    { id: 'main', status: 'running', ...line },
    { id: 'main_a1', status: 'asking', ...line },
    { id: 'main_b1', status: 'completed', ...line },
    { id: 'main_c1', status: 'running', ...line },
  ],
} as unknown as RunView;

test('a turn is a pending activity that does a prompt or a script, and nothing else', async () => {
  const { link } = serverWith({
    'r/main': [
      ['1', 'storeRecord', STARTED],
      ['2', 'runScript', STARTED],
      ['3', 'keepChapter', STARTED],
      ['4', 'saveWorkspace', SCHEDULED],
      ['5', 'runPrompt', SCHEDULED],
    ],
  });
  const turns = await pendingTurns(link, { runId: 'r', agentId: 'main' });
  expect(turns.map(({ activityId, started }) => [activityId, started])).toEqual([
    ['2', true],
    ['5', false],
  ]);
});

test('a terminated agent has none: Temporal continues to list what it had', async () => {
  const { link } = serverWith({ 'r/main': [['2', 'runScript', STARTED]] }, new Set(['r/main']));
  expect(await pendingTurns(link, { runId: 'r', agentId: 'main' })).toEqual([]);
});

test('goto is not refused for an agent that keeps its record', async () => {
  const { link, signalled } = serverWith({ 'r/main': [['1', 'storeRecord', STARTED]] });
  const move = { kind: 'goto', target: 'B.sh', by: 'somebody' } as const;
  await moveAgent(link, { view, agentId: 'main', move });
  expect(signalled).toEqual(['move']);
});

test('what a dead worker had begun in a workflow fails at once', async () => {
  const { link, failed } = serverWith({
    r: [['7', 'gatherResults', STARTED]],
    'r/main': [
      ['3', 'storeRecord', STARTED],
      ['4', 'runScript', SCHEDULED],
    ],
  });
  for (const id of ['r', 'r/main', 'r/gone']) await recoverActivities(link, id);
  expect(failed).toEqual(['r#7', 'r/main#3']);
});

test('the open workflows of a queue are listed to the last page', async () => {
  const pages = [['r', 'r/main'], ['s']];
  const asked: unknown[] = [];
  const listWorkflowExecutions = async (request: { readonly query: string; readonly nextPageToken?: Uint8Array }) => {
    asked.push(request.query);
    const [page = 0] = request.nextPageToken ?? [];
    const executions = (pages[page] ?? []).map((workflowId) => ({ execution: { workflowId } }));
    return await Promise.resolve({ executions, nextPageToken: Buffer.from(page + 1 < pages.length ? [page + 1] : []) });
  };
  const link = { client: { connection: { workflowService: { listWorkflowExecutions } } }, namespace: 'default' };
  expect(await openWorkflows(link as unknown as ClientLink, 'mine')).toEqual(pages.flat());
  expect(asked).toEqual(Array(2).fill('ExecutionStatus = "Running" AND TaskQueue = "mine"'));
});
