// Stopping a run while its agents are in the middle of something: every agent is reported, also one that is only just coming to be.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import type { AgentState } from '../../src/protocol/machine/agent.js';
import { viewRun, type RunView } from '../../dist/client/look/runs.js';
import { Stage, type StageOptions } from '../support/stage.js';
import { until } from '../support/until.js';
import { revived } from './waiting.js';

/** A bash script that waits for the file `go` and then ends with this tag. */
const waits = (tag: string): string => `touch started; until [ -f go ]; do sleep 0.02; done\necho '${tag}'\n`;

describe('stopping a run', () => {
  const stage = new Stage();

  /** Cancels a run whose first script ends after its agent has heard of it, but before the script has (the next heartbeat). */
  async function cancelledMeanwhile(
    states: Readonly<Record<string, string>>,
    options?: StageOptions,
  ): Promise<RunView> {
    const staged = await stage.start(states, options);
    await until(() => readdir(staged.cwd).then((names) => names.includes('started')), { everyMs: 5 });
    await stage.link.client.workflow.getHandle(staged.runId).cancel();
    const main = stage.link.client.workflow.getHandle(agentWorkflowId(staged.runId, 'main'));
    await until(
      async () => {
        const { events } = await main.fetchHistory();
        return events?.some(({ workflowExecutionCancelRequestedEventAttributes: told }) => told);
      },
      { what: 'the cancel', everyMs: 5 },
    );
    await writeFile(join(staged.cwd, 'go'), '');
    return await staged.ended;
  }

  const ENDS = { 'WORK.sh': 'echo "<result>x</result>"\n', 'END.sh': 'echo "<result>end</result>"\n' };

  /** True when the turn had ended before it heard of the cancel. */
  async function hasPending({ runId }: RunView): Promise<boolean> {
    const { hold } = await stage.link.client.workflow.getHandle(`${runId}/main`).query<AgentState>('record');
    return hold?.kind === 'pending';
  }

  /** The heartbeat may be faster on a busy machine: then the case is made again. */
  async function made(what: () => Promise<RunView>, happened: (view: RunView) => Promise<boolean>): Promise<RunView> {
    for (let tries = 1; ; tries += 1) {
      const view = await what();
      if ((await happened(view)) || tries === 5) return view;
    }
  }

  test('a fork whose turn ends during the cancel starts its agents when the run is resumed', async () => {
    const view = await made(
      () => cancelledMeanwhile({ 'START.sh': waits('<fork>WORK</fork><fork>WORK</fork><goto>END</goto>'), ...ENDS }),
      hasPending,
    );
    expect(view.agents).toEqual([expect.objectContaining({ id: 'main', status: 'cancelled', state: 'START.sh' })]);
    const again = await revived(stage, view);
    expect(again.status).toBe('completed');
    expect(again.agents.map(({ id, status }) => [id, status])).toEqual([
      ['main', 'completed'],
      ['main_work1', 'completed'],
      ['main_work2', 'completed'],
    ]);
  });

  test('a cancel is not lost when the agent is about to continue as new', async () => {
    const view = await made(
      () => cancelledMeanwhile({ 'START.sh': waits('<goto>END</goto>'), ...ENDS }, { turnsPerHistory: 1 }),
      hasPending,
    );
    expect(view.status).toBe('cancelled');
    expect(view.agents).toEqual([expect.objectContaining({ id: 'main', status: 'cancelled', state: 'START.sh' })]);
  });

  test('an agent whose name another start would have taken stays in the books, and the run waits for it', async () => {
    // The first fork of X1 and the eleventh of X have the same name: main_x11.
    const others = Array.from({ length: 9 }, () => '<fork>Q</fork>').join('');
    const staged = await stage.start({
      'START.sh': 'echo "<fork next=\\"TEN\\">X1</fork>"\n',
      'TEN.sh': `echo '${others}<fork>X</fork><goto>END</goto>'\n`,
      'X1.sh': waits('<result>X1</result>'),
      'X.sh': 'touch x; echo "<result>X</result>"\n',
      'Q.sh': 'echo "<result>Q</result>"\n',
      'END.sh': 'until [ -f x ]; do sleep 0.02; done; echo "<result>end</result>"\n',
    });
    const open = await until(async () => {
      const now = await viewRun(stage.link.client, staged.runId);
      return now.agents[0]?.status === 'completed' ? now : undefined;
    });
    expect(open.open).toBe(true);
    await writeFile(join(staged.cwd, 'go'), '');
    const view = await staged.ended;
    expect(view.status).toBe('completed');
    const results = Object.fromEntries(view.agents.map(({ id, result }) => [id, result]));
    expect(results).toMatchObject({ main: 'end', main_x11: 'X1', main_x12: 'X' });
    expect(view.agents).toHaveLength(12);
  });

  test('no stacks of promises are kept, which nobody asks for; errors have theirs', async () => {
    const staged = await stage.start({ 'START.sh': waits('<result>x</result>') });
    await until(() => readdir(staged.cwd).then((names) => names.includes('started')));
    const run = stage.link.client.workflow.getHandle(staged.runId);
    expect(await run.query('__stack_trace')).toBe('');
    await run.cancel();
    await staged.ended;
    const { runId } = await stage.run({ 'START.sh': 'exit 1\n' });
    const failed = await stage.link.client.workflow
      .getHandle(runId)
      .result()
      .catch((error: unknown) => error);
    // The function alone: a worker that ended in this process has taken the source map of the bundle with it.
    expect(((failed as Error).cause as Error).stack).toMatch(/\n +at closeWorkflow \(/);
  });
});
