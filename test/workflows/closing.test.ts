// A run that closes, or waits for its store, on a real server: an order that reaches it then is carried out, and cancel always ends it.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { explained } from '../../dist/client/explain.js';
import type { RunView } from '../../dist/client/look/runs.js';
import { sendAnswer } from '../../dist/client/steer/answer.js';
import * as control from '../../dist/client/steer/control.js';
import { forkRun } from '../../dist/client/steer/fork.js';
import { restartRun } from '../../dist/client/steer/resume.js';
import { agentWorkflowId } from '../../dist/protocol/ids.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, ends, seen } from './waiting.js';

describe('a run that is being cancelled', () => {
  const stage = new Stage();
  const handleOf = ({ runId }: Staged) => stage.link.client.workflow.getHandle(runId);

  const SLOW = 'if [ -f go ]; then echo "<result>after all</result>"; else touch started; sleep 600; fi\n';
  const started = (staged: Staged): Promise<unknown> =>
    until(async () => (await readdir(staged.cwd)).includes('started'), { what: 'the script' });

  async function wasCancelled({ runId }: Staged): Promise<boolean> {
    const { events } = await stage.link.client.workflow.getHandle(agentWorkflowId(runId, 'main')).fetchHistory();
    return events?.some(({ workflowExecutionCancelRequestedEventAttributes: told }) => told) ?? false;
  }

  test('continues, once it has stopped, with an agent that shall continue after that', async () => {
    const staged = await stage.start({ 'START.sh': SLOW });
    await started(staged);
    await writeFile(join(staged.cwd, 'go'), '');
    await handleOf(staged).cancel();
    // What reaches a run in the same moment as a cancel counts as asked for before it.
    await until(() => wasCancelled(staged), { what: 'the cancel of main', everyMs: 5 });
    await handleOf(staged).signal('revive', { agentId: 'main', by: 'ann' });
    const ended = await staged.ended;
    expect(ended).toMatchObject({ status: 'completed', result: 'after all' });
    expect((await handleOf(staged).describe()).status.name).toBe('COMPLETED');
  });

  test('is cancelled, though an agent had failed before', async () => {
    const staged = await stage.start({
      'START.sh': ends('<fork next="SLOW">BAD</fork>'),
      'BAD.sh': 'exit 1\n',
      'SLOW.sh': SLOW,
    });
    await started(staged);
    await seen(stage, staged, ({ agents }) => agents.some(({ status }) => status === 'failed'));
    await handleOf(staged).cancel();
    const ended = await staged.ended;
    expect(ended.status).toBe('cancelled');
    expect(ended.agents.map(({ status }) => status)).toEqual(['cancelled', 'failed']);
    expect((await handleOf(staged).describe()).status.name).toBe('CANCELLED');
  });
});

describe('of several orders at the same moment', () => {
  const stage = new Stage();
  const client = (): typeof stage.link.client => stage.link.client;
  /** The kinds of error of orders; `done` for the ones that were carried out. */
  const outcomes = async (orders: readonly Promise<unknown>[]): Promise<readonly string[]> =>
    await Promise.all(
      orders.map((order) =>
        order.then(
          () => 'done',
          async (error: unknown) => {
            const { code, message } = await explained(error, {});
            expect(message).not.toContain('\n');
            return code;
          },
        ),
      ),
    );

  const ORDERS: Readonly<Record<string, (view: RunView) => Promise<unknown>>> = {
    pause: (view) => control.pauseRun(client(), { view, by: 'ann' }),
    resume: (view) => control.resumeOpenRun(client(), view),
    retry: (view) => control.retryAgent(client(), { view, agentId: 'main', by: 'ann' }),
    goto: (view) =>
      control.moveAgent(stage.link, {
        view,
        agentId: 'main',
        move: { kind: 'goto', target: 'END.sh', by: 'ann', now: true },
      }),
    tell: (view) => control.tellAgent(client(), { view, agentId: 'main', note: { text: 'x', by: 'ann' } }),
    budget: ({ runId }) => control.changeBudget(client(), { runId, usd: 5 }),
    cancel: ({ runId }) => control.cancelRun(client(), runId),
    'cancel --agent': (view) => control.cancelAgent(client(), { view, agentId: 'main' }),
  };

  test('those that reach a run only after its end say so, each in one line', async () => {
    const staged = await stage.start({
      'START.sh': ends('<ask next="END">Go on?</ask>'),
      'END.sh': ends('<result>end</result>'),
    });
    const asking = await seen(stage, staged, ({ status }) => status === 'asking');
    const agents = asking.agents.map((line) => ({ ...line, status: 'paused' as const }));
    const answer = { askId: 'ask_main_1', text: 'yes', files: [] };
    await sendAnswer(client(), { runId: staged.runId, agentId: 'main', answer });
    expect(await staged.ended).toMatchObject({ status: 'completed' });
    const said = await outcomes(Object.values(ORDERS).map((order) => order({ ...asking, agents })));
    const names = Object.keys(ORDERS);
    const lost = ['retry', 'goto', 'tell'];
    // Temporal takes the cancel of a workflow that has ended, and nothing follows from it.
    const known: Readonly<Record<string, string>> = { 'cancel --agent': 'done' };
    expect(Object.fromEntries(said.map((code, at) => [names[at], code]))).toEqual(
      Object.fromEntries(
        names.map((name) => [name, known[name] ?? (lost.includes(name) ? 'NoSuchAgent' : 'RunClosed')]),
      ),
    );
  });

  test('to continue a failed run, and to fork a turn under one name, one takes effect', async () => {
    const staged = await stage.start({ 'START.sh': ends('<result>late</result>', '[ -f go ] || exit 1') });
    const failed = await staged.ended;
    await writeFile(join(staged.cwd, 'go'), '');
    const request = { view: failed, artifacts: artifactsOf(stage), taskQueue: stage.taskQueue };
    const only = { agentId: 'main', by: 'ann' };
    const again = await outcomes([
      restartRun(client(), request),
      restartRun(client(), { ...request, only }),
      restartRun(client(), { ...request, budget: { usd: 5 } }),
    ]);
    expect([...again].sort()).toEqual(['RunOpen', 'RunOpen', 'done']);
    const ended = await stage.end(staged.runId);
    expect(ended).toMatchObject({ status: 'completed' });
    const fork = {
      from: { runId: staged.runId, agentId: 'main' },
      turn: 1,
      how: 'again',
      runId: `${staged.runId}-fork`,
      taskQueue: stage.taskQueue,
      artifacts: artifactsOf(stage),
    } as const;
    const forks = await outcomes([forkRun(client(), fork), forkRun(client(), fork)]);
    expect([...forks].sort()).toEqual(['RunExists', 'done']);
    expect(await stage.end(fork.runId)).toMatchObject({ status: 'completed' });
  });
});
