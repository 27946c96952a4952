// Budgets on a real server with a fake Claude: agents that race for the last cents, runs that go over, and how they continue.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { changeBudget } from '../../dist/client/steer/control.js';
import { viewRun } from '../../dist/client/look/runs.js';
import { NO_ENGINE, type Raymond } from '../../dist/client/open.js';
import { changeBudget as raiseBudget } from '../../dist/client/steering.js';
import { eventsOf } from '../../dist/history/events.js';
import { flagOf, type FakeCall, type FakeClaude } from '../support/fake-claude.js';
import { fakeWith, statesOf } from '../support/fakes.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';
import { artifactsOf, revived } from './waiting.js';

/** Six agents that each ask Claude once more after a first turn that everybody knows the price of. */
const RACE = {
  'START.md': 'Begin.\n',
  'FORK.sh': `echo '${'<fork>TURN</fork>'.repeat(6)}<goto>END</goto>'\n`,
  'END.sh': 'echo "<result>main</result>"\n',
  'TURN.md': 'Turn.\n',
};

describe('a budget', () => {
  let fake: FakeClaude;
  const stage = new Stage({
    env: async () => {
      fake = await fakeWith();
      return { ...fake.env };
    },
  });

  const callsOf = async (runId: string): Promise<readonly FakeCall[]> =>
    (await fake.calls()).filter(({ env }) => env['RAYMOND_WORKFLOW_ID'] === runId);

  test('is exceeded by no more than one turn when many agents race for its rest', async () => {
    await fake.setRules([
      { match: '^Begin', text: '<goto>FORK</goto>' },
      { text: '<result>turn</result>', delayMs: 200 },
    ]);
    const view = await stage.run(RACE, { budgetUsd: 0.035 });
    expect(view).toMatchObject({ status: 'over-budget', costUsd: 0.04 });
    expect(await callsOf(view.runId)).toHaveLength(4);
    expect(view.result).toBe('Workflow terminated: budget exceeded ($0.0400 > $0.0350)');
  });

  test('lets agents wait for the reports of others and continue when those cost less', async () => {
    await fake.setRules([
      { match: '^Begin', text: '<goto>FORK</goto>', costUsd: 0.02 },
      { text: '<result>turn</result>', costUsd: 0.001, delayMs: 200 },
    ]);
    const view = await stage.run(RACE, { budgetUsd: 0.045 });
    expect(view).toMatchObject({ status: 'completed', result: 'main' });
    expect(view.costUsd).toBeCloseTo(0.026);
    expect(view.agents.filter(({ result }) => result === 'turn')).toHaveLength(6);
  });

  test('starts the turn of an agent that has waited for it with the first message', async () => {
    await fake.setRules([
      { match: '^Begin', text: '<goto>FORK</goto>', costUsd: 0.02 },
      { text: '<result>turn</result>', costUsd: 0.001, delayMs: 1500 },
    ]);
    const view = await stage.run(RACE, { budgetUsd: 0.045 });
    expect(view.status).toBe('completed');
    for (const { id } of view.agents.filter(({ result }) => result === 'turn')) {
      const following: string[] = [];
      let isGranted = false;
      for await (const event of eventsOf(stage.link.client, { workflowId: `${view.runId}/${id}` })) {
        if (isGranted && event.signalExternalWorkflowExecutionInitiatedEventAttributes) following.push('message');
        if (isGranted && event.activityTaskScheduledEventAttributes) following.push('turn');
        isGranted ||= event.workflowExecutionSignaledEventAttributes?.signalName === 'grant';
      }
      expect(following[0]).toBe('turn');
    }
  });

  test('that is raised lets an agent continue that waits for the rest of it', async () => {
    const go = join(stage.raymondDir, 'go');
    await fake.setRules([
      { match: '^Begin', text: '<goto>FORK</goto>' },
      { match: '^Turn', text: '<result>turn</result>', waitFor: go },
    ]);
    const staged = await stage.start(RACE, { budgetUsd: 0.025 });
    // The rest is enough for two at once; the other four wait.
    await until(async () => (await callsOf(staged.runId)).length === 3, { what: 'two agents at work' });
    await changeBudget(stage.link.client, { runId: staged.runId, usd: 1 });
    await until(async () => (await callsOf(staged.runId)).length === 7, { what: 'six agents at work' });
    await writeFile(go, '');
    const view = await staged.ended;
    expect(view).toMatchObject({ status: 'completed', budgetUsd: 1 });
    expect(view.costUsd).toBeCloseTo(0.07);
  });

  test('that is used up within a call ends the run, and a larger one lets it continue without repeating a turn', async () => {
    await fake.setRules([
      { match: '^Begin', text: '<call return="BACK">SUB</call>' },
      { match: '^Sub', text: '<goto>DEEPER</goto>' },
      { match: '^Deeper', text: '<result>found</result>' },
      { match: '^Back', text: '<result>all</result>' },
    ]);
    const states = {
      'START.md': 'Begin.\n',
      'SUB.md': 'Sub.\n',
      'DEEPER.md': 'Deeper.\n',
      'BACK.md': 'Back with {{result}}.\n',
    };
    const view = await stage.run(states, { budgetUsd: 0.015 });
    expect(view).toMatchObject({
      status: 'over-budget',
      costUsd: 0.02,
      result: 'Workflow terminated: budget exceeded ($0.0200 > $0.0150)',
    });
    expect(await revived(stage, view, { usd: 0.025 })).toMatchObject({ status: 'over-budget', costUsd: 0.03 });
    const last = await revived(stage, await stage.end(view.runId), { usd: 1 });
    expect(last).toMatchObject({ status: 'completed', result: 'all', costUsd: 0.04, budgetUsd: 1 });
    const calls = await callsOf(view.runId);
    expect(statesOf(calls)).toEqual(['START.md', 'SUB.md', 'DEEPER.md', 'BACK.md']);
    expect(calls[3]?.prompt).toBe('\nBack with found.\n');
  });

  test('of two that are set at once on a run that has ended, one starts it again and the other counts in it', async () => {
    await fake.setRules([
      { match: '^Begin', text: '<goto>LATER</goto>', costUsd: 0.02 },
      { match: '^Later', text: '<result>done</result>', costUsd: 0.02 },
    ]);
    const states = {
      'START.md': 'Begin.\n',
      'LATER.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<goto>END</goto>"\n',
      'END.md': 'Later.\n',
    };
    const { cwd, ended } = await stage.start(states, { budgetUsd: 0.01 });
    const view = await ended;
    expect(view.status).toBe('over-budget');
    const mode = { kind: 'cluster', taskQueue: stage.taskQueue };
    const raymond = { link: stage.link, artifacts: artifactsOf(stage), mode, engine: NO_ENGINE } as unknown as Raymond;
    await Promise.all([5, 7].map((budgetUsd) => raiseBudget(raymond, { runId: view.runId, budgetUsd })));
    await writeFile(join(cwd, 'go'), '');
    expect(await stage.end(view.runId)).toMatchObject({ status: 'completed', result: 'done' });
  });

  test('with plenty left costs an agent at most 7 events a prompt turn', async () => {
    await fake.setRules([
      { times: 20, text: '<goto>START</goto>', costUsd: 0.01 },
      { text: '<result>done</result>', costUsd: 0.01 },
    ]);
    const staged = await stage.start({ 'START.md': 'Begin.\n' }, { budgetUsd: 10 });
    expect(await staged.ended).toMatchObject({ status: 'completed', costUsd: 0.21 });
    const begun: number[] = [];
    for await (const event of eventsOf(stage.link.client, { workflowId: `${staged.runId}/main` }))
      if (event.activityTaskScheduledEventAttributes) begun.push(Number(event.eventId));
    // The first turn asks, and so does the second: nobody has known what a turn costs.
    const events = begun.slice(2).map((id, index) => id - (begun[index + 1] ?? 0));
    expect(events).toHaveLength(19);
    // With the first report that travels, the history notes that it may.
    expect(Math.max(...events)).toBeLessThanOrEqual(9);
    expect(Math.max(...events.slice(1))).toBeLessThanOrEqual(7);
  });

  test('that is lowered counts for the next turn, whatever was promised before', async () => {
    const go = join(stage.raymondDir, 'go-on');
    await fake.setRules([
      { times: 3, text: '<goto>START</goto>' },
      { times: 1, text: '<goto>START</goto>', waitFor: go },
      { text: '<result>done</result>' },
    ]);
    const staged = await stage.start({ 'START.md': 'Begin.\n' }, { budgetUsd: 10 });
    await until(async () => (await callsOf(staged.runId)).length === 4, { what: 'the fourth turn' });
    await changeBudget(stage.link.client, { runId: staged.runId, usd: 0.045 });
    await until(async () => (await viewRun(stage.link.client, staged.runId)).budgetUsd === 0.045, {
      what: 'the budget',
    });
    await writeFile(go, '');
    await staged.ended;
    const limits = (await callsOf(staged.runId)).map((call) => flagOf(call, '--max-budget-usd'));
    expect(limits.map(Number)).toEqual([10, 9.99, 9.98, 9.97, 0.005]);
  });

  test('counts attempts that failed', async () => {
    await fake.setRules([
      { isError: true, apiErrorStatus: 529, assistantError: 'overloaded', text: 'Overloaded', costUsd: 0.01, times: 1 },
      { text: '<result>at last</result>', costUsd: 0.02 },
    ]);
    const view = await stage.run({ 'START.md': 'Do it.\n' }, { budgetUsd: 1 });
    expect(view).toMatchObject({ status: 'completed', result: 'at last', costUsd: 0.03 });
  });

  test('is exceeded by an attempt that failed, too', async () => {
    await fake.setRules([
      { isError: true, apiErrorStatus: 529, assistantError: 'overloaded', text: 'Overloaded', costUsd: 0.02 },
    ]);
    const view = await stage.run({ 'START.md': 'Do it.\n' }, { budgetUsd: 0.01 });
    expect(view).toMatchObject({ status: 'over-budget', costUsd: 0.02 });
    expect(await callsOf(view.runId)).toHaveLength(1);
  });
});
